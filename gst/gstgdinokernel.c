/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinokernel.h"

#include <math.h>

#define RADIUS 2.0              /* of the cubic filter, in its own units */
#define STEPS 512               /* of integration over it */

/* The cubic filter of Mitchell and Netravali, "Reconstruction Filters in Computer
 * Graphics" (1988), at @x, as constant + b * of_b + c * of_c. */
static void
cubic (gdouble x, gdouble * constant, gdouble * of_b, gdouble * of_c)
{
  const gdouble x2 = x * x;
  const gdouble x3 = x2 * x;

  if (x < 1) {
    *constant = 2 * x3 - 3 * x2 + 1;
    *of_b = (-9 * x3 + 12 * x2 - 2) / 6;
    *of_c = -x3 + x2;
  } else {
    *constant = 0;
    *of_b = (-x3 + 6 * x2 - 12 * x + 8) / 6;
    *of_c = -x3 + 5 * x2 - 8 * x + 4;
  }
}

/* The b and c for which the filter differs least, in the sum of squares, from a
 * triangle of the same area that is @half wide each way. */
static void
fit (GstGdinoKernel * self, gdouble half)
{
  gdouble bb = 0, bc = 0, cc = 0, bt = 0, ct = 0, determinant;

  for (guint i = 0; i < STEPS; i++) {
    const gdouble x = (i + 0.5) * RADIUS / STEPS;
    gdouble constant, of_b, of_c, rest;

    cubic (x, &constant, &of_b, &of_c);
    rest = MAX (0, 1 - x / half) / half - constant;
    bb += of_b * of_b;
    bc += of_b * of_c;
    cc += of_c * of_c;
    bt += of_b * rest;
    ct += of_c * rest;
  }
  determinant = bb * cc - bc * bc;
  self->b = (bt * cc - ct * bc) / determinant;
  self->c = (ct * bb - bt * bc) / determinant;
}

void
gst_gdino_kernel_init (GstGdinoKernel * self, gint from, gint to)
{
  const gdouble scale = (gdouble) from / to;
  const gdouble whole = ceil (scale);

  *self = (GstGdinoKernel) {
  .method = GST_VIDEO_RESAMPLER_METHOD_LINEAR};
  if (from <= to)
    return;

  /* Even, else GStreamer's taps are not centred. */
  self->n_taps = 2 * (guint) whole;
  if (from % to == 0)           /* the triangle is as wide as the taps */
    return;
  self->method = GST_VIDEO_RESAMPLER_METHOD_CUBIC;
  fit (self, RADIUS * scale / whole);
}

gboolean
gst_gdino_kernel_equal (const GstGdinoKernel * one, const GstGdinoKernel * two)
{
  return one->method == two->method && one->n_taps == two->n_taps
      && fabs (one->b - two->b) < 0.1 && fabs (one->c - two->c) < 0.1;
}

GstStructure *
gst_gdino_kernel_get_options (const GstGdinoKernel * self)
{
  GstStructure *options = gst_structure_new ("options",
      GST_VIDEO_CONVERTER_OPT_RESAMPLER_METHOD,
      GST_TYPE_VIDEO_RESAMPLER_METHOD, self->method,
      GST_VIDEO_CONVERTER_OPT_RESAMPLER_TAPS, G_TYPE_UINT, self->n_taps,
      NULL);

  if (self->n_taps > 0)
    gst_structure_set (options, GST_VIDEO_RESAMPLER_OPT_MAX_TAPS, G_TYPE_INT,
        (gint) self->n_taps, NULL);
  if (self->method == GST_VIDEO_RESAMPLER_METHOD_CUBIC)
    gst_structure_set (options, GST_VIDEO_RESAMPLER_OPT_CUBIC_B, G_TYPE_DOUBLE,
        self->b, GST_VIDEO_RESAMPLER_OPT_CUBIC_C, G_TYPE_DOUBLE, self->c, NULL);
  return options;
}

GstVideoScaler *
gst_gdino_kernel_new_scaler (gint from, gint to)
{
  GstGdinoKernel kernel;
  GstStructure *options;
  GstVideoScaler *scaler;

  if (from == to)
    return NULL;
  gst_gdino_kernel_init (&kernel, from, to);
  options = gst_gdino_kernel_get_options (&kernel);
  scaler = gst_video_scaler_new (kernel.method, GST_VIDEO_SCALER_FLAG_NONE,
      kernel.n_taps, (guint) from, (guint) to, options);
  gst_structure_free (options);
  return scaler;
}
