/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* From what the user typed to the arrays of the text graph, with the place of
 * each phrase in them. Follows preprocess_caption() and
 * generate_masks_with_special_tokens_and_transfer_map() of the original
 * Grounding DINO. Knows no graph and no box. */

#include <gdino/prompt.h>

#include <gdino/error.h>
#include <stdatomic.h>
#include <string.h>

#include "unicode.h"

#define MAX_BYTES (1024 * 1024)
#define MIN_TOKENS 4            /* [CLS], one word, its delimiter, [SEP] */
#define MAX_TOKENS 65536
#define QUOTED_CHARS 60         /* of a phrase in a message */

struct _GdinoPrompt
{
  gint ref_count;
  guint64 revision;
  char *text;
  GArray *phrases;              /* GdinoPhrase */
  GPtrArray *dropped;           /* NULL-terminated, as the next two */
  GPtrArray *duplicates;
  GPtrArray *unknown_words;
  guint n_tokens;
  guint n_used;
  gint64 *ids;
  gint64 *positions;
  guint8 *block_mask;
  guint8 *text_mask;
};

/* Ids that have a meaning here; -1 where the vocabulary lacks one. */
typedef struct
{
  gint32 pad, unknown, cls, sep, dot, question;
} Specials;

/* Tokens up to and including a delimiter. */
typedef struct
{
  guint first;
  guint delimiter;              /* equal to first when there is no phrase */
  gsize byte_start;             /* of the phrase, stripped */
  gsize byte_end;
} Block;

static gboolean
check_text (const char *text, GError ** error)
{
  gsize length = strlen (text);
  const char *bad;

  if (length > MAX_BYTES) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_PROMPT,
        "prompt has %" G_GSIZE_FORMAT " bytes, at most %d are allowed", length,
        MAX_BYTES);
    return FALSE;
  }
  if (!g_utf8_validate (text, (gssize) length, &bad)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_PROMPT,
        "prompt is not valid UTF-8: byte 0x%02x at offset %" G_GSIZE_FORMAT,
        (guint8) * bad, (gsize) (bad - text));
    return FALSE;
  }
  return TRUE;
}

static gboolean
find_specials (GdinoTokenizer * tokenizer, Specials * specials, GError ** error)
{
  specials->pad = gdino_tokenizer_lookup (tokenizer, "[PAD]");
  specials->unknown = gdino_tokenizer_lookup (tokenizer, "[UNK]");
  specials->cls = gdino_tokenizer_lookup (tokenizer, "[CLS]");
  specials->sep = gdino_tokenizer_lookup (tokenizer, "[SEP]");
  specials->dot = gdino_tokenizer_lookup (tokenizer, ".");
  specials->question = gdino_tokenizer_lookup (tokenizer, "?");
  if (specials->dot < 0) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_PROMPT,
        "vocabulary of %u tokens has no '.' to end a phrase with",
        gdino_tokenizer_get_size (tokenizer));
    return FALSE;
  }
  return TRUE;
}

/* Moves both ends inwards over blanks. */
static void
strip (const char *text, gsize * start, gsize * end)
{
  while (*start < *end
      && gdino_unicode_is_strippable (g_utf8_get_char (text + *start)))
    *start = (gsize) (g_utf8_next_char (text + *start) - text);
  while (*start < *end) {
    const char *last = g_utf8_prev_char (text + *end);

    if (!gdino_unicode_is_strippable (g_utf8_get_char (last)))
      break;
    *end = (gsize) (last - text);
  }
}

/* The pieces of the text, with a last '.' where the text does not end in one;
 * that one has no byte of the text. */
static GArray *
encode (GdinoTokenizer * tokenizer, const char *text, const Specials * specials)
{
  gsize start = 0, end = strlen (text);
  GArray *tokens = gdino_tokenizer_encode (tokenizer, text, end);
  GdinoToken dot;

  dot.id = specials->dot;
  dot.start = dot.end = end;
  strip (text, &start, &end);
  if (start == end || text[end - 1] != '.')
    g_array_append_val (tokens, dot);
  return tokens;
}

static GArray *
find_blocks (const char *text, GArray * tokens, const Specials * specials)
{
  GArray *blocks = g_array_new (FALSE, FALSE, sizeof (Block));
  guint first = 0;
  gsize byte_start = 0;

  for (guint i = 0; i < tokens->len; i++) {
    const GdinoToken *token = &g_array_index (tokens, GdinoToken, i);
    Block block;

    if (token->id != specials->dot && token->id != specials->question)
      continue;
    block.first = first;
    block.delimiter = i;
    block.byte_start = byte_start;
    block.byte_end = token->start;
    strip (text, &block.byte_start, &block.byte_end);
    g_array_append_val (blocks, block);
    first = i + 1;
    byte_start = token->end;
  }
  return blocks;
}

static gboolean
has_phrase (const Block * block)
{
  return block->delimiter > block->first;
}

static guint
count_tokens (const Block * block)
{
  return block->delimiter + 1 - block->first;
}

static void
remove_bare_delimiters (GArray * blocks)
{
  guint n = 0;

  for (guint i = 0; i < blocks->len; i++) {
    Block block = g_array_index (blocks, Block, i);

    if (has_phrase (&block))
      g_array_index (blocks, Block, n++) = block;
  }
  g_array_set_size (blocks, n);
}

static char *
quote (const char *text, const Block * block)
{
  const char *start = text + block->byte_start;
  gsize length = block->byte_end - block->byte_start;
  glong n_chars = g_utf8_strlen (start, (gssize) length);

  if (n_chars <= QUOTED_CHARS)
    return g_strdup_printf ("\"%.*s\"", (int) length, start);
  length = (gsize) (g_utf8_offset_to_pointer (start, QUOTED_CHARS) - start);
  return g_strdup_printf ("\"%.*s...\" (%ld characters)", (int) length, start,
      n_chars);
}

/* Drops blocks that the graph has no room for: first delimiters that end no
 * phrase, then whole phrases from the end. */
static gboolean
fit_blocks (GdinoPrompt * self, GArray * blocks, GError ** error)
{
  guint room = self->n_tokens - 2;
  guint used = 0;
  guint n = 0;

  for (guint i = 0; i < blocks->len; i++)
    used += count_tokens (&g_array_index (blocks, Block, i));
  if (used <= room)
    return TRUE;

  remove_bare_delimiters (blocks);
  for (used = 0; n < blocks->len; n++) {
    used += count_tokens (&g_array_index (blocks, Block, n));
    if (used > room)
      break;
  }
  if (n == 0 && blocks->len > 0) {
    g_autofree char *quoted =
        quote (self->text, &g_array_index (blocks, Block, 0));

    g_set_error (error, GDINO_ERROR, GDINO_ERROR_PROMPT,
        "phrase %s needs %u text tokens with its delimiter, [CLS] and [SEP], "
        "the model has %u", quoted, used + 2, self->n_tokens);
    return FALSE;
  }
  for (guint i = n; i < blocks->len; i++) {
    const Block *block = &g_array_index (blocks, Block, i);

    g_ptr_array_add (self->dropped, g_strndup (self->text + block->byte_start,
            block->byte_end - block->byte_start));
  }
  g_array_set_size (blocks, n);
  return TRUE;
}

static void
clear_phrase (gpointer data)
{
  g_free ((char *) ((GdinoPhrase *) data)->text);
}

static gboolean
alloc_arrays (GdinoPrompt * self, GError ** error)
{
  gsize n = self->n_tokens;

  self->ids = g_new (gint64, n);
  self->positions = g_new0 (gint64, n);
  self->text_mask = g_new0 (guint8, n);
  self->block_mask = g_try_malloc0_n (n, n);
  if (self->block_mask == NULL) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "no memory for the mask of %u x %u text tokens", self->n_tokens,
        self->n_tokens);
    return FALSE;
  }
  return TRUE;
}

/* What holds for [CLS], [SEP] and padding: each sees only itself. */
static void
fill_arrays (GdinoPrompt * self, const Specials * specials)
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
add_block (GdinoPrompt * self, const Block * block, GArray * tokens)
{
  gsize n_tokens = self->n_tokens;
  guint n = count_tokens (block);
  guint at = self->n_used;

  for (guint i = 0; i < n; i++) {
    self->ids[at + i] = g_array_index (tokens, GdinoToken, block->first + i).id;
    self->positions[at + i] = i;
    memset (self->block_mask + (at + i) * n_tokens + at, 1, n);
  }
  self->n_used += n;
}

static void
note_unknown_words (GdinoPrompt * self, GArray * tokens, const Block * block,
    gint32 unknown, GHashTable * seen, GdinoPhrase * phrase)
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
add_phrase (GdinoPrompt * self, const Block * block, GArray * tokens,
    gint32 unknown, GHashTable * seen_words, GHashTable * seen_phrases)
{
  GdinoPhrase phrase;
  GBytes *key;

  phrase.token_end = self->n_used - 1;
  phrase.token_start = self->n_used - count_tokens (block);
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
    const Specials * specials)
{
  g_autoptr (GHashTable) seen_words =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) seen_phrases =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal,
      (GDestroyNotify) g_bytes_unref, NULL);

  for (guint i = 0; i < blocks->len; i++) {
    const Block *block = &g_array_index (blocks, Block, i);

    add_block (self, block, tokens);
    if (has_phrase (block))
      add_phrase (self, block, tokens, specials->unknown, seen_words,
          seen_phrases);
  }
  self->ids[self->n_used++] = specials->sep;
  memset (self->text_mask, 1, self->n_used);
}

static GdinoPrompt *
prompt_alloc (const char *text, guint n_tokens)
{
  static atomic_uint_least64_t last_revision;
  GdinoPrompt *self = g_new0 (GdinoPrompt, 1);

  self->ref_count = 1;
  self->revision = atomic_fetch_add (&last_revision, 1) + 1;
  self->text = g_strdup (text);
  self->n_tokens = n_tokens;
  self->phrases = g_array_new (FALSE, FALSE, sizeof (GdinoPhrase));
  g_array_set_clear_func (self->phrases, clear_phrase);
  self->dropped = g_ptr_array_new_with_free_func (g_free);
  self->duplicates = g_ptr_array_new_with_free_func (g_free);
  self->unknown_words = g_ptr_array_new_with_free_func (g_free);
  return self;
}

GdinoPrompt *
gdino_prompt_new (GdinoTokenizer * tokenizer, const char *text,
    guint n_tokens, GError ** error)
{
  g_autoptr (GdinoPrompt) self = NULL;
  g_autoptr (GArray) tokens = NULL;
  g_autoptr (GArray) blocks = NULL;
  Specials specials;

  g_return_val_if_fail (tokenizer != NULL, NULL);

  if (n_tokens < MIN_TOKENS || n_tokens > MAX_TOKENS) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "%u text tokens asked for, wanted %d to %d", n_tokens, MIN_TOKENS,
        MAX_TOKENS);
    return NULL;
  }
  if (text == NULL)
    text = "";
  if (!check_text (text, error)
      || !find_specials (tokenizer, &specials, error))
    return NULL;

  self = prompt_alloc (text, n_tokens);
  tokens = encode (tokenizer, text, &specials);
  blocks = find_blocks (text, tokens, &specials);
  if (!fit_blocks (self, blocks, error) || !alloc_arrays (self, error))
    return NULL;
  fill_arrays (self, &specials);
  add_blocks (self, blocks, tokens, &specials);

  g_ptr_array_add (self->dropped, NULL);
  g_ptr_array_add (self->duplicates, NULL);
  g_ptr_array_add (self->unknown_words, NULL);
  return g_steal_pointer (&self);
}

GdinoPrompt *
gdino_prompt_ref (GdinoPrompt * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_int_inc (&self->ref_count);
  return self;
}

void
gdino_prompt_unref (GdinoPrompt * self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_int_dec_and_test (&self->ref_count))
    return;
  g_free (self->text);
  g_array_unref (self->phrases);
  g_ptr_array_unref (self->dropped);
  g_ptr_array_unref (self->duplicates);
  g_ptr_array_unref (self->unknown_words);
  g_free (self->ids);
  g_free (self->positions);
  g_free (self->block_mask);
  g_free (self->text_mask);
  g_free (self);
}

const char *
gdino_prompt_get_text (GdinoPrompt * self)
{
  return self->text;
}

guint64
gdino_prompt_get_revision (GdinoPrompt * self)
{
  return self->revision;
}

gboolean
gdino_prompt_is_empty (GdinoPrompt * self)
{
  return self->phrases->len == 0;
}

guint
gdino_prompt_get_n_phrases (GdinoPrompt * self)
{
  return self->phrases->len;
}

const GdinoPhrase *
gdino_prompt_get_phrase (GdinoPrompt * self, guint index)
{
  g_return_val_if_fail (index < self->phrases->len, NULL);

  return &g_array_index (self->phrases, GdinoPhrase, index);
}

const char *const *
gdino_prompt_get_dropped (GdinoPrompt * self)
{
  return (const char *const *) self->dropped->pdata;
}

const char *const *
gdino_prompt_get_duplicates (GdinoPrompt * self)
{
  return (const char *const *) self->duplicates->pdata;
}

const char *const *
gdino_prompt_get_unknown_words (GdinoPrompt * self)
{
  return (const char *const *) self->unknown_words->pdata;
}

guint
gdino_prompt_get_n_tokens (GdinoPrompt * self)
{
  return self->n_tokens;
}

guint
gdino_prompt_get_n_used (GdinoPrompt * self)
{
  return self->n_used;
}

const gint64 *
gdino_prompt_get_ids (GdinoPrompt * self)
{
  return self->ids;
}

const gint64 *
gdino_prompt_get_positions (GdinoPrompt * self)
{
  return self->positions;
}

const guint8 *
gdino_prompt_get_block_mask (GdinoPrompt * self)
{
  return self->block_mask;
}

const guint8 *
gdino_prompt_get_text_mask (GdinoPrompt * self)
{
  return self->text_mask;
}
