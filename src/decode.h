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

/* A result with no boxes, for an empty prompt. */
GdinoDetections *gdino_detections_new_empty (GdinoPrompt * prompt);

G_END_DECLS
