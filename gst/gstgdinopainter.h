/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* From mapped frames of any raw format to RGB of another size, as close to the
 * reference's scaling as GStreamer's own scaler and converter come. */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/**
 * GstGdinoPainter:
 *
 * Thread-safety: Unsafe; the streaming thread's.
 */
typedef struct _GstGdinoPainter GstGdinoPainter;

/**
 * gst_gdino_painter_new:
 * @info: what is read, progressive
 * @width: of what is painted, in pixels
 * @height: as @width
 * @error: return location for a #GError
 *
 * Returns: (transfer full) (nullable): %NULL when GStreamer cannot convert the
 *   format, or without memory
 */
GstGdinoPainter *gst_gdino_painter_new (const GstVideoInfo * info,
    gint width, gint height, GError ** error);

/** gst_gdino_painter_free: @self (transfer full) (nullable) */
void gst_gdino_painter_free (GstGdinoPainter * self);

/**
 * gst_gdino_painter_run:
 * @from: a frame of the kind the painter was made for
 * @to: an RGB frame of its width and height; every pixel is written
 */
void gst_gdino_painter_run (GstGdinoPainter * self,
    const GstVideoFrame * from, GstVideoFrame * to);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstGdinoPainter, gst_gdino_painter_free)

G_END_DECLS
