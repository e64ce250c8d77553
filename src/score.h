/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Scores of a query's phrases, from the logits of its tokens. */
#pragma once

#include <gdino/detection.h>
#include <glib.h>

G_BEGIN_DECLS

/* Everything but @cuts is borrowed. */
typedef struct
{
  const GdinoDecodeParams *params;
  const GdinoPhrase *phrases;   /* of all passes, as the next two */
  float *cuts;                  /* (nullable) lowest logits that can pass each
                                 * phrase's own threshold */
  guint first_phrase;           /* of the pass, and just after the last */
  guint last_phrase;
  guint first_token;            /* of all its phrases, and just after the last */
  guint last_token;

  /* Logits at or below these cannot score above the threshold, whatever the
   * rounding of the sigmoid; what passes is compared by its score. */
  float box_cut;                /* the lowest there is */
  float text_cut;
  float seen_cut;               /* of the best score so far */

  float best_score;             /* of all rows, above a threshold or not */
} GdinoScorer;

/* @prompt: the whole one. Thread-safety of these: Unsafe, as for a GArray. */
void gdino_scorer_init (GdinoScorer * self, GdinoPrompt * prompt,
    const GdinoDecodeParams * params);

void gdino_scorer_clear (GdinoScorer * self);

/* To be called before the first row of each pass. */
void gdino_scorer_begin (GdinoScorer * self, GdinoPrompt * prompt, guint pass);

/* The best phrase of a query that passes its box threshold. @row: a float for
 * each token, -inf where masked. @score: 0..1, or -1 when no phrase passes; then
 * @phrase is not to be read. Returns: FALSE for a NaN. */
gboolean gdino_scorer_score_row (GdinoScorer * self, const float *row,
    guint * phrase, float *score);

/* Whether @phrase, of this pass, passes its text threshold, and with which
 * @score, which is not to be read otherwise. */
gboolean gdino_scorer_score_class (const GdinoScorer * self, const float *row,
    guint phrase, float *score);

G_END_DECLS
