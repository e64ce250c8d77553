/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* From single frames to the inputs of a frame graph that takes B at once. */
#pragma once

#include <glib.h>

#include "engine-private.h"
#include "graph.h"

G_BEGIN_DECLS

#define GDINO_BATCH_N_INPUTS 5

/* @info: of the frame graph; must outlive the batch. Thread-safety: Unsafe. */
GdinoBatch *gdino_batch_new (const GdinoGraphInfo * info);

/* @self: (nullable) */
void gdino_batch_free (GdinoBatch * self);

/* Fills @inputs with 1 to B frames. Of a graph for one frame they point at the
 * frame's own memory wherever its rows touch; else at buffers of @self, which
 * are good until the next call. Slots beyond @n have the text of the first
 * frame and whatever picture they had, so that they hold sound numbers. */
void gdino_batch_fill (GdinoBatch * self, const GdinoEngineFrame * frames,
    guint n, GdinoTensor inputs[GDINO_BATCH_N_INPUTS]);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GdinoBatch, gdino_batch_free)

G_END_DECLS
