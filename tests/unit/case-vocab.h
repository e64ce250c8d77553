/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* A vocabulary in which the words of tests/data/prompt-cases.json have the ids
 * of bert-base-uncased; every other line holds a filler. */
#pragma once

#include <gdino/tokenizer.h>
#include <glib.h>
#include <stdlib.h>

#define CASE_VOCAB_SIZE 30522

static inline char *
case_data_path (const char *name)
{
  const char *source = g_getenv ("GDINO_SOURCE_DIR");

  g_assert_nonnull (source);
  return g_build_filename (source, "tests", "data", name, NULL);
}

/* Returns: (transfer full): bytes of a vocab.txt */
static inline GString *
case_vocab_text (void)
{
  g_autofree char *path = case_data_path ("prompt-cases-vocab.txt");
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (GError) error = NULL;
  GString *vocab = g_string_new (NULL);
  gsize next = 0;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  lines = g_strsplit (text, "\n", -1);
  for (long id = 0; id < CASE_VOCAB_SIZE; id++) {
    char *word = NULL;

    if (lines[next][0] != '\0' && strtol (lines[next], &word, 10) == id) {
      g_string_append_printf (vocab, "%s\n", word + 1);
      next++;
    } else {
      g_string_append_printf (vocab, "[filler %ld]\n", id);
    }
  }
  g_assert_cmpstr (lines[next], ==, "");
  return vocab;
}

static inline GdinoTokenizer *
case_tokenizer_new (void)
{
  GString *vocab = case_vocab_text ();
  g_autoptr (GError) error = NULL;
  GdinoTokenizer *tokenizer =
      gdino_tokenizer_new_from_data (vocab->str, vocab->len, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (gdino_tokenizer_get_size (tokenizer), ==, CASE_VOCAB_SIZE);
  g_string_free (vocab, TRUE);
  return tokenizer;
}
