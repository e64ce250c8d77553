/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Puts many texts through the tokenizer or the prompt, for comparison with
 * another implementation.
 *
 *   tokenize-lines VOCAB      tokens of each text
 *   tokenize-lines VOCAB T    the prompt of T tokens made of each text
 *
 * Texts come on standard input, each as 4 bytes of length (little endian) and
 * its bytes; answers leave on standard output, one line of JSON for each. */

#include <gdino/prompt.h>
#include <gdino/tokenizer.h>
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json-text.h"

#define MAX_TEXT (64 * 1024 * 1024)

/* Returns: (transfer full) (nullable): the next text with a NUL added. */
static char *
read_text (gsize * length)
{
  guint8 head[4];
  char *text;

  if (fread (head, 1, sizeof (head), stdin) != sizeof (head))
    return NULL;
  *length = (gsize) head[0] | (gsize) head[1] << 8 | (gsize) head[2] << 16
      | (gsize) head[3] << 24;
  if (*length > MAX_TEXT) {
    fprintf (stderr, "text of %" G_GSIZE_FORMAT " bytes\n", *length);
    exit (1);
  }
  text = g_malloc (*length + 1);
  if (fread (text, 1, *length, stdin) != *length) {
    fprintf (stderr, "text cut short\n");
    exit (1);
  }
  text[*length] = '\0';
  return text;
}

static void
print_tokens (GdinoTokenizer * tokenizer, const char *text, gsize length)
{
  g_autoptr (GArray) tokens = gdino_tokenizer_encode (tokenizer, text, length);

  putchar ('[');
  for (guint i = 0; i < tokens->len; i++) {
    const GdinoToken *token = &g_array_index (tokens, GdinoToken, i);

    printf ("%s[%d,%" G_GSIZE_FORMAT ",%" G_GSIZE_FORMAT "]", i ? "," : "",
        token->id, token->start, token->end);
  }
  puts ("]");
}

static void
add_bytes (JsonBuilder * builder, const char *name, const guint8 * bytes,
    gsize length)
{
  g_autofree char *base64 = g_base64_encode (bytes, length);

  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, base64);
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
add_phrases (JsonBuilder * builder, GdinoPrompt * prompt)
{
  json_builder_set_member_name (builder, "phrases");
  json_builder_begin_array (builder);
  for (guint i = 0; i < gdino_prompt_get_n_phrases (prompt); i++) {
    const GdinoPhrase *phrase = gdino_prompt_get_phrase (prompt, i);

    json_builder_begin_array (builder);
    json_builder_add_string_value (builder, phrase->text);
    json_builder_add_int_value (builder, phrase->token_start);
    json_builder_add_int_value (builder, phrase->token_end);
    json_builder_add_int_value (builder, (gint64) phrase->byte_start);
    json_builder_add_int_value (builder, (gint64) phrase->byte_length);
    json_builder_add_int_value (builder, phrase->n_unknown);
    json_builder_end_array (builder);
  }
  json_builder_end_array (builder);
}

static void
print_json (JsonBuilder * builder)
{
  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *line = json_text_new (root, FALSE);

  puts (line);
}

static void
print_prompt (GdinoTokenizer * tokenizer, const char *text, guint n_tokens)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPrompt) prompt =
      gdino_prompt_new (tokenizer, text, n_tokens, &error);

  json_builder_begin_object (builder);
  if (prompt == NULL) {
    json_builder_set_member_name (builder, "error");
    json_builder_add_string_value (builder, error->message);
  } else {
    guint n = gdino_prompt_get_n_tokens (prompt);

    json_builder_set_member_name (builder, "used");
    json_builder_add_int_value (builder, gdino_prompt_get_n_used (prompt));
    add_ints (builder, "ids", gdino_prompt_get_ids (prompt), n);
    add_ints (builder, "positions", gdino_prompt_get_positions (prompt), n);
    add_bytes (builder, "block_mask", gdino_prompt_get_block_mask (prompt),
        (gsize) n * n);
    add_bytes (builder, "text_mask", gdino_prompt_get_text_mask (prompt), n);
    add_phrases (builder, prompt);
    add_strings (builder, "dropped", gdino_prompt_get_dropped (prompt));
    add_strings (builder, "duplicates", gdino_prompt_get_duplicates (prompt));
    add_strings (builder, "unknown", gdino_prompt_get_unknown_words (prompt));
  }
  json_builder_end_object (builder);
  print_json (builder);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoTokenizer) tokenizer = NULL;
  char *text;
  gsize length;

  if (argc < 2 || argc > 3) {
    fprintf (stderr, "usage: tokenize-lines VOCAB [T]\n");
    return 2;
  }
  tokenizer = gdino_tokenizer_new_from_file (argv[1], &error);
  if (tokenizer == NULL) {
    fprintf (stderr, "%s\n", error->message);
    return 1;
  }
  while ((text = read_text (&length)) != NULL) {
    if (argc == 2)
      print_tokens (tokenizer, text, length);
    else
      print_prompt (tokenizer, text, (guint) strtoul (argv[2], NULL, 10));
    g_free (text);
  }
  return 0;
}
