/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Any bytes as a prompt, the first of them for the number of tokens: refused
 * with a message, or a prompt that keeps every promise of its header. */

#include <gdino/error.h>
#include <gdino/prompt.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

enum
{ PAD, UNK, CLS, SEP, DOT, QUESTION };

static const char words[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n.\n?\na\ncat\nred\n##s"
    "\n##t\nc\n##a\n,\n;\n[\n]\nsep\n\xc3\x9f\n\xe5\x85\xac\n\xe1\x84\x80\n";

static void
check_arrays (GdinoPrompt * prompt)
{
  guint n = gdino_prompt_get_n_tokens (prompt);
  guint used = gdino_prompt_get_n_used (prompt);
  const gint64 *ids = gdino_prompt_get_ids (prompt);
  const gint64 *positions = gdino_prompt_get_positions (prompt);
  const guint8 *mask = gdino_prompt_get_block_mask (prompt);

  g_assert_cmpuint (used, >=, 2);
  g_assert_cmpuint (used, <=, n);
  g_assert_cmpint (ids[0], ==, CLS);
  g_assert_cmpint (ids[used - 1], ==, SEP);
  for (guint i = 0; i < n; i++) {
    g_assert_cmpint (gdino_prompt_get_text_mask (prompt)[i], ==, i < used);
    if (i >= used)
      g_assert_cmpint (ids[i], ==, PAD);
    else if (i > 0 && i < used - 1)
      g_assert_true (ids[i] == UNK || ids[i] >= DOT);
    for (guint j = 0; j < n; j++)
      g_assert_cmpint (mask[(gsize) i * n + j], ==,
          i - positions[i] == j - positions[j]);
  }
}

static void
check_phrase (GdinoPrompt * prompt, const GdinoPhrase * phrase)
{
  const gint64 *ids = gdino_prompt_get_ids (prompt);
  const char *text = gdino_prompt_get_text (prompt);

  g_assert_cmpuint (phrase->byte_length, >, 0);
  g_assert_cmpuint (strlen (phrase->text), ==, phrase->byte_length);
  g_assert_cmpint (memcmp (text + phrase->byte_start, phrase->text,
          phrase->byte_length), ==, 0);
  g_assert_true (g_utf8_validate (phrase->text, -1, NULL));
  g_assert_cmpuint (phrase->token_start, >, 0);
  g_assert_cmpuint (phrase->token_start, <, phrase->token_end);
  g_assert_cmpuint (phrase->token_end, <, gdino_prompt_get_n_used (prompt) - 1);
  g_assert_true (ids[phrase->token_end] == DOT
      || ids[phrase->token_end] == QUESTION);
  for (guint i = phrase->token_start; i < phrase->token_end; i++)
    g_assert_true (ids[i] != DOT && ids[i] != QUESTION);
}

/* Several contexts: every phrase in one of them, and nothing lost without being
 * named. */
static void
check_split (GdinoTokenizer * tokenizer, const char *text, guint n_tokens)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPrompt) prompt =
      gdino_prompt_new_split (tokenizer, text, n_tokens, 3, &error);
  guint next = 0;

  if (prompt == NULL) {
    g_assert_true (error->domain == GDINO_ERROR);
    return;
  }
  g_assert_cmpuint (gdino_prompt_get_n_passes (prompt), <=, 3);
  for (guint p = 0; p < gdino_prompt_get_n_passes (prompt); p++) {
    GdinoPrompt *pass = gdino_prompt_get_pass (prompt, p);

    check_arrays (pass);
    g_assert_cmpuint (gdino_prompt_get_pass_offset (prompt, p), ==, next);
    for (guint i = 0; i < gdino_prompt_get_n_phrases (pass); i++, next++) {
      check_phrase (pass, gdino_prompt_get_phrase (pass, i));
      g_assert_cmpstr (gdino_prompt_get_phrase (prompt, next)->text, ==,
          gdino_prompt_get_phrase (pass, i)->text);
    }
  }
  g_assert_cmpuint (gdino_prompt_get_n_phrases (prompt), ==, next);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  static GdinoTokenizer *tokenizer;
  g_autofree char *text = NULL;
  g_autoptr (GdinoPrompt) prompt = NULL;
  g_autoptr (GError) error = NULL;

  if (tokenizer == NULL)
    tokenizer = gdino_tokenizer_new_from_data (words, strlen (words), NULL);
  if (size == 0)
    return 0;
  text = g_strndup ((const char *) data + 1, size - 1);
  prompt = gdino_prompt_new (tokenizer, text, data[0], &error);
  if (prompt == NULL) {
    g_assert_true (error->domain == GDINO_ERROR);
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
    return 0;
  }
  g_assert_no_error (error);
  g_assert_cmpstr (gdino_prompt_get_text (prompt), ==, text);
  check_arrays (prompt);
  for (guint i = 0; i < gdino_prompt_get_n_phrases (prompt); i++)
    check_phrase (prompt, gdino_prompt_get_phrase (prompt, i));
  check_split (tokenizer, text, data[0]);
  return 0;
}
