/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Real failures reported by users of other implementations, with the right
 * ids, positions and phrases: tests/data/prompt-cases.json. */

#include <gdino/prompt.h>
#include <json-glib/json-glib.h>
#include <string.h>

#include "case-vocab.h"

#define DEFAULT_SIZE 32

static GdinoTokenizer *tokenizer;

static JsonArray *
get_array (JsonObject * object, const char *name)
{
  return json_object_has_member (object, name) ?
      json_object_get_array_member (object, name) : NULL;
}

static void
check_ints (JsonArray * wanted, const gint64 * got)
{
  for (guint i = 0; i < json_array_get_length (wanted); i++)
    g_assert_cmpint (got[i], ==, json_array_get_int_element (wanted, i));
}

static void
check_strings (JsonArray * wanted, const char *const *got)
{
  guint n = json_array_get_length (wanted);

  g_assert_cmpuint (g_strv_length ((GStrv) got), ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpstr (got[i], ==, json_array_get_string_element (wanted, i));
}

static void
check_phrases (JsonArray * wanted, GdinoPrompt * prompt)
{
  guint n = json_array_get_length (wanted);

  g_assert_cmpuint (gdino_prompt_get_n_phrases (prompt), ==, n);
  g_assert_cmpint (gdino_prompt_is_empty (prompt), ==, n == 0);
  for (guint i = 0; i < n; i++) {
    JsonArray *row = json_array_get_array_element (wanted, i);
    const GdinoPhrase *phrase = gdino_prompt_get_phrase (prompt, i);

    g_assert_cmpstr (phrase->text, ==, json_array_get_string_element (row, 0));
    g_assert_cmpint (phrase->token_start, ==,
        json_array_get_int_element (row, 1));
    g_assert_cmpint (phrase->token_end, ==, json_array_get_int_element (row,
            2));
    g_assert_cmpint (strncmp (gdino_prompt_get_text (prompt) +
            phrase->byte_start, phrase->text, phrase->byte_length), ==, 0);
  }
}

/* Positions say where each block begins: the mask must be those blocks. */
static void
check_masks (GdinoPrompt * prompt)
{
  guint n = gdino_prompt_get_n_tokens (prompt);
  const gint64 *positions = gdino_prompt_get_positions (prompt);
  const guint8 *mask = gdino_prompt_get_block_mask (prompt);
  const guint8 *text_mask = gdino_prompt_get_text_mask (prompt);

  for (guint row = 0; row < n; row++) {
    gint64 start = row - positions[row];

    g_assert_cmpint (text_mask[row], ==,
        row < gdino_prompt_get_n_used (prompt));
    for (guint column = 0; column < n; column++)
      g_assert_cmpint (mask[row * n + column], ==,
          column - positions[column] == start);
  }
}

static void
check_padding (GdinoPrompt * prompt)
{
  for (guint i = gdino_prompt_get_n_used (prompt);
      i < gdino_prompt_get_n_tokens (prompt); i++) {
    g_assert_cmpint (gdino_prompt_get_ids (prompt)[i], ==, 0);
    g_assert_cmpint (gdino_prompt_get_positions (prompt)[i], ==, 0);
  }
}

static void
test_prompt (JsonObject * wanted)
{
  const char *text = json_object_get_string_member (wanted, "text");
  guint size = (guint) json_object_get_int_member_with_default (wanted, "size",
      DEFAULT_SIZE);
  JsonArray *ids = get_array (wanted, "ids");
  JsonArray *array;
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPrompt) prompt =
      gdino_prompt_new (tokenizer, text, size, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (gdino_prompt_get_n_tokens (prompt), ==, size);
  g_assert_cmpuint (gdino_prompt_get_n_used (prompt), ==,
      json_array_get_length (ids));
  check_ints (ids, gdino_prompt_get_ids (prompt));
  if ((array = get_array (wanted, "positions")))
    check_ints (array, gdino_prompt_get_positions (prompt));
  if ((array = get_array (wanted, "phrases")))
    check_phrases (array, prompt);
  if ((array = get_array (wanted, "dropped")))
    check_strings (array, gdino_prompt_get_dropped (prompt));
  else
    g_assert_null (gdino_prompt_get_dropped (prompt)[0]);
  if ((array = get_array (wanted, "duplicates")))
    check_strings (array, gdino_prompt_get_duplicates (prompt));
  if ((array = get_array (wanted, "unknown")))
    check_strings (array, gdino_prompt_get_unknown_words (prompt));
  check_masks (prompt);
  check_padding (prompt);
}

static void
test_tokens (JsonObject * wanted)
{
  const char *text = json_object_get_string_member (wanted, "text");
  JsonArray *ids = get_array (wanted, "tokens");
  g_autoptr (GArray) tokens =
      gdino_tokenizer_encode (tokenizer, text, strlen (text));

  g_assert_cmpuint (tokens->len, ==, json_array_get_length (ids));
  for (guint i = 0; i < tokens->len; i++)
    g_assert_cmpint (g_array_index (tokens, GdinoToken, i).id, ==,
        json_array_get_int_element (ids, i));
}

static void
test_case (gconstpointer data)
{
  JsonObject *wanted = (JsonObject *) data;

  if (json_object_has_member (wanted, "tokens"))
    test_tokens (wanted);
  else
    test_prompt (wanted);
}

int
main (int argc, char **argv)
{
  g_autofree char *path = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  JsonArray *cases;
  int result;

  g_test_init (&argc, &argv, NULL);
  path = case_data_path ("prompt-cases.json");
  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  cases = json_node_get_array (json_parser_get_root (parser));
  g_assert_cmpuint (json_array_get_length (cases), >=, 40);

  tokenizer = case_tokenizer_new ();
  for (guint i = 0; i < json_array_get_length (cases); i++) {
    JsonObject *object = json_array_get_object_element (cases, i);
    g_autofree char *name = g_strdup_printf ("/prompt-cases/%02u/%s", i,
        json_object_get_string_member (object, "case"));

    g_test_add_data_func (name, object, test_case);
  }
  result = g_test_run ();
  gdino_tokenizer_unref (tokenizer);
  return result;
}
