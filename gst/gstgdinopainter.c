/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinopainter.h"

#include <gst/gst.h>

#include "gstgdinoboard.h"
#include "gstgdinokernel.h"
#include "gstgdinomatrix.h"

/* Frame, wide, middle, result: each step is left out where it has nothing to do. */
struct _GstGdinoPainter
{
  GstVideoConverter *converter; /* (nullable) to the wide picture or, where there
                                 * is none, to the middle */
  GstGdinoBoard wide;           /* the frame's size, 16 bits */
  GstVideoScaler *scalers[2][2];        /* columns and rows of the first plane,
                                         * then of the others, to the middle */
  GstGdinoBoard middle;         /* the result's size, a sample for each pixel */
  GstGdinoMatrix matrix;        /* from the middle to the result */
};

/* The format in which the scaler can make the middle of a frame, plane by plane;
 * UNKNOWN where it cannot. */
static GstVideoFormat
scaled_format (GstVideoFormat format)
{
  switch (format) {
    case GST_VIDEO_FORMAT_NV12:
    case GST_VIDEO_FORMAT_NV24:
      return GST_VIDEO_FORMAT_NV24;
    case GST_VIDEO_FORMAT_I420:
    case GST_VIDEO_FORMAT_YV12:
    case GST_VIDEO_FORMAT_Y42B:
    case GST_VIDEO_FORMAT_Y444:
      return GST_VIDEO_FORMAT_Y444;
    case GST_VIDEO_FORMAT_AYUV:
    case GST_VIDEO_FORMAT_RGB:
    case GST_VIDEO_FORMAT_BGR:
    case GST_VIDEO_FORMAT_RGBx:
    case GST_VIDEO_FORMAT_BGRx:
    case GST_VIDEO_FORMAT_xRGB:
    case GST_VIDEO_FORMAT_xBGR:
    case GST_VIDEO_FORMAT_RGBA:
    case GST_VIDEO_FORMAT_BGRA:
    case GST_VIDEO_FORMAT_ARGB:
    case GST_VIDEO_FORMAT_ABGR:
      return format;
    default:
      return GST_VIDEO_FORMAT_UNKNOWN;
  }
}

/* A picture that keeps the colours of @like. */
static void
set_info (GstVideoInfo * info, GstVideoFormat format, gint width, gint height,
    const GstVideoInfo * like)
{
  gst_video_info_set_format (info, format, (guint) width, (guint) height);
  info->fps_n = like->fps_n;
  info->fps_d = like->fps_d;
  if (GST_VIDEO_INFO_IS_YUV (info) == GST_VIDEO_INFO_IS_YUV (like)) {
    info->colorimetry = like->colorimetry;
    info->chroma_site = like->chroma_site;
  }
}

/* YUV stays YUV where we know how to make it RGB; all else becomes RGB. */
static gboolean
stays_yuv (const GstVideoInfo * info)
{
  GstGdinoMatrix matrix;

  return GST_VIDEO_INFO_IS_YUV (info) && gst_gdino_matrix_init (&matrix, info);
}

static void
make_scalers (GstGdinoPainter * self, const GstVideoInfo * from)
{
  const GstVideoInfo *to = &self->middle.frame.info;

  for (guint i = 0; i < MIN (GST_VIDEO_INFO_N_PLANES (to), 2); i++) {
    self->scalers[i][0] = gst_gdino_kernel_new_scaler
        (GST_VIDEO_INFO_COMP_WIDTH (from, i), to->width);
    self->scalers[i][1] = gst_gdino_kernel_new_scaler
        (GST_VIDEO_INFO_COMP_HEIGHT (from, i), to->height);
  }
}

static gboolean
make_converter (GstGdinoPainter * self, const GstVideoInfo * from,
    const GstVideoInfo * to, GError ** error)
{
  GstVideoInfo in = *from, out = *to;
  GstGdinoKernel columns, rows;
  GstStructure *options;

  /* It has one filter for both axes; where they differ, GStreamer's own choice
   * for each is the closer one. */
  gst_gdino_kernel_init (&columns, from->width, to->width);
  gst_gdino_kernel_init (&rows, from->height, to->height);
  if (!gst_gdino_kernel_equal (&columns, &rows))
    gst_gdino_kernel_init (&columns, 1, 1);
  options = gst_gdino_kernel_get_options (&columns);
  gst_structure_set (options, GST_VIDEO_CONVERTER_OPT_DITHER_METHOD,
      GST_TYPE_VIDEO_DITHER_METHOD, GST_VIDEO_DITHER_NONE, NULL);

  self->converter = gst_video_converter_new (&in, &out, options);
  if (self->converter == NULL)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
        "GstVideoConverter cannot turn format %s into RGB",
        gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (from)));
  return self->converter != NULL;
}

static gboolean
make_middle (GstGdinoPainter * self, GstVideoFormat format, gint width,
    gint height, const GstVideoInfo * like, GError ** error)
{
  GstVideoInfo info;

  set_info (&info, format, width, height, like);
  return gst_gdino_matrix_init (&self->matrix, &info)
      && gst_gdino_board_init (&self->middle, &info, error);
}

/* The scaler rounds the weights for 8 bits to 64ths, which is seen where few
 * pixels make one; and colours that have samples of their own are centred only
 * once each pixel has one. So all that is converted at full size, to 16 bits. */
static gboolean
make_deep (GstGdinoPainter * self, GstVideoFormat format,
    const GstVideoInfo * from, gint width, gint height, GError ** error)
{
  GstVideoInfo wide;

  set_info (&wide, format, from->width, from->height, from);
  if (!gst_gdino_board_init (&self->wide, &wide, error)
      || !make_converter (self, from, &wide, error)
      || !make_middle (self, format, width, height, from, error))
    return FALSE;
  make_scalers (self, &wide);
  return TRUE;
}

GstGdinoPainter *
gst_gdino_painter_new (const GstVideoInfo * info, gint width, gint height,
    GError ** error)
{
  g_autoptr (GstGdinoPainter) self = g_new0 (GstGdinoPainter, 1);
  const GstVideoFormat format = scaled_format (GST_VIDEO_INFO_FORMAT (info));
  const gboolean yuv = stays_yuv (info);
  const gboolean same = info->width == width && info->height == height;
  const gboolean halved = info->width >= 2 * width
      && info->height >= 2 * height;

  if (!same && !halved) {
    if (!make_deep (self, yuv ? GST_VIDEO_FORMAT_AYUV64 :
            GST_VIDEO_FORMAT_ARGB64, info, width, height, error))
      return NULL;
  } else if (halved && format != GST_VIDEO_FORMAT_UNKNOWN
      && (yuv || GST_VIDEO_INFO_IS_RGB (info))) {
    /* Far cheaper than to convert the many pixels of the frame. */
    if (!make_middle (self, format, width, height, info, error))
      return NULL;
    make_scalers (self, info);
  } else {
    if (!make_middle (self, yuv ? GST_VIDEO_FORMAT_AYUV : GST_VIDEO_FORMAT_ARGB,
            width, height, info, error)
        || !make_converter (self, info, &self->middle.frame.info, error))
      return NULL;
  }
  return g_steal_pointer (&self);
}

void
gst_gdino_painter_free (GstGdinoPainter * self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < 4; i++)
    g_clear_pointer (&self->scalers[i / 2][i % 2], gst_video_scaler_free);
  g_clear_pointer (&self->converter, gst_video_converter_free);
  gst_gdino_board_clear (&self->wide);
  gst_gdino_board_clear (&self->middle);
  g_free (self);
}

/* The converter would scale planes too, but by halves it averages two pixels
 * with equal weights, and models are trained on the triangle. */
static void
scale (GstGdinoPainter * self, const GstVideoFrame * from)
{
  GstVideoFrame *to = &self->middle.frame;
  const guint n_planes = GST_VIDEO_FRAME_N_PLANES (to);

  for (guint i = 0; i < n_planes; i++) {
    /* YV12 has its colours the other way round. */
    const guint plane = GST_VIDEO_FRAME_FORMAT (from) ==
        GST_VIDEO_FORMAT_YV12 && i > 0 ? 3 - i : i;
    GstVideoFormat format = GST_VIDEO_FORMAT_GRAY8;

    if (n_planes == 1)
      format = GST_VIDEO_FRAME_FORMAT (to);
    else if (n_planes == 2 && i == 1)
      format = GST_VIDEO_FORMAT_NV12;   /* pairs */
    gst_video_scaler_2d (self->scalers[i > 0][0], self->scalers[i > 0][1],
        format, from->data[plane], from->info.stride[plane], to->data[i],
        to->info.stride[i], 0, 0, (guint) to->info.width,
        (guint) to->info.height);
  }
}

void
gst_gdino_painter_run (GstGdinoPainter * self, const GstVideoFrame * from,
    GstVideoFrame * to)
{
  if (self->converter != NULL)
    gst_video_converter_frame (self->converter, from,
        self->wide.mapped ? &self->wide.frame : &self->middle.frame);
  if (self->converter == NULL || self->wide.mapped)
    scale (self, self->wide.mapped ? &self->wide.frame : from);
  gst_gdino_matrix_convert (&self->matrix, &self->middle.frame, to);
}
