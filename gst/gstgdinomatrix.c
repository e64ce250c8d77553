/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinomatrix.h"

#define BITS 16
#define ONE (1 << BITS)
#define HALF (1 << (BITS - 1))
#define CENTRE 128              /* of U and V */
#define DEEP 257                /* 16 bits of a value in 8 */

static gint32
fixed (gdouble factor)
{
  return (gint32) (factor * ONE + (factor < 0 ? -0.5 : 0.5));
}

gboolean
gst_gdino_matrix_init (GstGdinoMatrix * self, const GstVideoInfo * info)
{
  /* The ranges of 8 bits for both: what has 16 is made of it. */
  const GstVideoFormatInfo *shallow =
      gst_video_format_get_info (GST_VIDEO_INFO_IS_YUV (info) ?
      GST_VIDEO_FORMAT_AYUV : GST_VIDEO_FORMAT_ARGB);
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];
  gdouble kr, kb, kg, chroma;

  *self = (GstGdinoMatrix) {
  .rgb = GST_VIDEO_INFO_IS_RGB (info),.deep =
        GST_VIDEO_INFO_COMP_DEPTH (info, 0) == 16};
  gst_video_color_range_offsets (info->colorimetry.range, shallow, offset,
      scale);
  self->offset = offset[0];
  self->luma = fixed (255.0 / scale[0]);
  if (self->rgb)
    return TRUE;
  if (!GST_VIDEO_INFO_IS_YUV (info)
      || !gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix, &kr, &kb))
    return FALSE;
  kg = 1 - kr - kb;
  chroma = 255.0 / scale[1];
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

/* As below, for what is RGB already, of all levels in nearly all cases. */
static void
convert_rgb_row (const GstGdinoMatrix * self, const guint8 * const data[3],
    gint step, guint8 * rgb, gint width)
{
  const guint8 *red = data[0], *green = data[1], *blue = data[2];

  if (self->offset == 0 && self->luma == ONE)
    for (gint x = 0; x < width; x++) {
      rgb[3 * x] = red[x * step];
      rgb[3 * x + 1] = green[x * step];
      rgb[3 * x + 2] = blue[x * step];
  } else
    for (gint x = 0; x < width; x++)
      for (guint i = 0; i < 3; i++)
        rgb[3 * x + i] = level ((data[i][x * step] - self->offset)
            * self->luma + HALF);
}

static void
convert_row (const GstGdinoMatrix * self, const guint8 * const data[3],
    gint y_step, gint step, guint8 * rgb, gint width)
{
  for (gint x = 0; x < width; x++) {
    const gint32 luma = (data[0][x * y_step] - self->offset) * self->luma
        + HALF;
    const gint32 cb = data[1][x * step] - CENTRE;
    const gint32 cr = data[2][x * step] - CENTRE;

    rgb[3 * x] = level (luma + self->red_v * cr);
    rgb[3 * x + 1] = level (luma + self->green_u * cb + self->green_v * cr);
    rgb[3 * x + 2] = level (luma + self->blue_u * cb);
  }
}

static guint8
deep_level (gfloat value)
{
  return (guint8) CLAMP (value + 0.5f, 0, 255);
}

/* @data: of guint16, packed by @step of them */
static void
convert_deep_row (const GstGdinoMatrix * self, const guint8 * const data[3],
    gint step, guint8 * rgb, gint width)
{
  const guint16 *first = (const guint16 *) data[0];
  const guint16 *second = (const guint16 *) data[1];
  const guint16 *third = (const guint16 *) data[2];
  const gfloat unit = 1.0f / DEEP / ONE;
  const gfloat luma = (gfloat) self->luma * unit;
  const gint offset = self->offset * DEEP;
  const gfloat red_v = (gfloat) self->red_v * unit;
  const gfloat green_u = (gfloat) self->green_u * unit;
  const gfloat green_v = (gfloat) self->green_v * unit;
  const gfloat blue_u = (gfloat) self->blue_u * unit;

  for (gint x = 0; x < width; x++) {
    const gfloat y = (gfloat) (first[x * step] - offset) * luma;
    const gint two = second[x * step];
    const gint three = third[x * step];

    if (self->rgb) {
      rgb[3 * x] = deep_level (y);
      rgb[3 * x + 1] = deep_level ((gfloat) (two - offset) * luma);
      rgb[3 * x + 2] = deep_level ((gfloat) (three - offset) * luma);
    } else {
      const gfloat u = (gfloat) (two - CENTRE * DEEP);
      const gfloat v = (gfloat) (three - CENTRE * DEEP);

      rgb[3 * x] = deep_level (y + red_v * v);
      rgb[3 * x + 1] = deep_level (y + green_u * u + green_v * v);
      rgb[3 * x + 2] = deep_level (y + blue_u * u);
    }
  }
}

void
gst_gdino_matrix_convert (const GstGdinoMatrix * self,
    const GstVideoFrame * from, GstVideoFrame * to)
{
  const gint y_step = GST_VIDEO_FRAME_COMP_PSTRIDE (from, 0);
  const gint step = GST_VIDEO_FRAME_COMP_PSTRIDE (from, 1);
  const gint width = GST_VIDEO_FRAME_WIDTH (to);

  for (gint row = 0; row < GST_VIDEO_FRAME_HEIGHT (to); row++) {
    guint8 *rgb = (guint8 *) to->data[0]
        + (gsize) row * (gsize) to->info.stride[0];
    const guint8 *data[3];

    for (guint i = 0; i < 3; i++)
      data[i] = (const guint8 *) GST_VIDEO_FRAME_COMP_DATA (from, i)
      + (gsize) row *(gsize) GST_VIDEO_FRAME_COMP_STRIDE (from, i);
    if (self->deep)
      convert_deep_row (self, data, step / 2, rgb, width);
    else if (self->rgb)
      convert_rgb_row (self, data, step, rgb, width);
    else
      convert_row (self, data, y_step, step, rgb, width);
  }
}
