/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Scores each query's phrases over their own tokens, applies the thresholds
 * and NMS, and turns what is left into frame pixels. */

#include "decode.h"

#include <gdino/error.h>
#include <math.h>

#include "boxes.h"
#include "detections.h"
#include "nms.h"

#define LANES 8                 /* comparisons that compilers put into one */

typedef struct
{
  const float *logits;
  const float *boxes;
  guint n_tokens;
  guint n_phrases;
  const GdinoPhrase *phrases;
  GdinoPrompt *prompt;
  const GdinoLetterbox *letterbox;
  const GdinoDecodeParams *params;

  /* Logits at or below these cannot score above the threshold, whatever the
   * rounding of the sigmoid; what passes is compared by its score. */
  float box_cut;
  float text_cut;
  float seen_cut;               /* of the best score so far */
  guint first_token;            /* of all phrases, and just after the last */
  guint last_token;

  GdinoDecodeStats stats;
} Decoder;

void
gdino_decode_params_init (GdinoDecodeParams * params)
{
  g_return_if_fail (params != NULL);

  params->box_threshold = 0.35f;
  params->text_threshold = 0.25f;
  params->iou_threshold = 0.7f;
  params->size_threshold = 1.0f;
  params->nms = GDINO_NMS_PHRASE;
  params->scoring = GDINO_SCORING_MAX;
  params->max_detections = 300;
}

static gboolean
check_fraction (const char *name, float value, GError ** error)
{
  if (value >= 0 && value <= 1)
    return TRUE;

  g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
      "%s is %g, must be 0 to 1", name, (double) value);
  return FALSE;
}

gboolean
gdino_decode_params_check (const GdinoDecodeParams * params, GError ** error)
{
  g_return_val_if_fail (params != NULL, FALSE);

  if (!check_fraction ("box_threshold", params->box_threshold, error)
      || !check_fraction ("text_threshold", params->text_threshold, error)
      || !check_fraction ("iou_threshold", params->iou_threshold, error)
      || !check_fraction ("size_threshold", params->size_threshold, error))
    return FALSE;
  if ((guint) params->nms > GDINO_NMS_ALL) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "nms is %u, must be 0 (off), 1 (phrase) or 2 (all)",
        (guint) params->nms);
    return FALSE;
  }
  if ((guint) params->scoring > GDINO_SCORING_MEAN) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "scoring is %u, must be 0 (max) or 1 (mean)", (guint) params->scoring);
    return FALSE;
  }
  if (params->max_detections < 1) {
    g_set_error_literal (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "max_detections is 0, must be at least 1");
    return FALSE;
  }
  return TRUE;
}

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
phrase_score (const Decoder * self, const float *row,
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
is_dull (const Decoder * self, const float *row, float cut)
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

/* Finds the best phrase of a row. @score is -1 when it is surely neither above
 * the box threshold nor the best so far. Returns FALSE for a NaN. */
static gboolean
score_row (Decoder * self, const float *row, guint * phrase, float *score)
{
  float row_best = -INFINITY;
  guint row_phrase = 0;
  const float cut = MIN (self->box_cut, self->seen_cut);

  *score = -1;
  if (is_dull (self, row, cut))
    return TRUE;
  for (guint p = 0; p < self->n_phrases; p++) {
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
    for (guint p = 0; p < self->n_phrases; p++) {
      float mean = phrase_score (self, row, &self->phrases[p], row_best);

      if (mean > *score) {
        *score = mean;
        *phrase = p;
      }
    }
  }
  if (*score > self->stats.best_score) {
    self->stats.best_score = *score;
    self->seen_cut = logit_cut (*score);
  }
  return TRUE;
}

/* Clipped box of @query in frame pixels, or FALSE with the reason counted. */
static gboolean
place_box (Decoder * self, guint query, GdinoBox * out)
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

/* Appends the winner, then the other phrases above the text threshold. Returns
 * how many. */
static guint
append_classes (const Decoder * self, const GdinoCandidate * candidate,
    GArray * classes)
{
  const float *row = self->logits + (gsize) candidate->query * self->n_tokens;
  guint start = classes->len;
  GdinoClass winner = {
    .phrase = candidate->phrase,
    .score = candidate->score,
  };

  g_array_append_val (classes, winner);
  for (guint p = 0; p < self->n_phrases; p++) {
    const GdinoPhrase *phrase = &self->phrases[p];
    GdinoClass other = {.phrase = p };
    float best;

    if (p == candidate->phrase || !best_logit (row, phrase, &best)
        || best <= self->text_cut)
      continue;
    other.score = phrase_score (self, row, phrase, best);
    if (other.score > self->params->text_threshold)
      g_array_append_val (classes, other);
  }

  if (classes->len - start > 2)
    qsort (&g_array_index (classes, GdinoClass, start + 1),
        classes->len - start - 1, sizeof (GdinoClass), compare_classes);
  return classes->len - start;
}

/* @candidates: what is reported, best first. */
static GdinoDetections *
build_result (const Decoder * self, const GdinoCandidate * candidates, guint n)
{
  GArray *boxes = g_array_sized_new (FALSE, FALSE, sizeof (GdinoDetection), n);
  GArray *classes = g_array_new (FALSE, FALSE, sizeof (GdinoClass));
  const GdinoClass *next;

  for (guint i = 0; i < n; i++) {
    GdinoPixelBox pixels = { 0, 0, 1, 1 };
    GdinoDetection box = {
      .query = candidates[i].query,
      .score = candidates[i].score,
      .phrase = candidates[i].phrase,
    };

    gdino_box_to_pixels (candidates[i].box, (int) self->letterbox->frame_width,
        (int) self->letterbox->frame_height, &pixels);
    box.x = pixels.x;
    box.y = pixels.y;
    box.width = pixels.width;
    box.height = pixels.height;
    box.n_classes = append_classes (self, &candidates[i], classes);
    g_array_append_val (boxes, box);
  }

  /* The array has moved while it grew: point into it only now. */
  next = (const GdinoClass *) classes->data;
  for (guint i = 0; i < n; i++) {
    GdinoDetection *box = &g_array_index (boxes, GdinoDetection, i);

    box->classes = next;
    next += box->n_classes;
  }
  return gdino_detections_new (self->prompt, &self->stats, boxes, classes);
}

/* They lie side by side, in the order of their tokens. */
static void
find_phrases (Decoder * self)
{
  if (self->n_phrases == 0)
    return;
  self->phrases = gdino_prompt_get_phrase (self->prompt, 0);
  self->first_token = self->phrases[0].token_start;
  self->last_token = self->phrases[self->n_phrases - 1].token_end;
}

/* Rows above the box threshold whose box can be used. */
static GArray *
collect_candidates (Decoder * self)
{
  GArray *candidates = g_array_new (FALSE, FALSE, sizeof (GdinoCandidate));

  find_phrases (self);

  for (guint q = 0; q < self->stats.n_queries; q++) {
    const float *row = self->logits + (gsize) q * self->n_tokens;
    GdinoCandidate candidate = {.query = q };

    if (!gdino_box_is_sound (self->boxes + (gsize) q * 4)
        || !score_row (self, row, &candidate.phrase, &candidate.score))
      self->stats.n_invalid++;
    else if (!(candidate.score > self->params->box_threshold))
      self->stats.n_below++;
    else if (place_box (self, q, &candidate.box))
      g_array_append_val (candidates, candidate);
  }
  return candidates;
}

GdinoDetections *
gdino_decode (const float *logits, const float *boxes, guint n_queries,
    GdinoPrompt * prompt, const GdinoLetterbox * letterbox,
    const GdinoDecodeParams * params)
{
  Decoder self = {
    .logits = logits,
    .boxes = boxes,
    .n_tokens = gdino_prompt_get_n_tokens (prompt),
    .n_phrases = gdino_prompt_get_n_phrases (prompt),
    .prompt = prompt,
    .letterbox = letterbox,
    .params = params,
    .box_cut = logit_cut (params->box_threshold),
    .text_cut = logit_cut (params->text_threshold),
    .seen_cut = logit_cut (0),
    .stats.n_queries = n_queries,
  };
  g_autoptr (GArray) candidates = collect_candidates (&self);
  GdinoCandidate *best = (GdinoCandidate *) candidates->data;
  guint n = candidates->len;

  gdino_candidates_sort (best, n);
  if (params->nms != GDINO_NMS_OFF) {
    guint kept = (guint) gdino_nms (best, n, params->iou_threshold,
        params->nms == GDINO_NMS_PHRASE);

    self.stats.n_suppressed = n - kept;
    n = kept;
  }
  if (n > params->max_detections) {
    self.stats.n_cut = n - params->max_detections;
    n = params->max_detections;
  }
  return build_result (&self, best, n);
}
