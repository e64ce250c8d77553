/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "prompt-report.h"

#include <string.h>

#define MAX_LISTED 10           /* names in one hint */
#define MAX_QUOTED 40           /* characters of a name in a hint */

static void
add_int (JsonBuilder * builder, const char *name, gint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

static void
add_string (JsonBuilder * builder, const char *name, const char *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
add_span (JsonBuilder * builder, const char *name, gint64 start, gint64 end)
{
  if (name != NULL)
    json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  json_builder_add_int_value (builder, start);
  json_builder_add_int_value (builder, end);
  json_builder_end_array (builder);
}

static void
add_strings (JsonBuilder * builder, const char *name,
    const char *const *strings)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (; *strings != NULL; strings++)
    json_builder_add_string_value (builder, *strings);
  json_builder_end_array (builder);
}

static void
add_ints (JsonBuilder * builder, const char *name, const gint64 * values,
    guint n)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = 0; i < n; i++)
    json_builder_add_int_value (builder, values[i]);
  json_builder_end_array (builder);
}

static void
add_pieces (JsonBuilder * builder, const char *name, GdinoPrompt * prompt,
    GdinoTokenizer * tokenizer, guint start, guint end)
{
  const gint64 *ids = gdino_prompt_get_ids (prompt);

  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = start; i < end; i++)
    json_builder_add_string_value (builder,
        gdino_tokenizer_get_token (tokenizer, (gint32) ids[i]));
  json_builder_end_array (builder);
}

/* Runs of tokens that see each other, read off the mask itself. */
static void
add_groups (JsonBuilder * builder, GdinoPrompt * prompt)
{
  gsize n = gdino_prompt_get_n_tokens (prompt);
  guint used = gdino_prompt_get_n_used (prompt);
  const guint8 *mask = gdino_prompt_get_block_mask (prompt);

  json_builder_set_member_name (builder, "groups");
  json_builder_begin_array (builder);
  for (guint start = 0, end; start < used; start = end) {
    for (end = start + 1; end < used && mask[start * n + end]; end++);
    add_span (builder, NULL, start, end);
  }
  json_builder_end_array (builder);
}

static void
add_phrases (JsonBuilder * builder, GdinoPrompt * prompt,
    GdinoTokenizer * tokenizer)
{
  json_builder_set_member_name (builder, "phrases");
  json_builder_begin_array (builder);
  for (guint i = 0; i < gdino_prompt_get_n_phrases (prompt); i++) {
    const GdinoPhrase *phrase = gdino_prompt_get_phrase (prompt, i);

    json_builder_begin_object (builder);
    add_string (builder, "text", phrase->text);
    add_span (builder, "bytes", (gint64) phrase->byte_start,
        (gint64) (phrase->byte_start + phrase->byte_length));
    add_span (builder, "tokens", phrase->token_start, phrase->token_end);
    add_pieces (builder, "pieces", prompt, tokenizer, phrase->token_start,
        phrase->token_end);
    add_int (builder, "unknown", phrase->n_unknown);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

/* The arrays of one text context. */
static void
add_arrays (JsonBuilder * builder, GdinoPrompt * pass,
    GdinoTokenizer * tokenizer)
{
  guint used = gdino_prompt_get_n_used (pass);

  add_pieces (builder, "pieces", pass, tokenizer, 0, used);
  add_ints (builder, "ids", gdino_prompt_get_ids (pass), used);
  add_ints (builder, "positions", gdino_prompt_get_positions (pass), used);
  add_groups (builder, pass);
}

static void
add_passes (JsonBuilder * builder, GdinoPrompt * prompt,
    GdinoTokenizer * tokenizer)
{
  json_builder_set_member_name (builder, "passes");
  json_builder_begin_array (builder);
  for (guint i = 0; i < gdino_prompt_get_n_passes (prompt); i++) {
    GdinoPrompt *pass = gdino_prompt_get_pass (prompt, i);

    json_builder_begin_object (builder);
    add_int (builder, "used_tokens", gdino_prompt_get_n_used (pass));
    add_phrases (builder, pass, tokenizer);
    add_arrays (builder, pass, tokenizer);
    json_builder_end_object (builder);
  }
  json_builder_end_array (builder);
}

JsonNode *
prompt_report_new (GdinoPrompt * prompt, GdinoTokenizer * tokenizer)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  const gboolean split = gdino_prompt_get_n_passes (prompt) > 1;

  json_builder_begin_object (builder);
  add_string (builder, "prompt", gdino_prompt_get_text (prompt));
  add_int (builder, "text_tokens", gdino_prompt_get_n_tokens (prompt));
  if (!split) {
    add_int (builder, "used_tokens", gdino_prompt_get_n_used (prompt));
    add_phrases (builder, prompt, tokenizer);
  }
  add_strings (builder, "duplicates", gdino_prompt_get_duplicates (prompt));
  add_strings (builder, "dropped", gdino_prompt_get_dropped (prompt));
  add_strings (builder, "unknown_words",
      gdino_prompt_get_unknown_words (prompt));
  if (split)
    add_passes (builder, prompt, tokenizer);
  else
    add_arrays (builder, prompt, tokenizer);
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}

static void
append_quoted (GString * out, const char *text)
{
  glong n = g_utf8_strlen (text, -1);
  g_autofree char *start = g_utf8_substring (text, 0, MIN (n, MAX_QUOTED));

  /* One hint is one line, whatever the prompt holds. */
  for (char *at = start; *at; at++)
    if (g_ascii_iscntrl (*at))
      *at = ' ';
  g_string_append_printf (out, "\"%s%s\"", start, n > MAX_QUOTED ? "..." : "");
}

static void
hint_list (GStrvBuilder * hints, const char *what, const char *const *names)
{
  guint n = g_strv_length ((GStrv) names);
  g_autoptr (GString) hint = g_string_new (NULL);

  if (n == 0)
    return;
  g_string_append_printf (hint, "%s: ", what);
  for (guint i = 0; i < MIN (n, MAX_LISTED); i++) {
    if (i > 0)
      g_string_append (hint, ", ");
    append_quoted (hint, names[i]);
  }
  if (n > MAX_LISTED)
    g_string_append_printf (hint, " and %u more", n - MAX_LISTED);
  g_strv_builder_add (hints, hint->str);
}

/* Returns: (nullable): name of something in the phrase that people take for the
 * end of one. Between two digits it is part of a number. */
static const char *
find_separator (const char *text)
{
  static const struct
  {
    const char *mark;
    const char *name;
  } marks[] = {
    {",", "','"}, {";", "';'"}, {"|", "'|'"}, {"\n", "a line break"},
    {"\xe3\x80\x82", "an ideographic full stop"},
    {"\xe3\x80\x81", "an ideographic comma"},
    {"\xef\xbc\x8c", "a full-width comma"},
    {"\xef\xbc\x8e", "a full-width full stop"},
    {"\xef\xbc\x9b", "a full-width semicolon"},
    {"\xef\xbc\x9f", "a full-width question mark"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++) {
    const char *at = text;

    for (; (at = strstr (at, marks[i].mark)) != NULL; at++)
      if (at == text || !g_ascii_isdigit (at[-1]) || !g_ascii_isdigit (at[1]))
        return marks[i].name;
  }
  return NULL;
}

static void
hint_separators (GStrvBuilder * hints, GdinoPrompt * prompt)
{
  guint n = 0;

  for (guint i = 0; i < gdino_prompt_get_n_phrases (prompt); i++) {
    const char *text = gdino_prompt_get_phrase (prompt, i)->text;
    const char *separator = find_separator (text);
    g_autoptr (GString) hint = g_string_new ("phrase ");

    if (separator == NULL)
      continue;
    if (n++ == MAX_LISTED)
      return;
    append_quoted (hint, text);
    g_string_append_printf (hint, " holds %s, which is part of the phrase; "
        "only '.' and '?' separate phrases", separator);
    g_strv_builder_add (hints, hint->str);
  }
}

GStrv
prompt_report_hints (GdinoPrompt * prompt)
{
  g_autoptr (GStrvBuilder) hints = g_strv_builder_new ();
  g_autofree char *dropped = g_strdup_printf ("no room in %u text tokens, "
      "dropped", gdino_prompt_get_n_tokens (prompt));

  if (gdino_prompt_is_empty (prompt))
    g_strv_builder_add (hints, "the prompt has no phrase: nothing is looked "
        "for");
  hint_separators (hints, prompt);
  hint_list (hints, dropped, gdino_prompt_get_dropped (prompt));
  hint_list (hints, "same as an earlier phrase",
      gdino_prompt_get_duplicates (prompt));
  hint_list (hints, "not in the vocabulary, the model cannot know it",
      gdino_prompt_get_unknown_words (prompt));
  return g_strv_builder_end (hints);
}
