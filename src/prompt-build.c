/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* From phrases to the arrays of the text graph, with the place of each phrase in
 * them. Follows
 * generate_masks_with_special_tokens_and_transfer_map() of the original
 * Grounding DINO. Knows no graph and no box. */

#include <gdino/error.h>
#include <stdatomic.h>
#include <string.h>

#include "phrases.h"
#include "prompt-private.h"

#define MIN_TOKENS 4            /* [CLS], one word, its delimiter, [SEP] */
#define MAX_TOKENS 65536

static gboolean
alloc_arrays (GdinoPrompt * self, GError ** error)
{
  gsize n = self->n_tokens;

  self->ids = g_new (gint64, n);
  self->positions = g_new0 (gint64, n);
  self->text_mask = g_new0 (guint8, n);
  self->block_mask = g_try_malloc0_n (n, n);
  if (self->block_mask == NULL) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_MEMORY,
        "no memory for the mask of %u x %u text tokens", self->n_tokens,
        self->n_tokens);
    return FALSE;
  }
  return TRUE;
}

/* What holds for [CLS], [SEP] and padding: each sees only itself. */
static void
fill_arrays (GdinoPrompt * self, const GdinoSpecials * specials)
{
  gsize n = self->n_tokens;

  for (gsize i = 0; i < n; i++) {
    self->ids[i] = specials->pad;
    self->block_mask[i * n + i] = 1;
  }
  self->ids[0] = specials->cls;
  self->n_used = 1;
}

static void
add_block (GdinoPrompt * self, const GdinoBlock * block, GArray * tokens)
{
  gsize n_tokens = self->n_tokens;
  guint n = gdino_block_count (block);
  guint at = self->n_used;

  for (guint i = 0; i < n; i++) {
    self->ids[at + i] = g_array_index (tokens, GdinoToken, block->first + i).id;
    self->positions[at + i] = i;
    memset (self->block_mask + (at + i) * n_tokens + at, 1, n);
  }
  self->n_used += n;
}

static void
note_unknown_words (GdinoPrompt * self, GArray * tokens,
    const GdinoBlock * block, gint32 unknown, GHashTable * seen,
    GdinoPhrase * phrase)
{
  phrase->n_unknown = 0;
  for (guint i = block->first; i < block->delimiter; i++) {
    const GdinoToken *token = &g_array_index (tokens, GdinoToken, i);
    char *word;

    if (token->id != unknown)
      continue;
    phrase->n_unknown++;
    word = g_strndup (self->text + token->start, token->end - token->start);
    if (g_hash_table_add (seen, word))
      g_ptr_array_add (self->unknown_words, g_strdup (word));
  }
}

/* Lists the phrase whose block was just added. */
static void
add_phrase (GdinoPrompt * self, const GdinoBlock * block, GArray * tokens,
    gint32 unknown, GHashTable * seen_words, GHashTable * seen_phrases)
{
  GdinoPhrase phrase;
  GBytes *key;

  phrase.token_end = self->n_used - 1;
  phrase.token_start = self->n_used - gdino_block_count (block);
  phrase.byte_start = block->byte_start;
  phrase.byte_length = block->byte_end - block->byte_start;
  phrase.text = g_strndup (self->text + phrase.byte_start, phrase.byte_length);
  note_unknown_words (self, tokens, block, unknown, seen_words, &phrase);

  key = g_bytes_new (self->ids + phrase.token_start,
      (phrase.token_end - phrase.token_start) * sizeof (gint64));
  if (g_hash_table_add (seen_phrases, key))
    g_array_append_val (self->phrases, phrase);
  else
    g_ptr_array_add (self->duplicates, (char *) phrase.text);
}

static void
add_blocks (GdinoPrompt * self, GArray * blocks, GArray * tokens,
    const GdinoSpecials * specials)
{
  g_autoptr (GHashTable) seen_words =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) seen_phrases =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal,
      (GDestroyNotify) g_bytes_unref, NULL);

  for (guint i = 0; i < blocks->len; i++) {
    const GdinoBlock *block = &g_array_index (blocks, GdinoBlock, i);

    add_block (self, block, tokens);
    if (gdino_block_has_phrase (block))
      add_phrase (self, block, tokens, specials->unknown, seen_words,
          seen_phrases);
  }
  self->ids[self->n_used++] = specials->sep;
  memset (self->text_mask, 1, self->n_used);
}

static guint64
next_revision (void)
{
  static atomic_uint_least64_t last;

  return atomic_fetch_add (&last, 1) + 1;
}

static void
finish_lists (GdinoPrompt * self)
{
  g_ptr_array_add (self->dropped, NULL);
  g_ptr_array_add (self->duplicates, NULL);
  g_ptr_array_add (self->unknown_words, NULL);
}

/* Phrases and unknown words of @pass become those of the whole, too. */
static void
take_lists (GdinoPrompt * self, GdinoPrompt * pass, GHashTable * seen_words)
{
  for (guint i = 0; i < pass->phrases->len; i++) {
    GdinoPhrase phrase = g_array_index (pass->phrases, GdinoPhrase, i);

    phrase.text = g_strdup (phrase.text);
    g_array_append_val (self->phrases, phrase);
  }
  for (guint i = 0; i < pass->unknown_words->len; i++) {
    char *word = g_strdup (g_ptr_array_index (pass->unknown_words, i));

    if (g_hash_table_add (seen_words, word))
      g_ptr_array_add (self->unknown_words, g_strdup (word));
  }
}

/* @passes: of GArray of GdinoBlock, at least 2 */
static gboolean
build_passes (GdinoPrompt * self, GPtrArray * passes, GdinoPhrases * phrases,
    GError ** error)
{
  g_autoptr (GHashTable) seen_words =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  self->passes = g_ptr_array_new_with_free_func
      ((GDestroyNotify) gdino_prompt_unref);
  for (guint i = 0; i < passes->len; i++) {
    GdinoPrompt *pass =
        gdino_prompt_alloc (self->text, self->n_tokens, self->revision);

    g_ptr_array_add (self->passes, pass);
    pass->pass_offset = self->phrases->len;
    if (!alloc_arrays (pass, error))
      return FALSE;
    fill_arrays (pass, &phrases->specials);
    add_blocks (pass, g_ptr_array_index (passes, i), phrases->tokens,
        &phrases->specials);
    take_lists (self, pass, seen_words);
    finish_lists (pass);
  }
  return TRUE;
}

static gboolean
check_range (const char *what, guint value, guint least, guint most,
    GError ** error)
{
  if (value >= least && value <= most)
    return TRUE;
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
      "%u %s asked for, wanted %u to %u", value, what, least, most);
  return FALSE;
}

GdinoPrompt *
gdino_prompt_new_split (GdinoTokenizer * tokenizer, const char *text,
    guint n_tokens, guint max_passes, GError ** error)
{
  g_autoptr (GdinoPrompt) self = NULL;
  g_autoptr (GPtrArray) passes =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_auto (GdinoPhrases) phrases = { 0 };

  g_return_val_if_fail (tokenizer != NULL, NULL);

  if (!check_range ("text tokens", n_tokens, MIN_TOKENS, MAX_TOKENS, error)
      || !check_range ("passes", max_passes, 1, GDINO_PROMPT_MAX_PASSES, error))
    return NULL;
  self =
      gdino_prompt_alloc (text == NULL ? "" : text, n_tokens, next_revision ());
  if (!gdino_phrases_parse (&phrases, tokenizer, self->text, error)
      || !gdino_phrases_fit (&phrases, n_tokens - 2, max_passes, passes,
          self->dropped, self->duplicates, error))
    return NULL;

  if (passes->len > 1) {
    if (!build_passes (self, passes, &phrases, error))
      return NULL;
  } else {
    if (!alloc_arrays (self, error))
      return NULL;
    fill_arrays (self, &phrases.specials);
    add_blocks (self, g_ptr_array_index (passes, 0), phrases.tokens,
        &phrases.specials);
  }
  finish_lists (self);
  return g_steal_pointer (&self);
}

GdinoPrompt *
gdino_prompt_new (GdinoTokenizer * tokenizer, const char *text,
    guint n_tokens, GError ** error)
{
  return gdino_prompt_new_split (tokenizer, text, n_tokens, 1, error);
}
