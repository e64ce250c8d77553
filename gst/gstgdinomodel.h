/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* A model package, loaded. */
#pragma once

#include <gdino/gdino.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstGdinoModel:
 * @package: (nullable): the package
 * @engine: (nullable): its graphs, shared with others who use the package
 * @detector: (nullable): this stream's buffers; the streaming thread's
 *
 * All %NULL or none.
 */
typedef struct
{
  GdinoPackage *package;
  GdinoEngine *engine;
  GdinoDetector *detector;
} GstGdinoModel;

/**
 * gst_gdino_model_load:
 * @self: (out caller-allocates): untouched on failure
 * @folder: (nullable): the package
 * @device: (nullable): where to run; %NULL is "auto"
 * @error: return location for a #GError
 *
 * Blocks for as long as loading takes.
 */
gboolean gst_gdino_model_load (GstGdinoModel * self, const gchar * folder,
    const gchar * device, GError ** error);

/** gst_gdino_model_clear: releases what @self holds; may hold nothing */
void gst_gdino_model_clear (GstGdinoModel * self);

G_END_DECLS
