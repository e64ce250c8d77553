/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What the user typed, cut at its delimiters and shared out to text contexts. */

#include "phrases.h"

#include <gdino/error.h>
#include <string.h>

#include "unicode.h"

#define MAX_BYTES (1024 * 1024)
#define QUOTED_CHARS 60         /* of a phrase in a message */

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
find_specials (GdinoTokenizer * tokenizer, GdinoSpecials * specials,
    GError ** error)
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
encode (GdinoTokenizer * tokenizer, const char *text,
    const GdinoSpecials * specials)
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
find_blocks (const char *text, GArray * tokens, const GdinoSpecials * specials)
{
  GArray *blocks = g_array_new (FALSE, FALSE, sizeof (GdinoBlock));
  guint first = 0;
  gsize byte_start = 0;

  for (guint i = 0; i < tokens->len; i++) {
    const GdinoToken *token = &g_array_index (tokens, GdinoToken, i);
    GdinoBlock block;

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

gboolean
gdino_block_has_phrase (const GdinoBlock * block)
{
  return block->delimiter > block->first;
}

guint
gdino_block_count (const GdinoBlock * block)
{
  return block->delimiter + 1 - block->first;
}

static void
remove_bare_delimiters (GArray * blocks)
{
  guint n = 0;

  for (guint i = 0; i < blocks->len; i++) {
    GdinoBlock block = g_array_index (blocks, GdinoBlock, i);

    if (gdino_block_has_phrase (&block))
      g_array_index (blocks, GdinoBlock, n++) = block;
  }
  g_array_set_size (blocks, n);
}

static char *
quote (const char *text, const GdinoBlock * block)
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

static char *
copy_text (const GdinoPhrases * self, const GdinoBlock * block)
{
  return g_strndup (self->text + block->byte_start,
      block->byte_end - block->byte_start);
}

static gboolean
check_first (const GdinoPhrases * self, guint room, GError ** error)
{
  const GdinoBlock *block;
  g_autofree char *quoted = NULL;

  if (self->blocks->len == 0)
    return TRUE;
  block = &g_array_index (self->blocks, GdinoBlock, 0);
  if (gdino_block_count (block) <= room)
    return TRUE;
  quoted = quote (self->text, block);
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_PROMPT,
      "phrase %s needs %u text tokens with its delimiter, [CLS] and [SEP], "
      "the model has %u", quoted, gdino_block_count (block) + 2, room + 2);
  return FALSE;
}

static GBytes *
key_of (const GdinoPhrases * self, const GdinoBlock * block)
{
  const guint n = block->delimiter - block->first;
  gint32 *ids = g_new (gint32, n);

  for (guint i = 0; i < n; i++)
    ids[i] = g_array_index (self->tokens, GdinoToken, block->first + i).id;
  return g_bytes_new_take (ids, n * sizeof *ids);
}

static GArray *
add_pass (GPtrArray * passes)
{
  GArray *blocks = g_array_new (FALSE, FALSE, sizeof (GdinoBlock));

  g_ptr_array_add (passes, blocks);
  return blocks;
}

gboolean
gdino_phrases_fit (GdinoPhrases * self, guint room, guint max_passes,
    GPtrArray * passes, GPtrArray * dropped, GPtrArray * duplicates,
    GError ** error)
{
  g_autoptr (GHashTable) seen =
      g_hash_table_new_full (g_bytes_hash, g_bytes_equal,
      (GDestroyNotify) g_bytes_unref, NULL);
  GArray *pass = add_pass (passes);
  guint i, used = 0;

  for (i = 0; i < self->blocks->len; i++)
    used += gdino_block_count (&g_array_index (self->blocks, GdinoBlock, i));
  if (used <= room) {
    g_array_append_vals (pass, self->blocks->data, self->blocks->len);
    return TRUE;
  }

  remove_bare_delimiters (self->blocks);
  if (!check_first (self, room, error))
    return FALSE;
  used = 0;
  for (i = 0; i < self->blocks->len; i++) {
    const GdinoBlock *block = &g_array_index (self->blocks, GdinoBlock, i);
    const guint n = gdino_block_count (block);
    g_autoptr (GBytes) key = key_of (self, block);

    if (max_passes > 1 && n > room) {
      g_ptr_array_add (dropped, copy_text (self, block));
      continue;
    }
    if (max_passes > 1 && g_hash_table_contains (seen, key)) {
      g_ptr_array_add (duplicates, copy_text (self, block));
      continue;
    }
    if (used + n > room) {
      if (passes->len == max_passes)
        break;
      pass = add_pass (passes);
      used = 0;
    }
    g_hash_table_add (seen, g_steal_pointer (&key));
    g_array_append_val (pass, *block);
    used += n;
  }
  for (; i < self->blocks->len; i++) {
    const GdinoBlock *block = &g_array_index (self->blocks, GdinoBlock, i);
    g_autoptr (GBytes) key = key_of (self, block);

    g_ptr_array_add (max_passes > 1 && g_hash_table_contains (seen, key) ?
        duplicates : dropped, copy_text (self, block));
  }
  return TRUE;
}

gboolean
gdino_phrases_parse (GdinoPhrases * self, GdinoTokenizer * tokenizer,
    const char *text, GError ** error)
{
  memset (self, 0, sizeof *self);
  self->text = text;
  if (!check_text (text, error)
      || !find_specials (tokenizer, &self->specials, error))
    return FALSE;
  self->tokens = encode (tokenizer, text, &self->specials);
  self->blocks = find_blocks (text, self->tokens, &self->specials);
  return TRUE;
}

void
gdino_phrases_clear (GdinoPhrases * self)
{
  g_clear_pointer (&self->tokens, g_array_unref);
  g_clear_pointer (&self->blocks, g_array_unref);
}
