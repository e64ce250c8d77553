/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Scores each query's phrases over their own tokens, applies the thresholds
 * and NMS, and turns what is left into frame pixels. */

#include "decode.h"

#include <math.h>

#include "boxes.h"
#include "detections.h"
#include "nms.h"

#define LANES 8                 /* comparisons that compilers put into one */

struct _GdinoDecoder
{
  GdinoPrompt *prompt;          /* the whole one */
  const GdinoLetterbox *letterbox;
  const GdinoDecodeParams *params;

  /* The pass. */
  guint n_passes;               /* begun */
  const float *logits;
  const float *boxes;
  guint n_tokens;
  guint first_phrase;           /* and just after the last */
  guint last_phrase;
  guint first_token;            /* of all phrases, and just after the last */
  guint last_token;
  const GdinoPhrase *phrases;   /* of all passes, as the next two */
  float *cuts;                  /* (nullable) see find_cuts() */

  /* Logits at or below these cannot score above the threshold, whatever the
   * rounding of the sigmoid; what passes is compared by its score. */
  float box_cut;                /* the lowest there is */
  float text_cut;
  float seen_cut;               /* of the best score so far */

  GArray *candidates;           /* GdinoCandidate */
  GArray *classes;              /* GdinoClass */
  GdinoDecodeStats stats;
};

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
phrase_score (const GdinoDecoder * self, const float *row,
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
is_dull (const GdinoDecoder * self, const float *row, float cut)
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
note_score (GdinoDecoder * self, float score)
{
  if (score <= self->stats.best_score)
    return;
  self->stats.best_score = score;
  self->seen_cut = logit_cut (score);
}

/* Finds the best phrase of a row. @score is -1 when it is surely neither above
 * the box threshold nor the best so far. Returns FALSE for a NaN. */
static gboolean
score_row (GdinoDecoder * self, const float *row, guint * phrase, float *score)
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
threshold_of (const GdinoDecoder * self, guint phrase, float without)
{
  const GdinoPhraseRule *rules = self->params->phrase_rules;

  return rules == NULL || rules[phrase].threshold < 0 ?
      without : rules[phrase].threshold;
}

/* The same where phrases have thresholds of their own: the best of those that
 * pass theirs; -1 when none does. */
static gboolean
score_row_by_rules (GdinoDecoder * self, const float *row, guint * phrase,
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

/* Clipped box of @query in frame pixels, or FALSE with the reason counted. */
static gboolean
place_box (GdinoDecoder * self, guint query, GdinoBox * out)
{
  const float *cxcywh = self->boxes + (gsize) query * 4;
  float width = (float) self->letterbox->frame_width;
  float height = (float) self->letterbox->frame_height;
  float corners[4];
  float limit;
  GdinoPixelBox pixels;

  gdino_letterbox_to_frame (self->letterbox, cxcywh[0], cxcywh[1], cxcywh[2],
      cxcywh[3], corners);
  out->x0 = corners[0];
  out->y0 = corners[1];
  out->x1 = corners[2];
  out->y1 = corners[3];
  *out = gdino_box_clip (*out, width, height);

  if (!gdino_box_to_pixels (*out, (int) self->letterbox->frame_width,
          (int) self->letterbox->frame_height, &pixels)) {
    self->stats.n_outside++;
    return FALSE;
  }
  limit = self->params->size_threshold;
  if (limit < 1 && gdino_box_area (*out) > limit * width * height) {
    self->stats.n_size++;
    return FALSE;
  }
  return TRUE;
}

static gint
compare_classes (gconstpointer a, gconstpointer b)
{
  const GdinoClass *one = a;
  const GdinoClass *two = b;

  if (one->score != two->score)
    return one->score > two->score ? -1 : 1;
  return one->phrase < two->phrase ? -1 : one->phrase > two->phrase;
}

/* Notes the winner, then the other phrases above the text threshold. */
static void
add_classes (GdinoDecoder * self, GdinoCandidate * candidate, guint query)
{
  const float *row = self->logits + (gsize) query * self->n_tokens;
  GArray *classes = self->classes;
  const guint start = classes->len;
  GdinoClass winner = {
    .phrase = candidate->phrase,
    .score = candidate->score,
  };

  g_array_append_val (classes, winner);
  for (guint p = self->first_phrase; p < self->last_phrase; p++) {
    const GdinoPhrase *phrase = &self->phrases[p];
    const float threshold =
        threshold_of (self, p, self->params->text_threshold);
    const float cut = threshold == self->params->text_threshold ?
        self->text_cut : self->cuts[p];
    GdinoClass other = {.phrase = p };
    float best;

    if (p == candidate->phrase || !best_logit (row, phrase, &best)
        || best <= cut)
      continue;
    other.score = phrase_score (self, row, phrase, best);
    if (other.score > threshold)
      g_array_append_val (classes, other);
  }

  if (classes->len - start > 2)
    qsort (&g_array_index (classes, GdinoClass, start + 1),
        classes->len - start - 1, sizeof (GdinoClass), compare_classes);
  candidate->first_class = start;
  candidate->n_classes = classes->len - start;
}

/* @candidates: what is reported, best first. */
static GdinoDetections *
build_result (GdinoDecoder * self, GdinoCandidate * candidates, guint n)
{
  GArray *boxes = g_array_sized_new (FALSE, FALSE, sizeof (GdinoDetection), n);
  const guint n_rows = self->stats.n_queries / MAX (self->n_passes, 1);

  for (guint i = 0; i < n; i++) {
    GdinoPixelBox pixels = { 0, 0, 1, 1 };
    GdinoDetection box = {
      .query = candidates[i].query % MAX (n_rows, 1),
      .score = candidates[i].score,
      .phrase = candidates[i].phrase,
    };

    gdino_box_to_pixels (candidates[i].box, (int) self->letterbox->frame_width,
        (int) self->letterbox->frame_height, &pixels);
    box.x = pixels.x;
    box.y = pixels.y;
    box.width = pixels.width;
    box.height = pixels.height;
    if (candidates[i].n_classes == 0)
      add_classes (self, &candidates[i], box.query);
    box.n_classes = candidates[i].n_classes;
    g_array_append_val (boxes, box);
  }

  /* The array has moved while it grew: point into it only now. */
  for (guint i = 0; i < n; i++)
    g_array_index (boxes, GdinoDetection, i).classes =
        &g_array_index (self->classes, GdinoClass, candidates[i].first_class);
  return gdino_detections_new (self->prompt, &self->stats, boxes,
      g_steal_pointer (&self->classes));
}

/* They lie side by side, in the order of their tokens. */
static void
find_phrases (GdinoDecoder * self)
{
  const guint pass = self->n_passes;
  const guint n = gdino_prompt_get_n_phrases (self->prompt);

  self->first_phrase = gdino_prompt_get_pass_offset (self->prompt, pass);
  self->last_phrase = pass + 1 < gdino_prompt_get_n_passes (self->prompt) ?
      gdino_prompt_get_pass_offset (self->prompt, pass + 1) : n;
  self->first_token = self->last_token = 0;
  if (self->first_phrase == self->last_phrase)
    return;
  self->first_token = self->phrases[self->first_phrase].token_start;
  self->last_token = self->phrases[self->last_phrase - 1].token_end;
}

/* Lowest logits that can pass each phrase's own threshold. */
static void
find_cuts (GdinoDecoder * self)
{
  const guint n = gdino_prompt_get_n_phrases (self->prompt);

  self->box_cut = logit_cut (self->params->box_threshold);
  self->text_cut = logit_cut (self->params->text_threshold);
  self->seen_cut = logit_cut (0);
  if (self->params->phrase_rules == NULL)
    return;
  self->cuts = g_new (float, n);
  for (guint p = 0; p < n; p++) {
    self->cuts[p] = logit_cut (threshold_of (self, p,
            self->params->box_threshold));
    self->box_cut = MIN (self->box_cut, self->cuts[p]);
  }
}

GdinoDecoder *
gdino_decoder_new (GdinoPrompt * prompt, const GdinoLetterbox * letterbox,
    const GdinoDecodeParams * params)
{
  GdinoDecoder *self = g_new0 (GdinoDecoder, 1);

  self->prompt = prompt;
  self->letterbox = letterbox;
  self->params = params;
  self->n_tokens = gdino_prompt_get_n_tokens (prompt);
  if (!gdino_prompt_is_empty (prompt))
    self->phrases = gdino_prompt_get_phrase (prompt, 0);
  self->candidates = g_array_new (FALSE, FALSE, sizeof (GdinoCandidate));
  self->classes = g_array_new (FALSE, FALSE, sizeof (GdinoClass));
  find_cuts (self);
  return self;
}

void
gdino_decoder_free (GdinoDecoder * self)
{
  if (self == NULL)
    return;
  g_array_unref (self->candidates);
  g_clear_pointer (&self->classes, g_array_unref);
  g_free (self->cuts);
  g_free (self);
}

void
gdino_decoder_add (GdinoDecoder * self, const float *logits,
    const float *boxes, guint n_queries)
{
  const GdinoPhraseRule *rules = self->params->phrase_rules;
  const guint before = self->stats.n_queries;

  self->logits = logits;
  self->boxes = boxes;
  find_phrases (self);
  self->n_passes++;
  self->stats.n_queries += n_queries;
  for (guint q = 0; q < n_queries; q++) {
    const float *row = logits + (gsize) q * self->n_tokens;
    GdinoCandidate candidate = {.query = before + q };
    float *score = &candidate.score;

    if (!gdino_box_is_sound (boxes + (gsize) q * 4)
        || !(rules == NULL ? score_row (self, row, &candidate.phrase, score)
            : score_row_by_rules (self, row, &candidate.phrase, score))) {
      self->stats.n_invalid++;
    } else if (rules == NULL ? !(*score > self->params->box_threshold)
        : *score < 0) {
      self->stats.n_below++;
    } else if (place_box (self, q, &candidate.box)) {
      candidate.group = rules == NULL ? candidate.phrase
          : rules[candidate.phrase].group;
      /* The numbers of this pass are gone by the next. */
      if (gdino_prompt_get_n_passes (self->prompt) > 1)
        add_classes (self, &candidate, q);
      g_array_append_val (self->candidates, candidate);
    }
  }
}

GdinoDetections *
gdino_decoder_finish (GdinoDecoder * self)
{
  const GdinoDecodeParams *params = self->params;
  GdinoCandidate *best = (GdinoCandidate *) self->candidates->data;
  guint n = self->candidates->len;
  GdinoDetections *found;

  gdino_candidates_sort (best, n);
  if (params->nms != GDINO_NMS_OFF) {
    guint kept = (guint) gdino_nms (best, n, params->iou_threshold,
        params->nms == GDINO_NMS_PHRASE);

    self->stats.n_suppressed = n - kept;
    n = kept;
  }
  if (n > params->max_detections) {
    self->stats.n_cut = n - params->max_detections;
    n = params->max_detections;
  }
  found = build_result (self, best, n);
  gdino_decoder_free (self);
  return found;
}

GdinoDetections *
gdino_decode (const float *logits, const float *boxes, guint n_queries,
    GdinoPrompt * prompt, const GdinoLetterbox * letterbox,
    const GdinoDecodeParams * params)
{
  GdinoDecoder *decoder = gdino_decoder_new (prompt, letterbox, params);

  gdino_decoder_add (decoder, logits, boxes, n_queries);
  return gdino_decoder_finish (decoder);
}
