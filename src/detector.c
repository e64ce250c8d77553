/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Wires engine, prompt and decoding. No algorithm of its own. */

#include <gdino/detector.h>
#include <gdino/error.h>
#include <string.h>

#include "decode.h"
#include "engine-private.h"

struct _GdinoDetector
{
  GdinoEngine *engine;
  guint canvas_width;
  guint canvas_height;
  guint n_queries;
  guint n_tokens;

  /* Reused from frame to frame. */
  guint8 *packed;               /* rows without padding, made on first need */
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
  self->logits = g_new (float, (gsize) self->n_queries * self->n_tokens);
  self->boxes = g_new (float, (gsize) self->n_queries * 4);
  return self;
}

void
gdino_detector_free (GdinoDetector * self)
{
  if (self == NULL)
    return;

  g_free (self->packed);
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
check_arguments (GdinoDetector * self, gsize stride,
    const GdinoLetterbox * letterbox, GdinoPrompt * prompt,
    const GdinoDecodeParams * params, GError ** error)
{
  if (stride < (gsize) self->canvas_width * 3) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "stride is %" G_GSIZE_FORMAT " bytes, must be at least %u for a canvas "
        "%u pixels wide", stride, self->canvas_width * 3, self->canvas_width);
    return FALSE;
  }
  if (!check_letterbox (self, letterbox, error)
      || !gdino_decode_params_check (params, error))
    return FALSE;
  if (gdino_prompt_get_n_tokens (prompt) != self->n_tokens) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "prompt is made for %u tokens, the package has %u",
        gdino_prompt_get_n_tokens (prompt), self->n_tokens);
    return FALSE;
  }
  return TRUE;
}

/* The canvas with rows that touch, as the graph reads them. */
static const guint8 *
pack_rows (GdinoDetector * self, const guint8 * canvas, gsize stride)
{
  gsize row = (gsize) self->canvas_width * 3;

  if (stride == row)
    return canvas;

  if (self->packed == NULL)
    self->packed = g_malloc (row * self->canvas_height);
  for (guint y = 0; y < self->canvas_height; y++)
    memcpy (self->packed + y * row, canvas + y * stride, row);
  return self->packed;
}

GdinoDetections *
gdino_detector_detect (GdinoDetector * self, const guint8 * canvas,
    gsize stride, const GdinoLetterbox * letterbox, GdinoPrompt * prompt,
    const GdinoDecodeParams * params, GdinoTimings * timings, GError ** error)
{
  g_autoptr (GdinoTextFeatures) text = NULL;
  GdinoDetections *detections;
  GdinoTimings spent = { 0 };
  gint64 start, end;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (canvas != NULL, NULL);
  g_return_val_if_fail (letterbox != NULL, NULL);
  g_return_val_if_fail (prompt != NULL, NULL);
  g_return_val_if_fail (params != NULL, NULL);

  if (!check_arguments (self, stride, letterbox, prompt, params, error))
    return NULL;

  if (gdino_prompt_is_empty (prompt)) {
    if (timings != NULL)
      *timings = spent;
    return gdino_detections_new_empty (prompt);
  }

  text = gdino_engine_get_text (self->engine, prompt, &spent.text_us, error);
  if (text == NULL)
    return NULL;

  start = g_get_monotonic_time ();
  if (!gdino_engine_run_frame (self->engine,
          pack_rows (self, canvas, stride), text, prompt, self->logits,
          self->boxes, error))
    return NULL;
  end = g_get_monotonic_time ();
  spent.graph_us = end - start;

  detections = gdino_decode (self->logits, self->boxes, self->n_queries,
      prompt, letterbox, params);
  spent.decode_us = g_get_monotonic_time () - end;
  if (timings != NULL)
    *timings = spent;
  return detections;
}
