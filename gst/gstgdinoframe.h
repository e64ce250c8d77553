/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* From a buffer of any raw format to the RGB canvas of the model. Knows no
 * detector; a painter does colours and scaling. */
#pragma once

#include <gdino/gdino.h>
#include <gst/gst.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/**
 * GstGdinoFrame:
 *
 * A converter for frames of one kind, and the canvas it fills.
 * Thread-safety: Unsafe; the streaming thread's.
 */
typedef struct _GstGdinoFrame GstGdinoFrame;

/**
 * gst_gdino_frame_new:
 * @info: what the caps say of the frames
 * @canvas_width: canvas size in pixels
 * @canvas_height: canvas size in pixels
 * @pad: RGB colour around the picture
 * @error: return location for a #GError
 *
 * Interleaved and mixed frames are read as they lie, both fields at once.
 *
 * Returns: (transfer full) (nullable): %NULL when the frames cannot be read
 *   (fields in separate pictures, sizes beyond what the letterbox takes)
 */
GstGdinoFrame *gst_gdino_frame_new (const GstVideoInfo * info,
    guint canvas_width, guint canvas_height, const guint8 pad[3],
    GError ** error);

/** gst_gdino_frame_free: @self (transfer full) (nullable) */
void gst_gdino_frame_free (GstGdinoFrame * self);

/**
 * gst_gdino_frame_load:
 * @buffer: a frame; strides and offsets of its GstVideoMeta are honoured
 * @error: return location for a #GError
 *
 * Converts @buffer to the canvas. The canvas is undefined after a failure.
 *
 * Returns: %FALSE when the memory cannot be mapped, is too small, or is
 *   described in contradiction to the caps
 */
gboolean gst_gdino_frame_load (GstGdinoFrame * self, GstBuffer * buffer,
    GError ** error);

/** gst_gdino_frame_get_canvas: @stride (out): bytes from row to row. Returns: (transfer none): RGB bytes */
const guint8 *gst_gdino_frame_get_canvas (GstGdinoFrame * self,
    gsize * stride);

/** gst_gdino_frame_get_letterbox: Returns: (transfer none): where the frame lies on the canvas */
const GdinoLetterbox *gst_gdino_frame_get_letterbox (GstGdinoFrame * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstGdinoFrame, gst_gdino_frame_free)

G_END_DECLS
