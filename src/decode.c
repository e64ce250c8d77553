/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Takes the queries that pass the thresholds, applies NMS, and turns what is left
 * into frame pixels. */

#include "decode.h"

#include "boxes.h"
#include "detections.h"
#include "nms.h"
#include "score.h"

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
  GdinoScorer scorer;

  GArray *candidates;           /* GdinoCandidate */
  GArray *classes;              /* GdinoClass */
  GdinoDecodeStats stats;
};

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
  for (guint p = self->scorer.first_phrase; p < self->scorer.last_phrase; p++) {
    GdinoClass other = {.phrase = p };

    if (p != candidate->phrase
        && gdino_scorer_score_class (&self->scorer, row, p, &other.score))
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

GdinoDecoder *
gdino_decoder_new (GdinoPrompt * prompt, const GdinoLetterbox * letterbox,
    const GdinoDecodeParams * params)
{
  GdinoDecoder *self = g_new0 (GdinoDecoder, 1);

  self->prompt = prompt;
  self->letterbox = letterbox;
  self->params = params;
  self->n_tokens = gdino_prompt_get_n_tokens (prompt);
  gdino_scorer_init (&self->scorer, prompt, params);
  self->candidates = g_array_new (FALSE, FALSE, sizeof (GdinoCandidate));
  self->classes = g_array_new (FALSE, FALSE, sizeof (GdinoClass));
  return self;
}

void
gdino_decoder_free (GdinoDecoder * self)
{
  if (self == NULL)
    return;
  g_array_unref (self->candidates);
  g_clear_pointer (&self->classes, g_array_unref);
  gdino_scorer_clear (&self->scorer);
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
  gdino_scorer_begin (&self->scorer, self->prompt, self->n_passes++);
  self->stats.n_queries += n_queries;
  for (guint q = 0; q < n_queries; q++) {
    const float *row = logits + (gsize) q * self->n_tokens;
    GdinoCandidate candidate = {.query = before + q };

    if (!gdino_box_is_sound (boxes + (gsize) q * 4)
        || !gdino_scorer_score_row (&self->scorer, row, &candidate.phrase,
            &candidate.score)) {
      self->stats.n_invalid++;
    } else if (candidate.score < 0) {
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

  self->stats.best_score = self->scorer.best_score;
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
