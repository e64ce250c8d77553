/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The last step from YUV to RGB, on the few pixels of a canvas. GstVideoConverter
 * does it in 8 bits, a level or two off, more than all else together. */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/**
 * GstGdinoMatrix:
 * @offset: of luma
 * @luma: factors times 65536, as the rest
 * @red_v: what V adds to red
 * @green_u: what U adds to green
 * @green_v: what V adds to green
 * @blue_u: what U adds to blue
 */
typedef struct
{
  gint32 offset;
  gint32 luma;
  gint32 red_v;
  gint32 green_u;
  gint32 green_v;
  gint32 blue_u;
} GstGdinoMatrix;

/**
 * gst_gdino_matrix_init:
 * @info: a format with 8 bits a component, with its colorimetry
 *
 * Returns: %FALSE when @info is no YUV, or its matrix is not known
 */
gboolean gst_gdino_matrix_init (GstGdinoMatrix * self,
    const GstVideoInfo * info);

/**
 * gst_gdino_matrix_convert:
 * @from: a frame of three components of 8 bits with a sample for each pixel
 * @to: an RGB frame of the same size
 *
 * R = Y + 2 (1 - Kr) V, B = Y + 2 (1 - Kb) U, and G so that Kr R + Kg G + Kb B = Y
 * (ITU-R BT.601 and BT.709), rounded.
 */
void gst_gdino_matrix_convert (const GstGdinoMatrix * self,
    const GstVideoFrame * from, GstVideoFrame * to);

G_END_DECLS
