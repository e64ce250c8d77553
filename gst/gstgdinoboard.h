/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* A picture of our own, mapped for as long as it lives. */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/**
 * GstGdinoBoard:
 * @frame: valid while @mapped
 *
 * All zero: no picture.
 */
typedef struct
{
  GstVideoFrame frame;
  gboolean mapped;
} GstGdinoBoard;

/**
 * gst_gdino_board_init:
 * @self: (out caller-allocates): its pixels are not set
 * @info: kind and size of the picture
 * @error: return location for a #GError
 *
 * Returns: %FALSE without memory for it
 */
gboolean gst_gdino_board_init (GstGdinoBoard * self,
    const GstVideoInfo * info, GError ** error);

/** gst_gdino_board_clear: frees the picture, if there is one. */
void gst_gdino_board_clear (GstGdinoBoard * self);

G_END_DECLS
