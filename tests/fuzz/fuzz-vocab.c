/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Any bytes as a vocab.txt: refused with a message, or every line is found
 * under its own number. */

#include <gdino/error.h>
#include <gdino/tokenizer.h>
#include <stdint.h>
#include <string.h>

#include "vocab.h"

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static void
check_vocab (const GdinoVocab * vocab)
{
  for (guint id = 0; id < gdino_vocab_get_size (vocab); id++) {
    const char *token = gdino_vocab_get_token (vocab, (gint32) id);
    gsize length = strlen (token);

    g_assert_cmpuint (length, >, 0);
    g_assert_cmpuint (length, <=, gdino_vocab_get_longest (vocab));
    g_assert_cmpint (gdino_vocab_find (vocab, FALSE, token, length), ==, id);
    if (g_str_has_prefix (token, "##"))
      g_assert_cmpint (gdino_vocab_find (vocab, TRUE, token + 2, length - 2),
          ==, id);
  }
  g_assert_null (gdino_vocab_get_token (vocab,
          (gint32) gdino_vocab_get_size (vocab)));
}

/* The bytes are also a text, where they are UTF-8. */
static void
check_tokens (GdinoTokenizer * tokenizer, const char *text, gsize size)
{
  g_autoptr (GArray) tokens = NULL;

  if (!g_utf8_validate_len (text, size, NULL))
    return;
  tokens = gdino_tokenizer_encode (tokenizer, text, size);
  for (guint i = 0; i < tokens->len; i++) {
    const GdinoToken *token = &g_array_index (tokens, GdinoToken, i);

    g_assert_cmpuint (token->start, <, token->end);
    g_assert_cmpuint (token->end, <=, size);
    g_assert_nonnull (gdino_tokenizer_get_token (tokenizer, token->id));
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  const char *text = (const char *) data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoVocab) vocab = gdino_vocab_new (text, size, "v", &error);
  g_autoptr (GdinoTokenizer) tokenizer = NULL;

  if (vocab == NULL) {
    g_assert_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT);
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
    return 0;
  }
  g_assert_no_error (error);
  check_vocab (vocab);
  tokenizer = gdino_tokenizer_new_from_data (text, size, NULL);
  if (tokenizer != NULL)
    check_tokens (tokenizer, text, size);
  return 0;
}
