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
#include "textcache.h"

struct _GdinoDetector
{
  gatomicrefcount ref_count;
  GdinoEngine *engine;
  guint canvas_width;
  guint canvas_height;
  guint n_queries;
  guint n_tokens;
  guint n_slots;                /* B */

  /* Reused from run to run. */
  GdinoBatch *batch;
  GdinoEngineFrame *frames;     /* B of them */
  GdinoDecoder **decoders;      /* of the frames of a call, B of them */
  GdinoDecoder **targets;       /* of each slot */
  float *logits;
  float *boxes;

  /* Texts of the last prompt of several passes: together with others they could
   * push each other out of the engine's cache at every frame. */
  GdinoPrompt *held_prompt;     /* (nullable) */
  GPtrArray *held;              /* of GdinoTextFeatures, by pass */
};

GdinoDetector *
gdino_detector_new (GdinoEngine * engine)
{
  GdinoDetector *self;
  GdinoPackage *package;

  g_return_val_if_fail (engine != NULL, NULL);

  self = g_new0 (GdinoDetector, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->engine = gdino_engine_ref (engine);
  package = gdino_engine_get_package (engine);
  gdino_package_get_canvas (package, &self->canvas_width, &self->canvas_height);
  self->n_queries = gdino_package_get_queries (package);
  self->n_tokens = gdino_package_get_text_tokens (package);
  self->n_slots = gdino_package_get_batch (package);
  self->batch = gdino_batch_new (gdino_package_get_frame_graph (package));
  self->frames = g_new0 (GdinoEngineFrame, self->n_slots);
  self->decoders = g_new0 (GdinoDecoder *, self->n_slots);
  self->targets = g_new0 (GdinoDecoder *, self->n_slots);
  self->held = g_ptr_array_new_with_free_func
      ((GDestroyNotify) gdino_text_features_unref);
  self->logits = g_new (float, (gsize) self->n_slots * self->n_queries
      * self->n_tokens);
  self->boxes = g_new (float, (gsize) self->n_slots * self->n_queries * 4);
  return self;
}

GdinoDetector *
gdino_detector_ref (GdinoDetector * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
gdino_detector_free (GdinoDetector * self)
{
  gdino_detector_unref (self);
}

void
gdino_detector_unref (GdinoDetector * self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  gdino_batch_free (self->batch);
  g_free (self->frames);
  g_free (self->decoders);
  g_free (self->targets);
  g_clear_pointer (&self->held_prompt, gdino_prompt_unref);
  g_ptr_array_unref (self->held);
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
  return gdino_detector_make_prompt_split (self, text, 1, error);
}

GdinoPrompt *
gdino_detector_make_prompt_split (GdinoDetector * self, const char *text,
    guint max_passes, GError ** error)
{
  GdinoPackage *package;

  g_return_val_if_fail (self != NULL, NULL);

  package = gdino_engine_get_package (self->engine);
  return gdino_prompt_new_split (gdino_package_get_tokenizer (package), text,
      self->n_tokens, max_passes, error);
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
check_frame (GdinoDetector * self, const GdinoFrame * frame,
    const GdinoDecodeParams * params, GError ** error)
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
  if (params->phrase_rules != NULL && params->n_phrase_rules
      != gdino_prompt_get_n_phrases (frame->prompt)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "found rules for %u phrases, wanted %u, the phrases of the prompt",
        params->n_phrase_rules, gdino_prompt_get_n_phrases (frame->prompt));
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
    if (!check_frame (self, &frames[i], params, error))
      return FALSE;
  return gdino_decode_params_check (params, error);
}

static GdinoTextFeatures *
get_text (GdinoDetector * self, GdinoPrompt * prompt, guint pass,
    gint64 * text_us, GError ** error)
{
  GdinoTextFeatures *text;
  gint64 elapsed = 0;

  if (gdino_prompt_get_n_passes (prompt) == 1) {
    text = gdino_engine_get_text (self->engine, prompt, &elapsed, error);
    *text_us += elapsed;
    return text;
  }

  if (self->held_prompt != prompt) {
    g_ptr_array_set_size (self->held, 0);
    g_clear_pointer (&self->held_prompt, gdino_prompt_unref);
    self->held_prompt = gdino_prompt_ref (prompt);
  }
  /* Passes come in order. */
  if (pass == self->held->len) {
    text = gdino_engine_get_text (self->engine,
        gdino_prompt_get_pass (prompt, pass), &elapsed, error);
    if (text == NULL)
      return NULL;
    *text_us += elapsed;
    g_ptr_array_add (self->held, text);
  }
  return gdino_text_features_ref (g_ptr_array_index (self->held, pass));
}

/* Runs the frame graph for the slots that are filled, empties them, and reads
 * the numbers. */
static gboolean
run_slots (GdinoDetector * self, guint n, GdinoTimings * spent, GError ** error)
{
  const gsize n_logits = (gsize) self->n_queries * self->n_tokens;
  const gsize n_boxes = (gsize) self->n_queries * 4;
  const gint64 start = g_get_monotonic_time ();
  const gboolean ok = gdino_engine_run_frames (self->engine, self->batch,
      self->frames, n, self->logits, self->boxes, error);
  const gint64 end = g_get_monotonic_time ();

  for (guint i = 0; i < n; i++)
    g_clear_pointer (&self->frames[i].text, gdino_text_features_unref);
  if (!ok)
    return FALSE;
  for (guint i = 0; i < n; i++)
    gdino_decoder_add (self->targets[i], self->logits + i * n_logits,
        self->boxes + i * n_boxes, self->n_queries);
  spent->graph_us += end - start;
  spent->decode_us += g_get_monotonic_time () - end;
  return TRUE;
}

/* Every pass of every frame, as many at a time as there are slots. */
static gboolean
run_frames (GdinoDetector * self, const GdinoFrame * frames, guint n,
    GdinoTimings * spent, GError ** error)
{
  guint used = 0;

  for (guint i = 0; i < n; i++) {
    GdinoPrompt *prompt = frames[i].prompt;

    if (gdino_prompt_is_empty (prompt))
      continue;
    for (guint p = 0; p < gdino_prompt_get_n_passes (prompt); p++) {
      GdinoEngineFrame *slot = &self->frames[used];

      slot->canvas = frames[i].canvas;
      slot->stride = frames[i].stride;
      slot->prompt = gdino_prompt_get_pass (prompt, p);
      slot->text = get_text (self, prompt, p, &spent->text_us, error);
      if (slot->text == NULL) {
        while (used > 0)
          g_clear_pointer (&self->frames[--used].text,
              gdino_text_features_unref);
        return FALSE;
      }
      self->targets[used++] = self->decoders[i];
      if (used == self->n_slots) {
        used = 0;
        if (!run_slots (self, self->n_slots, spent, error))
          return FALSE;
      }
    }
  }
  return used == 0 || run_slots (self, used, spent, error);
}

/* Texts of a prompt that nobody asks for any more. */
static void
drop_held (GdinoDetector * self, const GdinoFrame * frames, guint n)
{
  for (guint i = 0; i < n; i++)
    if (gdino_prompt_get_n_passes (frames[i].prompt) > 1)
      return;
  g_ptr_array_set_size (self->held, 0);
  g_clear_pointer (&self->held_prompt, gdino_prompt_unref);
}

gboolean
gdino_detector_detect_batch (GdinoDetector * self, const GdinoFrame * frames,
    guint n_frames, const GdinoDecodeParams * params, GdinoDetections ** found,
    GdinoTimings * timings, GError ** error)
{
  GdinoTimings spent = { 0 };
  gint64 start;
  gboolean ok;

  g_return_val_if_fail (self != NULL, FALSE);
  g_return_val_if_fail (frames != NULL, FALSE);
  g_return_val_if_fail (params != NULL, FALSE);
  g_return_val_if_fail (found != NULL, FALSE);

  if (!check_arguments (self, frames, n_frames, params, error))
    return FALSE;

  for (guint i = 0; i < n_frames; i++)
    self->decoders[i] = gdino_decoder_new (frames[i].prompt,
        frames[i].letterbox, params);
  drop_held (self, frames, n_frames);
  ok = run_frames (self, frames, n_frames, &spent, error);
  start = g_get_monotonic_time ();
  for (guint i = 0; i < n_frames; i++) {
    GdinoDecoder *decoder = g_steal_pointer (&self->decoders[i]);

    if (ok)
      found[i] = gdino_decoder_finish (decoder);
    else
      gdino_decoder_free (decoder);
  }
  if (!ok)
    return FALSE;
  if (spent.graph_us > 0)
    spent.decode_us += g_get_monotonic_time () - start;
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

GdinoDetections *
gdino_detector_detect_bytes (GdinoDetector * self, GBytes * canvas,
    gsize stride, const GdinoLetterbox * letterbox, GdinoPrompt * prompt,
    const GdinoDecodeParams * params, GdinoTimings * timings, GError ** error)
{
  gsize wanted;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (canvas != NULL, NULL);

  /* The last row may end with its pixels. A stride beyond 32 bits could overflow;
   * no bytes are enough for it. */
  wanted = MIN (stride, G_MAXUINT32) * (self->canvas_height - 1)
      + (gsize) self->canvas_width * 3;
  if (g_bytes_get_size (canvas) < wanted) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "canvas: found %" G_GSIZE_FORMAT " bytes, wanted at least %"
        G_GSIZE_FORMAT " for %ux%u pixels, %" G_GSIZE_FORMAT " bytes a row",
        g_bytes_get_size (canvas), wanted, self->canvas_width,
        self->canvas_height, stride);
    return NULL;
  }
  return gdino_detector_detect (self, g_bytes_get_data (canvas, NULL), stride,
      letterbox, prompt, params, timings, error);
}
