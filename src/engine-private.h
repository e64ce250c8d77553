/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Running an engine's graphs; for detector.c and probe.c. */
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

/* One frame of a run; everything is borrowed. */
typedef struct
{
  const guint8 *canvas;         /* RGB, as many rows as the canvas is high */
  gsize stride;                 /* bytes from row to row */
  GdinoTextFeatures *text;      /* what the text graph made of @prompt */
  GdinoPrompt *prompt;
} GdinoEngineFrame;

/* Buffers between frames and graph, see batch.h; one for each thread. */
typedef struct _GdinoBatch GdinoBatch;

/* One run of the frame graph with 1 to B frames. @logits: B x Q x T floats and
 * @boxes: B x Q x 4 floats of the caller; those of slots beyond @n mean
 * nothing. Thread-safety: Safe; waits for its turn. */
gboolean gdino_engine_run_frames (GdinoEngine * self, GdinoBatch * batch,
    const GdinoEngineFrame * frames, guint n, float *logits, float *boxes,
    GError ** error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GdinoTextFeatures, gdino_text_features_unref)

G_END_DECLS
