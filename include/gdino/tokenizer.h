/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* BERT uncased WordPiece, equal to the Hugging Face tokenizer. */
#pragma once

#include <gdino/export.h>
#include <glib.h>

G_BEGIN_DECLS

/**
 * GdinoTokenizer:
 *
 * A vocabulary and the WordPiece rules over it. Immutable and reference
 * counted. Thread-safety: Safe.
 */
typedef struct _GdinoTokenizer GdinoTokenizer;

/**
 * GdinoToken:
 * @id: line number in the vocabulary
 * @start: byte offset of the word piece's first character in the text
 * @end: byte offset just after its last character
 *
 * One word piece. Offsets count bytes of the text as given, before lower-casing
 * and accent stripping; all pieces of an unknown word share one token.
 */
typedef struct
{
  gint32 id;
  gsize start;
  gsize end;
} GdinoToken;

/**
 * gdino_tokenizer_new_from_file:
 * @path: a vocab.txt, one token a line, UTF-8, at most 16 MiB
 * @error: return location for a #GError
 *
 * Returns: (transfer full) (nullable): a tokenizer, or %NULL with
 *   %GDINO_ERROR_NOT_FOUND, or %GDINO_ERROR_CORRUPT (duplicate or over-long
 *   lines, not UTF-8, or one of [PAD] [UNK] [CLS] [SEP] missing)
 */
GDINO_API GdinoTokenizer *gdino_tokenizer_new_from_file (const char *path,
    GError **error);

/**
 * gdino_tokenizer_new_from_data:
 * @data: (array length=length) (element-type guint8): bytes of a vocab.txt; only read in the call
 * @length: number of bytes
 * @error: return location for a #GError
 *
 * Returns: (transfer full) (nullable): as gdino_tokenizer_new_from_file()
 */
GDINO_API GdinoTokenizer *gdino_tokenizer_new_from_data (const char *data,
    gsize length, GError **error);

GDINO_API GdinoTokenizer *gdino_tokenizer_ref (GdinoTokenizer * self);
GDINO_API void gdino_tokenizer_unref (GdinoTokenizer * self);

/**
 * gdino_tokenizer_encode:
 * @text: (array length=length): valid UTF-8; need not end with a NUL
 * @length: bytes in @text
 *
 * Splits text into word pieces; adds no special tokens, and no text of the
 * user can produce [CLS], [SEP], [PAD] or [MASK]. Words of more than 100
 * characters, and words the vocabulary cannot spell, become [UNK].
 *
 * Returns: (transfer full) (element-type GdinoToken): the pieces in order,
 *   possibly empty
 */
GDINO_API GArray *gdino_tokenizer_encode (GdinoTokenizer * self,
    const char *text, gsize length);

/**
 * gdino_tokenizer_lookup:
 * @token: a vocabulary entry, such as "." or "##s"
 *
 * Returns: its id, or -1 when the vocabulary lacks it
 */
GDINO_API gint32 gdino_tokenizer_lookup (GdinoTokenizer * self,
    const char *token);

/**
 * gdino_tokenizer_get_token:
 *
 * Returns: (transfer none) (nullable): the text of @id, or %NULL when @id is
 *   not in the vocabulary; lives as long as the tokenizer
 */
GDINO_API const char *gdino_tokenizer_get_token (GdinoTokenizer * self,
    gint32 id);

/**
 * gdino_tokenizer_get_size:
 *
 * Returns: number of entries in the vocabulary
 */
GDINO_API guint gdino_tokenizer_get_size (GdinoTokenizer * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GdinoTokenizer, gdino_tokenizer_unref)

G_END_DECLS
