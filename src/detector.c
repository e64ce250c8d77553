/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Wires engine, prompt and decoding. No algorithm of its own. */

#include <gdino/detector.h>
#include <gdino/error.h>
#include <string.h>

#include "batch.h"
#include "decode.h"
#include "engine-private.h"
#include "package-private.h"

struct _GdinoDetector
{
  GdinoEngine *engine;
  guint canvas_width;
  guint canvas_height;
  guint n_queries;
  guint n_tokens;
  guint n_slots;                /* B */

  /* Reused from run to run. */
  GdinoBatch *batch;
  GdinoEngineFrame *frames;     /* B of them */
  float *logits;
  float *boxes;
};

GdinoDetector *
gdino_detector_new (GdinoEngine * engine)
{
  GdinoDetector *self;
  GdinoPackage *package;

  g_return_val_if_fail (engine != NULL, NULL);

  self = g_new0 (GdinoDetector, 1);
  self->engine = gdino_engine_ref (engine);
  package = gdino_engine_get_package (engine);
  gdino_package_get_canvas (package, &self->canvas_width, &self->canvas_height);
  self->n_queries = gdino_package_get_queries (package);
  self->n_tokens = gdino_package_get_text_tokens (package);
  self->n_slots = gdino_package_get_batch (package);
  self->batch = gdino_batch_new (gdino_package_get_frame_graph (package));
  self->frames = g_new0 (GdinoEngineFrame, self->n_slots);
  self->logits = g_new (float, (gsize) self->n_slots * self->n_queries
      * self->n_tokens);
  self->boxes = g_new (float, (gsize) self->n_slots * self->n_queries * 4);
  return self;
}

void
gdino_detector_free (GdinoDetector * self)
{
  if (self == NULL)
    return;

  gdino_batch_free (self->batch);
  g_free (self->frames);
  g_free (self->logits);
  g_free (self->boxes);
  gdino_engine_unref (self->engine);
  g_free (self);
}

GdinoEngine *
gdino_detector_get_engine (GdinoDetector * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->engine;
}

GdinoPrompt *
gdino_detector_make_prompt (GdinoDetector * self, const char *text,
    GError ** error)
{
  GdinoPackage *package;

  g_return_val_if_fail (self != NULL, NULL);

  package = gdino_engine_get_package (self->engine);
  return gdino_prompt_new (gdino_package_get_tokenizer (package), text,
      self->n_tokens, error);
}

/* The picture must lie on the canvas, or boxes would be scaled by nonsense. */
static gboolean
check_letterbox (GdinoDetector * self, const GdinoLetterbox * letterbox,
    GError ** error)
{
  if (letterbox->canvas_width != self->canvas_width
      || letterbox->canvas_height != self->canvas_height) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "letterbox is for a canvas of %ux%u, the package's is %ux%u",
        letterbox->canvas_width, letterbox->canvas_height, self->canvas_width,
        self->canvas_height);
    return FALSE;
  }
  if (letterbox->width < 1 || letterbox->height < 1
      || letterbox->width > letterbox->canvas_width
      || letterbox->height > letterbox->canvas_height
      || letterbox->x > letterbox->canvas_width - letterbox->width
      || letterbox->y > letterbox->canvas_height - letterbox->height
      || letterbox->frame_width < 1 || letterbox->frame_width > 65536
      || letterbox->frame_height < 1 || letterbox->frame_height > 65536) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "letterbox puts a frame of %ux%u as %ux%u at %u,%u, which is not "
        "inside the canvas of %ux%u", letterbox->frame_width,
        letterbox->frame_height, letterbox->width, letterbox->height,
        letterbox->x, letterbox->y, self->canvas_width, self->canvas_height);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_frame (GdinoDetector * self, const GdinoFrame * frame, GError ** error)
{
  if (frame->stride < (gsize) self->canvas_width * 3) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "stride is %" G_GSIZE_FORMAT " bytes, must be at least %u for a canvas "
        "%u pixels wide", frame->stride, self->canvas_width * 3,
        self->canvas_width);
    return FALSE;
  }
  if (!check_letterbox (self, frame->letterbox, error))
    return FALSE;
  if (gdino_prompt_get_n_tokens (frame->prompt) != self->n_tokens) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "prompt is made for %u tokens, the package has %u",
        gdino_prompt_get_n_tokens (frame->prompt), self->n_tokens);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_arguments (GdinoDetector * self, const GdinoFrame * frames, guint n,
    const GdinoDecodeParams * params, GError ** error)
{
  if (n < 1 || n > self->n_slots) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "found %u frames, wanted 1 to %u, the batch of the package", n,
        self->n_slots);
    return FALSE;
  }
  for (guint i = 0; i < n; i++)
    if (!check_frame (self, &frames[i], error))
      return FALSE;
  return gdino_decode_params_check (params, error);
}

/* Puts the frames whose prompts are not empty into slots, with their text.
 * @n_used: (out): how many slots. Their texts must be released in any case. */
static gboolean
collect (GdinoDetector * self, const GdinoFrame * frames, guint n,
    guint * n_used, gint64 * text_us, GError ** error)
{
  guint used = 0;

  *n_used = 0;
  for (guint i = 0; i < n; i++) {
    GdinoEngineFrame *slot = &self->frames[used];
    gint64 elapsed;

    if (gdino_prompt_is_empty (frames[i].prompt))
      continue;
    slot->canvas = frames[i].canvas;
    slot->stride = frames[i].stride;
    slot->prompt = frames[i].prompt;
    slot->text = gdino_engine_get_text (self->engine, slot->prompt, &elapsed,
        error);
    if (slot->text == NULL)
      return FALSE;
    *text_us += elapsed;
    *n_used = ++used;
  }
  return TRUE;
}

static void
decode (GdinoDetector * self, const GdinoFrame * frames, guint n,
    const GdinoDecodeParams * params, GdinoDetections ** found)
{
  const gsize n_logits = (gsize) self->n_queries * self->n_tokens;
  const gsize n_boxes = (gsize) self->n_queries * 4;
  guint slot = 0;

  for (guint i = 0; i < n; i++) {
    if (gdino_prompt_is_empty (frames[i].prompt)) {
      found[i] = gdino_detections_new_empty (frames[i].prompt);
    } else {
      found[i] = gdino_decode (self->logits + slot * n_logits,
          self->boxes + slot * n_boxes, self->n_queries, frames[i].prompt,
          frames[i].letterbox, params);
      slot++;
    }
  }
}

gboolean
gdino_detector_detect_batch (GdinoDetector * self, const GdinoFrame * frames,
    guint n_frames, const GdinoDecodeParams * params, GdinoDetections ** found,
    GdinoTimings * timings, GError ** error)
{
  GdinoTimings spent = { 0 };
  gint64 start, end;
  gboolean ok;
  guint n;

  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (frames != NULL, FALSE);
  g_return_val_if_fail (params != NULL, FALSE);
  g_return_val_if_fail (found != NULL, FALSE);

  if (!check_arguments (self, frames, n_frames, params, error))
    return FALSE;

  ok = collect (self, frames, n_frames, &n, &spent.text_us, error);
  start = end = g_get_monotonic_time ();
  if (ok && n > 0) {
    ok = gdino_engine_run_frames (self->engine, self->batch, self->frames, n,
        self->logits, self->boxes, error);
    end = g_get_monotonic_time ();
    spent.graph_us = end - start;
  }
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&self->frames[i].text, gdino_text_features_unref);
  if (!ok)
    return FALSE;

  decode (self, frames, n_frames, params, found);
  if (n > 0)
    spent.decode_us = g_get_monotonic_time () - end;
  if (timings != NULL)
    *timings = spent;
  return TRUE;
}

GdinoDetections *
gdino_detector_detect (GdinoDetector * self, const guint8 * canvas,
    gsize stride, const GdinoLetterbox * letterbox, GdinoPrompt * prompt,
    const GdinoDecodeParams * params, GdinoTimings * timings, GError ** error)
{
  const GdinoFrame frame = { canvas, stride, letterbox, prompt };
  GdinoDetections *found = NULL;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (canvas != NULL, NULL);
  g_return_val_if_fail (letterbox != NULL, NULL);
  g_return_val_if_fail (prompt != NULL, NULL);
  g_return_val_if_fail (params != NULL, NULL);

  if (!gdino_detector_detect_batch (self, &frame, 1, params, &found, timings,
          error))
    return NULL;
  return found;
}
