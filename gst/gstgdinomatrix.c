/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinomatrix.h"

#define BITS 16
#define HALF (1 << (BITS - 1))
#define CENTRE 128              /* of U and V */

static gint32
fixed (gdouble factor)
{
  return (gint32) (factor * (1 << BITS) + (factor < 0 ? -0.5 : 0.5));
}

gboolean
gst_gdino_matrix_init (GstGdinoMatrix * self, const GstVideoInfo * info)
{
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];
  gdouble kr, kb, kg, luma, chroma;

  if (!GST_VIDEO_INFO_IS_YUV (info)
      || !gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix, &kr, &kb))
    return FALSE;
  gst_video_color_range_offsets (info->colorimetry.range, info->finfo, offset,
      scale);
  kg = 1 - kr - kb;
  luma = 255.0 / scale[0];
  chroma = 255.0 / scale[1];
  self->offset = offset[0];
  self->luma = fixed (luma);
  self->red_v = fixed (2 * (1 - kr) * chroma);
  self->blue_u = fixed (2 * (1 - kb) * chroma);
  self->green_u = fixed (-2 * kb * (1 - kb) / kg * chroma);
  self->green_v = fixed (-2 * kr * (1 - kr) / kg * chroma);
  return TRUE;
}

static guint8
level (gint32 value)
{
  return (guint8) CLAMP (value >> BITS, 0, 255);
}

static void
convert_row (const GstGdinoMatrix * self, const guint8 * y, const guint8 * u,
    const guint8 * v, gint y_step, gint step, guint8 * rgb, gint width)
{
  for (gint x = 0; x < width; x++) {
    const gint32 luma = (y[x * y_step] - self->offset) * self->luma + HALF;
    const gint32 cb = u[x * step] - CENTRE;
    const gint32 cr = v[x * step] - CENTRE;

    rgb[3 * x] = level (luma + self->red_v * cr);
    rgb[3 * x + 1] = level (luma + self->green_u * cb + self->green_v * cr);
    rgb[3 * x + 2] = level (luma + self->blue_u * cb);
  }
}

void
gst_gdino_matrix_convert (const GstGdinoMatrix * self,
    const GstVideoFrame * from, GstVideoFrame * to)
{
  const gint y_step = GST_VIDEO_FRAME_COMP_PSTRIDE (from, 0);
  const gint step = GST_VIDEO_FRAME_COMP_PSTRIDE (from, 1);

  for (gint row = 0; row < GST_VIDEO_FRAME_HEIGHT (to); row++) {
    const guint8 *data[3];

    for (guint i = 0; i < 3; i++)
      data[i] = (const guint8 *) GST_VIDEO_FRAME_COMP_DATA (from, i)
      + (gsize) row *(gsize) GST_VIDEO_FRAME_COMP_STRIDE (from, i);
    convert_row (self, data[0], data[1], data[2], y_step, step,
        (guint8 *) to->data[0] + (gsize) row * (gsize) to->info.stride[0],
        GST_VIDEO_FRAME_WIDTH (to));
  }
}
