/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The filter of GStreamer's that comes closest to the reference's. */
#pragma once

#include <gst/video/video.h>

G_BEGIN_DECLS

/**
 * GstGdinoKernel:
 * @method: linear or cubic
 * @n_taps: of the source for each pixel; 0 for GStreamer's own choice
 * @b: of a cubic filter, as @c (Mitchell and Netravali, 1988)
 * @c: see @b
 *
 * Models are trained on pictures shrunk by a triangle as wide as the scale says
 * (Pillow's BILINEAR, torchvision's antialias). GStreamer's linear filter is a
 * triangle as wide as its whole number of taps, up to a fifth too wide between
 * scales of 1 and 3, and not centred when the number is odd. A cubic filter with
 * an even number of taps can be fitted to the triangle by @b and @c.
 */
typedef struct
{
  GstVideoResamplerMethod method;
  guint n_taps;
  gdouble b;
  gdouble c;
} GstGdinoKernel;

/** gst_gdino_kernel_init: @from, @to: pixels along the axis, at least 1 */
void gst_gdino_kernel_init (GstGdinoKernel * self, gint from, gint to);

/** gst_gdino_kernel_equal: whether both do the same to their axes */
gboolean gst_gdino_kernel_equal (const GstGdinoKernel * one,
    const GstGdinoKernel * two);

/**
 * gst_gdino_kernel_get_options:
 *
 * Returns: (transfer full): what #GstVideoScaler and #GstVideoConverter read
 */
GstStructure *gst_gdino_kernel_get_options (const GstGdinoKernel * self);

/**
 * gst_gdino_kernel_new_scaler:
 * @from: pixels along an axis of the frame, at least 1
 * @to: and of the result
 *
 * Returns: (transfer full) (nullable): %NULL when there is nothing to scale
 */
GstVideoScaler *gst_gdino_kernel_new_scaler (gint from, gint to);

G_END_DECLS
