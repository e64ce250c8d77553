/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinoprompt.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* Looks before it reads: a pipe would block and a device never end. */
static gboolean
check_file (const gchar * path, GError ** error)
{
  GStatBuf info;

  if (g_stat (path, &info) != 0) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_NOT_FOUND,
        "Cannot read the prompt file \"%s\": %s", path, g_strerror (errno));
    return FALSE;
  }
  if (!S_ISREG (info.st_mode)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_NOT_FOUND,
        "The prompt file \"%s\" is a %s, wanted a text file", path,
        S_ISDIR (info.st_mode) ? "folder" : "special file");
    return FALSE;
  }
  if (info.st_size > GST_GDINO_PROMPT_FILE_MAX) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_PROMPT,
        "The prompt file \"%s\" has %" G_GINT64_FORMAT " bytes, wanted at most "
        "%d", path, (gint64) info.st_size, GST_GDINO_PROMPT_FILE_MAX);
    return FALSE;
  }
  return TRUE;
}

static gchar *
join_lines (const gchar * text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GString) prompt = g_string_new (NULL);
  gchar **line;

  for (line = lines; *line != NULL; line++) {
    const gchar *stripped = g_strstrip (*line);
    const gsize length = strlen (stripped);

    if (length == 0)
      continue;
    if (prompt->len > 0)
      g_string_append_c (prompt, ' ');
    g_string_append (prompt, stripped);
    if (strchr (".?", stripped[length - 1]) == NULL)
      g_string_append_c (prompt, '.');
  }
  return g_string_free (g_steal_pointer (&prompt), FALSE);
}

gchar *
gst_gdino_prompt_read_file (const gchar * path, GError ** error)
{
  g_autoptr (GError) cause = NULL;
  g_autofree gchar *text = NULL;
  const gchar *start, *bad;
  gsize length;

  if (!check_file (path, error))
    return NULL;
  if (!g_file_get_contents (path, &text, &length, &cause)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_NOT_FOUND,
        "Cannot read the prompt file \"%s\": %s", path, cause->message);
    return NULL;
  }
  if (!g_utf8_validate_len (text, length, &bad)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_PROMPT,
        "The prompt file \"%s\" is not UTF-8 text: byte 0x%02x at offset %"
        G_GSIZE_FORMAT, path, (guint) (guint8) * bad, (gsize) (bad - text));
    return NULL;
  }
  start = text;
  if (g_str_has_prefix (start, BYTE_ORDER_MARK))
    start += strlen (BYTE_ORDER_MARK);
  return join_lines (start);
}

static void
append_string (GValue * list, const gchar * text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_string (&value, text);
  gst_value_array_append_and_take_value (list, &value);
}

static void
set_words (GstStructure * structure, const gchar * field,
    const gchar * const *words)
{
  GValue list = G_VALUE_INIT;

  g_value_init (&list, GST_TYPE_ARRAY);
  for (; *words != NULL; words++)
    append_string (&list, *words);
  gst_structure_take_value (structure, field, &list);
}

guint
gst_gdino_prompt_count_tokens (GdinoPrompt * prompt)
{
  guint i, n = 0;

  for (i = 0; i < gdino_prompt_get_n_passes (prompt); i++)
    n += gdino_prompt_get_n_used (gdino_prompt_get_pass (prompt, i));
  return n;
}

GstStructure *
gst_gdino_prompt_describe (GdinoPrompt * prompt)
{
  GstStructure *structure;
  GValue phrases = G_VALUE_INIT;
  guint i;

  structure = gst_structure_new (GST_GDINO_PROMPT_NAME,
      "prompt", G_TYPE_STRING, gdino_prompt_get_text (prompt),
      "revision", G_TYPE_UINT64, gdino_prompt_get_revision (prompt),
      "tokens-used", G_TYPE_UINT, gst_gdino_prompt_count_tokens (prompt),
      "tokens", G_TYPE_UINT, gdino_prompt_get_n_tokens (prompt),
      "passes", G_TYPE_UINT, gdino_prompt_get_n_passes (prompt), NULL);
  g_value_init (&phrases, GST_TYPE_ARRAY);
  for (i = 0; i < gdino_prompt_get_n_phrases (prompt); i++)
    append_string (&phrases, gdino_prompt_get_phrase (prompt, i)->text);
  gst_structure_take_value (structure, "phrases", &phrases);
  set_words (structure, "dropped", gdino_prompt_get_dropped (prompt));
  set_words (structure, "unknown-words",
      gdino_prompt_get_unknown_words (prompt));
  return structure;
}

static void
append_list (GString * text, const gchar * const *words)
{
  guint i;

  for (i = 0; words[i] != NULL; i++)
    g_string_append_printf (text, "%s\"%s\"", i > 0 ? ", " : "", words[i]);
}

static guint
count_unknown (GdinoPrompt * prompt)
{
  guint i, n = 0;

  for (i = 0; i < gdino_prompt_get_n_phrases (prompt); i++)
    n += gdino_prompt_get_phrase (prompt, i)->n_unknown;
  return n;
}

gchar *
gst_gdino_prompt_complaints (GdinoPrompt * prompt)
{
  const gchar *const *dropped = gdino_prompt_get_dropped (prompt);
  const gchar *const *words = gdino_prompt_get_unknown_words (prompt);
  g_autoptr (GString) text = g_string_new (NULL);

  if (*dropped != NULL) {
    g_string_append_printf (text, "Phrases dropped, as the model takes no more "
        "than %u text tokens", gdino_prompt_get_n_tokens (prompt));
    if (gdino_prompt_get_n_passes (prompt) > 1)
      g_string_append_printf (text, " in each of %u passes",
          gdino_prompt_get_n_passes (prompt));
    g_string_append (text, " (see max-passes): ");
    append_list (text, dropped);
    g_string_append (text, ". ");
  }
  if (*words != NULL) {
    g_string_append_printf (text, "%u of the prompt's tokens stand for words "
        "that the vocabulary cannot spell: ", count_unknown (prompt));
    append_list (text, words);
    g_string_append (text, ". ");
  }
  if (text->len == 0)
    return NULL;
  g_string_truncate (text, text->len - 1);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
