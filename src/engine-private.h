/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Running an engine's graphs; for detector.c only. */
#pragma once

#include <gdino/engine.h>
#include <gdino/prompt.h>
#include <glib.h>

G_BEGIN_DECLS

/* Text features of one prompt: immutable, reference counted, cached by the
 * engine by token ids. */
typedef struct _GdinoTextFeatures GdinoTextFeatures;

void gdino_text_features_unref (GdinoTextFeatures * self);

/* From the cache, or one run of the text graph. @elapsed_us: (out) (nullable)
 * 0 when cached. Thread-safety: Safe. */
GdinoTextFeatures *gdino_engine_get_text (GdinoEngine * self,
    GdinoPrompt * prompt, gint64 * elapsed_us, GError ** error);

/* One run of the frame graph. @canvas: packed RGB, height x width x 3 bytes;
 * @logits: Q x T floats and @boxes: Q x 4 floats of the caller.
 * Thread-safety: Safe; waits for its turn. */
gboolean gdino_engine_run_frame (GdinoEngine * self, const guint8 * canvas,
    GdinoTextFeatures * text, GdinoPrompt * prompt, float *logits,
    float *boxes, GError ** error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GdinoTextFeatures, gdino_text_features_unref)

G_END_DECLS
