/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Runs a probe and judges what the graphs gave. Knows no file. */

#include "probe-private.h"

#include <math.h>

#include "batch.h"
#include "engine-private.h"
#include "package-private.h"

/* How far a query is from a detection. */
typedef struct
{
  double score;
  double box;                   /* of the number that differs most */
} Distance;

/* Largest sigmoid of the phrase's own tokens; counts unsound logits. */
static double
phrase_score (const GdinoProbe * self, const float *row,
    const GdinoPhrase * phrase, guint * n_invalid)
{
  float best = -INFINITY;

  for (guint t = phrase->token_start; t < phrase->token_end; t++) {
    *n_invalid += isnan (row[t])
        || (self->n_detections == 0 && isinf (row[t])) ? 1 : 0;
    best = MAX (best, row[t]);
  }
  return 1 / (1 + exp (-(double) best));
}

/* Fills @scores, queries x phrases. */
static void
score (const GdinoProbe * self, const float *logits, guint n_queries,
    double *scores, GdinoProbeReport * report)
{
  const guint n_phrases = gdino_prompt_get_n_phrases (self->prompt);
  const guint n_tokens = gdino_prompt_get_n_tokens (self->prompt);

  for (guint q = 0; q < n_queries; q++) {
    for (guint p = 0; p < n_phrases; p++, scores++) {
      *scores = phrase_score (self, logits + (gsize) q * n_tokens,
          gdino_prompt_get_phrase (self->prompt, p), &report->n_invalid);
      report->highest_score = MAX (report->highest_score, *scores);
    }
  }
}

static void
check_boxes (const GdinoProbe * self, const float *boxes, guint n_queries,
    GdinoProbeReport * report)
{
  for (gsize i = 0; i < (gsize) n_queries * 4; i++)
    if (isnan (boxes[i]) || (self->n_detections == 0
            && !(boxes[i] >= 0 && boxes[i] <= 1)))
      report->n_invalid++;
}

/* Where several queries fit, the one that fits best, each difference taken by
 * its tolerance. */
static Distance
find_nearest (const GdinoProbe * self, guint index, const double *scores,
    const float *boxes, guint n_queries)
{
  const GdinoProbeDetection *wanted = &self->detections[index];
  const guint n_phrases = gdino_prompt_get_n_phrases (self->prompt);
  Distance nearest = { INFINITY, INFINITY };
  double least = INFINITY;

  for (guint q = 0; q < n_queries; q++) {
    Distance d = { 0, 0 };
    double far;

    d.score = fabs (scores[(gsize) q * n_phrases + self->phrases[index]]
        - wanted->score);
    for (guint k = 0; k < 4; k++)
      d.box = MAX (d.box, fabs ((double) boxes[(gsize) q * 4 + k]
              - wanted->box[k]));
    far = MAX (d.score / self->score, d.box / self->box);
    if (far < least) {
      least = far;
      nearest = d;
    }
  }
  return nearest;
}

void
gdino_probe_judge (const GdinoProbe * self, const float *logits,
    const float *boxes, guint n_queries, GdinoProbeReport * report)
{
  g_autofree double *scores = g_new (double, (gsize) n_queries
      * gdino_prompt_get_n_phrases (self->prompt));
  guint n_found = 0;

  score (self, logits, n_queries, scores, report);
  check_boxes (self, boxes, n_queries, report);
  for (guint i = 0; i < self->n_detections; i++) {
    const Distance d = find_nearest (self, i, scores, boxes, n_queries);

    if (d.score <= self->score && d.box <= self->box) {
      n_found++;
      report->score_difference = MAX (report->score_difference, d.score);
      report->box_difference = MAX (report->box_difference, d.box);
    } else if (report->missing < 0 || (gint) i < report->missing) {
      report->missing = (gint) i;
      report->missing_score_difference = d.score;
      report->missing_box_difference = d.box;
    }
  }
  report->n_found = report->n_pictures == 0 ? n_found
      : MIN (report->n_found, n_found);
  report->n_pictures++;
}

static gboolean
run (GdinoProbe * self, GdinoEngine * engine, float *logits, float *boxes,
    GError ** error)
{
  GdinoPackage *package = gdino_engine_get_package (engine);
  const guint n = gdino_package_get_batch (package);
  g_autoptr (GdinoTextFeatures) text =
      gdino_engine_get_text (engine, self->prompt, NULL, error);
  g_autoptr (GdinoBatch) batch = NULL;
  g_autofree GdinoEngineFrame *frames = g_new (GdinoEngineFrame, n);
  g_autofree guint8 *canvas = NULL;
  guint width, height;

  if (text == NULL)
    return FALSE;
  gdino_package_get_canvas (package, &width, &height);
  canvas = g_malloc ((gsize) width * height * 3);
  gdino_probe_draw (canvas, width, height);
  for (guint i = 0; i < n; i++) {
    frames[i].canvas = canvas;
    frames[i].stride = (gsize) width *3;
    frames[i].text = text;
    frames[i].prompt = self->prompt;
  }
  batch = gdino_batch_new (gdino_package_get_frame_graph (package));
  return gdino_engine_run_frames (engine, batch, frames, n, logits, boxes,
      error);
}

gboolean
gdino_probe_run (GdinoProbe * self, GdinoEngine * engine,
    GdinoProbeReport * report, GError ** error)
{
  GdinoPackage *package;
  GdinoProbeReport result = {.missing = -1,.highest_allowed = 1 };
  g_autofree float *logits = NULL;
  g_autofree float *boxes = NULL;
  guint n_queries, n_tokens, n_pictures;

  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (engine != NULL, FALSE);
  g_return_val_if_fail (report != NULL, FALSE);

  package = gdino_engine_get_package (engine);
  n_pictures = gdino_package_get_batch (package);
  n_queries = gdino_package_get_queries (package);
  n_tokens = gdino_package_get_text_tokens (package);
  logits = g_new (float, (gsize) n_pictures * n_queries * n_tokens);
  boxes = g_new (float, (gsize) n_pictures * n_queries * 4);
  if (!run (self, engine, logits, boxes, error))
    return FALSE;

  result.n_detections = self->n_detections;
  result.n_needed = (guint) ceil (self->share * self->n_detections - 1e-6);
  if (self->n_detections > 0)
    result.highest_allowed = self->detections[0].score + self->score;
  for (guint i = 0; i < n_pictures; i++)
    gdino_probe_judge (self, logits + (gsize) i * n_queries * n_tokens,
        boxes + (gsize) i * n_queries * 4, n_queries, &result);
  result.passed = result.n_found >= result.n_needed && result.n_invalid == 0
      && result.highest_score <= result.highest_allowed;
  *report = result;
  return TRUE;
}
