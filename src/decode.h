/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* From the frame graph's logits and boxes to detections. No tensor library,
 * no GStreamer. */
#pragma once

#include <gdino/detection.h>
#include <gdino/letterbox.h>
#include <glib.h>

G_BEGIN_DECLS

/* @logits: n_queries x T floats, row-major, -inf where masked; @boxes:
 * n_queries x 4 floats, cx cy w h in 0..1 of the canvas. T is the prompt's.
 * @params must have passed gdino_decode_params_check().
 * Returns: (transfer full): never NULL. Thread-safety: Safe. */
GdinoDetections *gdino_decode (const float *logits, const float *boxes,
    guint n_queries, GdinoPrompt * prompt, const GdinoLetterbox * letterbox,
    const GdinoDecodeParams * params);

/* The same for a prompt of several passes, whose rows come one pass after the
 * other. Everything is borrowed until gdino_decoder_finish(), but for the numbers
 * of a pass when there are several: those are read at once. */
typedef struct _GdinoDecoder GdinoDecoder;

/* Returns: (transfer full): never NULL. Thread-safety: Unsafe. */
GdinoDecoder *gdino_decoder_new (GdinoPrompt * prompt,
    const GdinoLetterbox * letterbox, const GdinoDecodeParams * params);

/* The next pass. @logits and @boxes: as above. */
void gdino_decoder_add (GdinoDecoder * self, const float *logits,
    const float *boxes, guint n_queries);

/* @self: (transfer full) (nullable): for when it is not finished */
void gdino_decoder_free (GdinoDecoder * self);

/* @self: (transfer full). Returns: (transfer full): never NULL */
GdinoDetections *gdino_decoder_finish (GdinoDecoder * self);

G_END_DECLS
