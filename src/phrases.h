/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* From a text to its phrases, for prompt.c. Follows preprocess_caption() of the
 * original Grounding DINO. Knows no arrays of a graph. */
#pragma once

#include <gdino/tokenizer.h>
#include <glib.h>

G_BEGIN_DECLS

/* Ids that have a meaning here; -1 where the vocabulary lacks one. */
typedef struct
{
  gint32 pad, unknown, cls, sep, dot, question;
} GdinoSpecials;

/* Tokens up to and including a delimiter. */
typedef struct
{
  guint first;
  guint delimiter;              /* equal to first when there is no phrase */
  gsize byte_start;             /* of the phrase, stripped */
  gsize byte_end;
} GdinoBlock;

/* A text cut into blocks. Clear with gdino_phrases_clear(). */
typedef struct
{
  const char *text;             /* borrowed */
  GArray *tokens;               /* GdinoToken */
  GArray *blocks;               /* GdinoBlock */
  GdinoSpecials specials;
} GdinoPhrases;

/* Returns: FALSE with GDINO_ERROR_PROMPT: not UTF-8, too long, no '.' */
gboolean gdino_phrases_parse (GdinoPhrases * self, GdinoTokenizer * tokenizer,
    const char *text, GError ** error);

void gdino_phrases_clear (GdinoPhrases * self);

gboolean gdino_block_has_phrase (const GdinoBlock * block);

/* With its delimiter. */
guint gdino_block_count (const GdinoBlock * block);

/* Shares the blocks out to at most @max_passes contexts that have room for so
 * many tokens of blocks each. What all fits into one stays as it is. Else
 * delimiters that end no phrase go first. With one context phrases go from the
 * end; with several, duplicates and phrases that alone are too long go as well.
 * @passes: (element-type GArray): gets an array of GdinoBlock for each context,
 *   at least one
 * @dropped, @duplicates: get the texts of phrases that are in none
 * Returns: FALSE with GDINO_ERROR_PROMPT when the first phrase is too long */
gboolean gdino_phrases_fit (GdinoPhrases * self, guint room, guint max_passes,
    GPtrArray * passes, GPtrArray * dropped, GPtrArray * duplicates,
    GError ** error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GdinoPhrases, gdino_phrases_clear)

G_END_DECLS
