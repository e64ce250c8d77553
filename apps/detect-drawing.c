/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "detect-drawing.h"

#include <gst/video/video.h>

#include "draw.h"

/* The long side of a drawn picture has at least so many pixels. */
#define LEAST_SIZE 480
/* cairo's limit. */
#define MOST_SIZE 32767

/* What draw.h calls 0x00RRGGBB. */
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define FORMAT GST_VIDEO_FORMAT_BGRx
#else
#define FORMAT GST_VIDEO_FORMAT_xRGB
#endif

static gboolean
choose_size (const GstVideoInfo * info, int *width, int *height,
    GError ** error)
{
  gint64 w = info->width, h = info->height;
  gint64 times;

  if (info->par_n > info->par_d && info->par_d > 0)
    w = w * info->par_n / info->par_d;
  else if (info->par_n > 0)
    h = h * info->par_d / info->par_n;
  times = MAX (1, (LEAST_SIZE + MAX (w, h) - 1) / MAX (w, h));
  if (w * times > MOST_SIZE || h * times > MOST_SIZE) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "a frame of %d x %d pixels is too large to draw on, at most %d",
        info->width, info->height, MOST_SIZE);
    return FALSE;
  }
  *width = (int) (w * times);
  *height = (int) (h * times);
  return TRUE;
}

static void
draw (GstVideoFrame * out, GdinoDetections * found, const char *caption,
    double scale_x, double scale_y)
{
  DrawPicture picture = {
    .pixels = GST_VIDEO_FRAME_PLANE_DATA (out, 0),
    .width = GST_VIDEO_FRAME_WIDTH (out),
    .height = GST_VIDEO_FRAME_HEIGHT (out),
    .stride = GST_VIDEO_FRAME_PLANE_STRIDE (out, 0),
  };
  guint n = found != NULL ? gdino_detections_get_n (found) : 0;
  g_autofree DrawBox *boxes = g_new (DrawBox, n);

  for (guint i = 0; i < n; i++) {
    const GdinoDetection *detection = gdino_detections_get (found, i);

    boxes[i].x = detection->x * scale_x;
    boxes[i].y = detection->y * scale_y;
    boxes[i].width = detection->width * scale_x;
    boxes[i].height = detection->height * scale_y;
    boxes[i].label = gdino_detections_get_label (found, i);
    boxes[i].score = (double) detection->score;
    boxes[i].colour = detection->phrase;
  }
  if (caption != NULL)
    draw_caption (&picture, caption);
  draw_boxes (&picture, boxes, n);
}

/* Copies @from to @to, converted and scaled. */
static gboolean
convert (GstVideoFrame * from, GstVideoFrame * to)
{
  GstVideoConverter *converter =
      gst_video_converter_new (&from->info, &to->info, NULL);

  if (converter == NULL)
    return FALSE;
  gst_video_converter_frame (converter, from, to);
  gst_video_converter_free (converter);
  return TRUE;
}

GstSample *
detect_drawing_make (GstSample * frame, GdinoDetections * found,
    const char *caption, GError ** error)
{
  GstBuffer *buffer = gst_sample_get_buffer (frame);
  g_autoptr (GstBuffer) drawn = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstVideoInfo info, out_info;
  GstVideoFrame in, out;
  int width, height;
  gboolean ok;

  if (!gst_video_info_from_caps (&info, gst_sample_get_caps (frame))) {
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "a frame has caps that are not raw video");
    return NULL;
  }
  if (!choose_size (&info, &width, &height, error))
    return NULL;

  /* Both fields at once, and no change of rate: the converter does neither. */
  GST_VIDEO_INFO_INTERLACE_MODE (&info) = GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
  gst_video_info_set_format (&out_info, FORMAT, (guint) width, (guint) height);
  out_info.fps_n = info.fps_n;
  out_info.fps_d = info.fps_d;
  drawn = gst_buffer_new_allocate (NULL, out_info.size, NULL);
  ok = gst_video_frame_map (&in, &info, buffer, GST_MAP_READ);
  if (ok) {
    ok = gst_video_frame_map (&out, &out_info, drawn, GST_MAP_READWRITE);
    if (ok) {
      ok = convert (&in, &out);
      if (ok)
        draw (&out, found, caption, (double) width / info.width,
            (double) height / info.height);
      gst_video_frame_unmap (&out);
    }
    gst_video_frame_unmap (&in);
  }
  if (!ok) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "a frame in %s of %d x %d pixels cannot be drawn on",
        gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (&info)),
        info.width, info.height);
    return NULL;
  }

  GST_BUFFER_PTS (drawn) = GST_BUFFER_PTS (buffer);
  GST_BUFFER_DURATION (drawn) = GST_BUFFER_DURATION (buffer);
  caps = gst_video_info_to_caps (&out_info);
  return gst_sample_new (drawn, caps, gst_sample_get_segment (frame), NULL);
}
