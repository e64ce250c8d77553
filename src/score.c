/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Scores of a query's phrases, from the logits of its tokens. */

#include "score.h"

#include <math.h>

#define LANES 8                 /* comparisons that compilers put into one */

static double
sigmoid (float logit)
{
  return 1.0 / (1.0 + exp (-(double) logit));
}

/* A little below the logit of @threshold; -inf for 0 and +inf for 1. */
static float
logit_cut (float threshold)
{
  double logit;

  if (threshold <= 0)
    return -INFINITY;
  if (threshold >= 1)
    return INFINITY;

  logit = log ((double) threshold) - log1p (-(double) threshold);
  return (float) (logit - 1e-5 * (1 + fabs (logit)));
}

/* Best logit of the phrase's tokens; FALSE when one is NaN. */
static gboolean
best_logit (const float *row, const GdinoPhrase * phrase, float *best)
{
  float max = -INFINITY;

  for (guint t = phrase->token_start; t < phrase->token_end; t++) {
    if (isnan (row[t]))
      return FALSE;
    max = MAX (max, row[t]);
  }
  *best = max;
  return TRUE;
}

/* @best: what best_logit() gave. */
static float
phrase_score (const GdinoScorer * self, const float *row,
    const GdinoPhrase * phrase, float best)
{
  double sum = 0;

  if (self->params->scoring == GDINO_SCORING_MAX)
    return (float) sigmoid (best);

  for (guint t = phrase->token_start; t < phrase->token_end; t++)
    sum += sigmoid (row[t]);
  return (float) (sum / (phrase->token_end - phrase->token_start));
}

/* Whether no token of any phrase, nor of what lies between them, is NaN or above
 * @cut. Most rows are that dull, and this is the fastest way to tell. */
static gboolean
is_dull (const GdinoScorer * self, const float *row, float cut)
{
  guint t = self->first_token;
  guint worth[LANES] = { 0 };
  guint any = 0;

  for (; t + LANES <= self->last_token; t += LANES)
    for (guint i = 0; i < LANES; i++)
      worth[i] |= !(row[t + i] <= cut);
  for (guint i = 0; i < LANES; i++)
    any |= worth[i];
  for (; t < self->last_token; t++)
    any |= !(row[t] <= cut);
  return any == 0;
}

static void
note_score (GdinoScorer * self, float score)
{
  if (score <= self->best_score)
    return;
  self->best_score = score;
  self->seen_cut = logit_cut (score);
}

/* Finds the best phrase of a row. @score is -1 when it is surely neither above
 * the box threshold nor the best so far. Returns FALSE for a NaN. */
static gboolean
score_row (GdinoScorer * self, const float *row, guint * phrase, float *score)
{
  float row_best = -INFINITY;
  guint row_phrase = 0;
  const float cut = MIN (self->box_cut, self->seen_cut);

  *score = -1;
  if (is_dull (self, row, cut))
    return TRUE;
  for (guint p = self->first_phrase; p < self->last_phrase; p++) {
    float best;

    if (!best_logit (row, &self->phrases[p], &best))
      return FALSE;
    if (best > row_best) {
      row_best = best;
      row_phrase = p;
    }
  }

  /* The best token bounds every phrase's score, mean or max. */
  if (row_best <= cut)
    return TRUE;

  if (self->params->scoring == GDINO_SCORING_MAX) {
    *phrase = row_phrase;
    *score = (float) sigmoid (row_best);
  } else {
    for (guint p = self->first_phrase; p < self->last_phrase; p++) {
      float mean = phrase_score (self, row, &self->phrases[p], row_best);

      if (mean > *score) {
        *score = mean;
        *phrase = p;
      }
    }
  }
  note_score (self, *score);
  return TRUE;
}

static float
threshold_of (const GdinoScorer * self, guint phrase, float without)
{
  const GdinoPhraseRule *rules = self->params->phrase_rules;

  return rules == NULL || rules[phrase].threshold < 0 ?
      without : rules[phrase].threshold;
}

/* The same where phrases have thresholds of their own: the best of those that
 * pass theirs; -1 when none does. */
static gboolean
score_row_by_rules (GdinoScorer * self, const float *row, guint * phrase,
    float *score)
{
  *score = -1;
  if (is_dull (self, row, MIN (self->box_cut, self->seen_cut)))
    return TRUE;
  for (guint p = self->first_phrase; p < self->last_phrase; p++) {
    float best, found;

    if (!best_logit (row, &self->phrases[p], &best))
      return FALSE;
    if (best <= MIN (self->cuts[p], self->seen_cut))
      continue;
    found = phrase_score (self, row, &self->phrases[p], best);
    note_score (self, found);
    if (found > *score
        && found > threshold_of (self, p, self->params->box_threshold)) {
      *score = found;
      *phrase = p;
    }
  }
  return TRUE;
}

void
gdino_scorer_init (GdinoScorer * self, GdinoPrompt * prompt,
    const GdinoDecodeParams * params)
{
  const guint n = gdino_prompt_get_n_phrases (prompt);

  *self = (GdinoScorer) {
  .params = params};
  if (n > 0)
    self->phrases = gdino_prompt_get_phrase (prompt, 0);
  self->box_cut = logit_cut (params->box_threshold);
  self->text_cut = logit_cut (params->text_threshold);
  self->seen_cut = logit_cut (0);
  if (params->phrase_rules == NULL)
    return;
  self->cuts = g_new (float, n);
  for (guint p = 0; p < n; p++) {
    self->cuts[p] = logit_cut (threshold_of (self, p, params->box_threshold));
    self->box_cut = MIN (self->box_cut, self->cuts[p]);
  }
}

void
gdino_scorer_clear (GdinoScorer * self)
{
  g_clear_pointer (&self->cuts, g_free);
}

void
gdino_scorer_begin (GdinoScorer * self, GdinoPrompt * prompt, guint pass)
{
  const guint n = gdino_prompt_get_n_phrases (prompt);

  self->first_phrase = gdino_prompt_get_pass_offset (prompt, pass);
  self->last_phrase = pass + 1 < gdino_prompt_get_n_passes (prompt) ?
      gdino_prompt_get_pass_offset (prompt, pass + 1) : n;
  self->first_token = self->last_token = 0;
  if (self->first_phrase == self->last_phrase)
    return;
  /* They lie side by side, in the order of their tokens. */
  self->first_token = self->phrases[self->first_phrase].token_start;
  self->last_token = self->phrases[self->last_phrase - 1].token_end;
}

gboolean
gdino_scorer_score_row (GdinoScorer * self, const float *row, guint * phrase,
    float *score)
{
  if (self->params->phrase_rules != NULL)
    return score_row_by_rules (self, row, phrase, score);
  if (!score_row (self, row, phrase, score))
    return FALSE;
  if (!(*score > self->params->box_threshold))
    *score = -1;
  return TRUE;
}

gboolean
gdino_scorer_score_class (const GdinoScorer * self, const float *row,
    guint phrase, float *score)
{
  const float threshold =
      threshold_of (self, phrase, self->params->text_threshold);
  const float cut = threshold == self->params->text_threshold ?
      self->text_cut : self->cuts[phrase];
  float best;

  if (!best_logit (row, &self->phrases[phrase], &best) || best <= cut)
    return FALSE;
  *score = phrase_score (self, row, &self->phrases[phrase], best);
  return *score > threshold;
}
