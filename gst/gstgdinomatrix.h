/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The last step to RGB, on the few pixels of a canvas. GstVideoConverter does it
 * in 8 bits, a level or two off, more than all else together. */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/**
 * GstGdinoMatrix:
 * @rgb: the components are red, green and blue; only @offset and @luma count
 * @deep: they have 16 bits
 * @offset: of luma, or of all of @rgb
 * @luma: factors times 65536, as the rest
 * @red_v: what V adds to red
 * @green_u: what U adds to green
 * @green_v: what V adds to green
 * @blue_u: what U adds to blue
 */
typedef struct
{
  gboolean rgb;
  gboolean deep;
  gint32 offset;
  gint32 luma;
  gint32 red_v;
  gint32 green_u;
  gint32 green_v;
  gint32 blue_u;
} GstGdinoMatrix;

/**
 * gst_gdino_matrix_init:
 * @info: a format with 8 or 16 bits for each of three components or more, with
 *   its colorimetry
 *
 * Returns: %FALSE when @info is YUV of which the matrix is not known
 */
gboolean gst_gdino_matrix_init (GstGdinoMatrix * self,
    const GstVideoInfo * info);

/**
 * gst_gdino_matrix_convert:
 * @from: a frame of the kind of @self, with a sample for each pixel; 16 bits are
 *   8 bits times 257
 * @to: an RGB frame of the same size
 *
 * R = Y + 2 (1 - Kr) V, B = Y + 2 (1 - Kb) U, and G so that Kr R + Kg G + Kb B = Y
 * (ITU-R BT.601 and BT.709), rounded.
 */
void gst_gdino_matrix_convert (const GstGdinoMatrix * self,
    const GstVideoFrame * from, GstVideoFrame * to);

G_END_DECLS
