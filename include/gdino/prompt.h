/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* One free-text prompt, padded to the token count of a graph. */
#pragma once

#include <gdino/export.h>
#include <gdino/tokenizer.h>
#include <glib.h>

G_BEGIN_DECLS

/**
 * GdinoPrompt:
 *
 * A prompt such as "a cat. red car." made ready for a graph of T text tokens.
 * Immutable and reference counted. Thread-safety: Safe.
 *
 * Rules: text is lower-cased and stripped; '.' and '?' end a phrase; a missing
 * final '.' is added; ',' and ';' are ordinary characters. As in the original,
 * the '.' of "3.5mm" or "U.S. flag" ends a phrase too, and a text that ends in
 * '?' still gets its '.', with no phrase before it. Each phrase and its
 * delimiter form a block of tokens that see only each other, with positions
 * counted from 0; [CLS], [SEP] and padding see only themselves, at position 0
 * (bertwarper.py of the original Grounding DINO).
 */
typedef struct _GdinoPrompt GdinoPrompt;

/**
 * GdinoPhrase:
 * @text: the phrase as the user typed it, stripped; NUL-terminated UTF-8; this
 *   is the label of a detection
 * @token_start: first token of the phrase, an index into the ids
 * @token_end: just after its last token; the delimiter is not included
 * @byte_start: offset of @text in gdino_prompt_get_text()
 * @byte_length: bytes of @text
 * @n_unknown: how many of its tokens are [UNK]
 */
typedef struct
{
  const char *text;
  guint token_start;
  guint token_end;
  gsize byte_start;
  gsize byte_length;
  guint n_unknown;
} GdinoPhrase;

/**
 * gdino_prompt_new:
 * @tokenizer: vocabulary of the package
 * @text: (nullable): what the user typed; %NULL is the empty prompt
 * @n_tokens: T, the text tokens of the graph, 4 to 65536
 * @error: return location for a #GError
 *
 * Duplicate phrases (equal tokens) map to the first. When the text does not
 * fit, delimiters that end no phrase are left out, then whole phrases from the
 * end, which gdino_prompt_get_dropped() lists.
 * A text of nothing but blanks and delimiters gives an empty prompt, no error.
 *
 * Returns: (transfer full) (nullable): the prompt, or %NULL with
 *   %GDINO_ERROR_PROMPT (not UTF-8, longer than 1 MiB, no '.' in the vocabulary,
 *   or a first phrase that alone needs more than T tokens) or
 *   %GDINO_ERROR_INVALID_ARGUMENT (T out of range)
 */
GDINO_API GdinoPrompt *gdino_prompt_new (GdinoTokenizer * tokenizer,
    const char *text, guint n_tokens, GError **error);

/**
 * GDINO_PROMPT_MAX_PASSES:
 *
 * Most text contexts of one prompt.
 */
#define GDINO_PROMPT_MAX_PASSES 64

/**
 * gdino_prompt_new_split:
 * @tokenizer: vocabulary of the package
 * @text: (nullable): what the user typed; %NULL is the empty prompt
 * @n_tokens: T, the text tokens of the graph, 4 to 65536
 * @max_passes: most text contexts to use, 1 to %GDINO_PROMPT_MAX_PASSES
 * @error: return location for a #GError
 *
 * gdino_prompt_new() for more phrases than fit: those that do not fit into one
 * text context of T tokens go into further ones, whole and in order, and the
 * frame graph runs once for each. A split prompt leaves out duplicates, and a
 * phrase that alone is too long, unless it is the first, which is an error. What
 * does not fit into @max_passes contexts is left out, too;
 * gdino_prompt_get_dropped() lists both.
 *
 * Returns: (transfer full) (nullable): the prompt, or %NULL as gdino_prompt_new(),
 *   and with %GDINO_ERROR_INVALID_ARGUMENT for @max_passes out of range
 */
GDINO_API GdinoPrompt *gdino_prompt_new_split (GdinoTokenizer * tokenizer,
    const char *text, guint n_tokens, guint max_passes, GError **error);

GDINO_API GdinoPrompt *gdino_prompt_ref (GdinoPrompt * self);
GDINO_API void gdino_prompt_unref (GdinoPrompt * self);

/**
 * gdino_prompt_get_text:
 *
 * Returns: (transfer none): the text as given ("" for %NULL)
 */
GDINO_API const char *gdino_prompt_get_text (GdinoPrompt * self);

/**
 * gdino_prompt_get_revision:
 *
 * Returns: a number unique in this process, rising with each prompt made;
 *   never 0
 */
GDINO_API guint64 gdino_prompt_get_revision (GdinoPrompt * self);

/**
 * gdino_prompt_is_empty:
 *
 * Returns: %TRUE when there is no phrase to look for
 */
GDINO_API gboolean gdino_prompt_is_empty (GdinoPrompt * self);

GDINO_API guint gdino_prompt_get_n_phrases (GdinoPrompt * self);

/**
 * gdino_prompt_get_phrase:
 *
 * Returns: (transfer none): phrase @index (below n_phrases), with the next
 *   ones behind it; lives as long as the prompt
 */
GDINO_API const GdinoPhrase *gdino_prompt_get_phrase (GdinoPrompt * self,
    guint index);

/**
 * gdino_prompt_get_dropped:
 *
 * Returns: (transfer none) (array zero-terminated=1): phrases that did not
 *   fit, in order; possibly empty
 */
GDINO_API const char *const *gdino_prompt_get_dropped (GdinoPrompt * self);

/**
 * gdino_prompt_get_duplicates:
 *
 * Returns: (transfer none) (array zero-terminated=1): phrases with the tokens
 *   of an earlier one, in order; they keep their tokens but are no phrases of
 *   their own; possibly empty
 */
GDINO_API const char *const *gdino_prompt_get_duplicates (GdinoPrompt * self);

/**
 * gdino_prompt_get_unknown_words:
 *
 * Returns: (transfer none) (array zero-terminated=1): words with no spelling
 *   in the vocabulary, each once
 */
GDINO_API const char *const *gdino_prompt_get_unknown_words (GdinoPrompt *
    self);

/**
 * gdino_prompt_get_n_passes:
 *
 * Returns: how many text contexts the phrases are in; at least 1
 */
GDINO_API guint gdino_prompt_get_n_passes (GdinoPrompt * self);

/**
 * gdino_prompt_get_pass:
 *
 * Returns: (transfer none): the prompt of context @pass (below n_passes)
 *   alone; @self where there is one
 */
GDINO_API GdinoPrompt *gdino_prompt_get_pass (GdinoPrompt * self, guint pass);

/**
 * gdino_prompt_get_pass_offset:
 *
 * Returns: index in @self of the first phrase of context @pass (below
 *   n_passes)
 */
GDINO_API guint gdino_prompt_get_pass_offset (GdinoPrompt * self, guint pass);

/**
 * gdino_prompt_get_n_tokens:
 *
 * Returns: T, the length of the arrays below, which are those of the first
 *   context
 */
GDINO_API guint gdino_prompt_get_n_tokens (GdinoPrompt * self);

/**
 * gdino_prompt_get_n_used:
 *
 * Returns: tokens that are not padding, [CLS] and [SEP] included; at least 2
 */
GDINO_API guint gdino_prompt_get_n_used (GdinoPrompt * self);

/**
 * gdino_prompt_get_ids: (skip)
 *
 * Returns: (transfer none): T token ids
 */
GDINO_API const gint64 *gdino_prompt_get_ids (GdinoPrompt * self);

/**
 * gdino_prompt_get_positions: (skip)
 *
 * Returns: (transfer none): T positions, each counted from its block's start
 */
GDINO_API const gint64 *gdino_prompt_get_positions (GdinoPrompt * self);

/**
 * gdino_prompt_get_block_mask: (skip)
 *
 * Returns: (transfer none): T x T bytes, row-major, 1 where the row's token
 *   may attend to the column's
 */
GDINO_API const guint8 *gdino_prompt_get_block_mask (GdinoPrompt * self);

/**
 * gdino_prompt_get_text_mask: (skip)
 *
 * Returns: (transfer none): T bytes, 1 for tokens that are not padding
 */
GDINO_API const guint8 *gdino_prompt_get_text_mask (GdinoPrompt * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GdinoPrompt, gdino_prompt_unref)

G_END_DECLS
