/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinoframe.h"

#include <string.h>

#include "gstgdinoboard.h"
#include "gstgdinopainter.h"

#define PALETTE_SIZE (256 * 4)

struct _GstGdinoFrame
{
  GstVideoInfo info;
  GdinoLetterbox letterbox;
  GstGdinoPainter *painter;     /* from frames to the window */
  GstGdinoBoard canvas;
  GstVideoFrame window;         /* the picture's part of the canvas */
};

/* Paints the whole canvas once: painters only ever write the window. */
static void
paint (GstVideoFrame * canvas, const guint8 pad[3])
{
  for (gint y = 0; y < GST_VIDEO_FRAME_HEIGHT (canvas); y++) {
    guint8 *row = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (canvas, 0)
        + y * GST_VIDEO_FRAME_PLANE_STRIDE (canvas, 0);

    for (gint x = 0; x < GST_VIDEO_FRAME_WIDTH (canvas); x++)
      memcpy (row + 3 * x, pad, 3);
  }
}

static gboolean
make_canvas (GstGdinoFrame * self, const guint8 pad[3], GError ** error)
{
  const GdinoLetterbox *box = &self->letterbox;
  GstVideoInfo info;

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB, box->canvas_width,
      box->canvas_height);
  info.fps_n = self->info.fps_n;
  info.fps_d = self->info.fps_d;
  if (!gst_gdino_board_init (&self->canvas, &info, error))
    return FALSE;
  paint (&self->canvas.frame, pad);

  self->window = self->canvas.frame;
  self->window.info.width = (gint) box->width;
  self->window.info.height = (gint) box->height;
  self->window.data[0] = (guint8 *) self->window.data[0]
      + (gsize) box->y * (gsize) self->window.info.stride[0]
      + (gsize) box->x * 3;
  return TRUE;
}

static gboolean
check_interlacing (const GstVideoInfo * info, GError ** error)
{
  switch (GST_VIDEO_INFO_INTERLACE_MODE (info)) {
    case GST_VIDEO_INTERLACE_MODE_PROGRESSIVE:
    case GST_VIDEO_INTERLACE_MODE_INTERLEAVED:
    case GST_VIDEO_INTERLACE_MODE_MIXED:
      return TRUE;
    default:
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
          "Frames with interlace-mode=%s cannot be read, wanted progressive, "
          "interleaved or mixed; put a deinterlacer before this element",
          gst_video_interlace_mode_to_string (GST_VIDEO_INFO_INTERLACE_MODE
              (info)));
      return FALSE;
  }
}

GstGdinoFrame *
gst_gdino_frame_new (const GstVideoInfo * info, guint canvas_width,
    guint canvas_height, const guint8 pad[3], GError ** error)
{
  g_autoptr (GstGdinoFrame) self = g_new0 (GstGdinoFrame, 1);

  if (!check_interlacing (info, error))
    return NULL;
  if (!gdino_letterbox_init (&self->letterbox, (guint) info->width,
          (guint) info->height, (guint) MAX (info->par_n, 1),
          (guint) MAX (info->par_d, 1), canvas_width, canvas_height, error))
    return NULL;

  self->info = *info;
  GST_VIDEO_INFO_INTERLACE_MODE (&self->info) =
      GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
  if (!make_canvas (self, pad, error))
    return NULL;
  self->painter = gst_gdino_painter_new (&self->info,
      (gint) self->letterbox.width, (gint) self->letterbox.height, error);
  if (self->painter == NULL)
    return NULL;
  return g_steal_pointer (&self);
}

void
gst_gdino_frame_free (GstGdinoFrame * self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->painter, gst_gdino_painter_free);
  gst_gdino_board_clear (&self->canvas);
  g_free (self);
}

/* gst_video_frame_map() takes a smaller picture for a programming error. A
 * larger one is what decoders say of the rows they add; ours is its top left. */
static gboolean
check_meta (GstGdinoFrame * self, GstBuffer * buffer, GError ** error)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  const GstVideoInfo *info = &self->info;

  if (meta == NULL || (meta->format == GST_VIDEO_INFO_FORMAT (info)
          && meta->width >= (guint) info->width
          && meta->height >= (guint) info->height))
    return TRUE;
  g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      "A frame's video meta says %s %u x %u, its caps say %s %d x %d",
      gst_video_format_to_string (meta->format), meta->width, meta->height,
      gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (info)), info->width,
      info->height);
  return FALSE;
}

static gboolean
map_frame (GstGdinoFrame * self, GstBuffer * buffer, GstVideoFrame * frame,
    GError ** error)
{
  GstMemory *memory;

  if (gst_video_frame_map (frame, &self->info, buffer,
          GST_MAP_READ | GST_VIDEO_FRAME_MAP_FLAG_NO_REF))
    return TRUE;

  memory = gst_buffer_n_memory (buffer) > 0 ?
      gst_buffer_peek_memory (buffer, 0) : NULL;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
      "Cannot map a frame: %" G_GSIZE_FORMAT " bytes of memory type %s, wanted "
      "at least %" G_GSIZE_FORMAT " readable bytes for %s %d x %d",
      gst_buffer_get_size (buffer),
      memory != NULL && memory->allocator != NULL ?
      memory->allocator->mem_type : "none", self->info.size,
      gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (&self->info)),
      self->info.width, self->info.height);
  return FALSE;
}

/* Where the bytes end that the painter will read of @plane. */
static gint64
plane_end (const GstVideoInfo * info, const GstVideoFrame * frame, guint plane)
{
  const gint64 stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, plane);
  const gint64 start =
      (const guint8 *) frame->data[plane] - frame->map[plane].data;
  gint components[GST_VIDEO_MAX_COMPONENTS];
  gint64 row;

  gst_video_format_info_component (info->finfo, plane, components);
  if (components[0] < 0)
    return start + PALETTE_SIZE;
  row = (gint64) GST_VIDEO_INFO_COMP_PSTRIDE (info, components[0])
      * GST_VIDEO_INFO_COMP_WIDTH (info, components[0]);
  if (row == 0)
    row = MIN (stride, GST_VIDEO_INFO_PLANE_STRIDE (info, plane));
  return start
      + stride * (GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]) - 1) + row;
}

/* gst_video_frame_map() believes the offsets and strides of a GstVideoMeta;
 * nobody has checked them against the memory yet. The painter steps through
 * rows forwards only. */
static gboolean
check_planes (GstGdinoFrame * self, const GstVideoFrame * frame,
    GError ** error)
{
  const gboolean tiled = GST_VIDEO_FORMAT_INFO_IS_TILED (frame->info.finfo);
  guint plane;

  if (frame->meta == NULL)
    return TRUE;

  for (plane = 0; plane < GST_VIDEO_FRAME_N_PLANES (frame); plane++) {
    const gint stride = GST_VIDEO_FRAME_PLANE_STRIDE (frame, plane);
    gint64 end;

    if (stride < 0) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
          "A frame's video meta gives plane %u the stride %d, wanted a positive "
          "one", plane, stride);
      return FALSE;
    }
    end = tiled ? 0 : plane_end (&self->info, frame, plane);
    if (end > (gint64) frame->map[plane].size) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
          "A frame's video meta lets plane %u end at byte %" G_GINT64_FORMAT
          " of a memory of %" G_GSIZE_FORMAT " bytes", plane, end,
          frame->map[plane].size);
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
gst_gdino_frame_load (GstGdinoFrame * self, GstBuffer * buffer, GError ** error)
{
  GstVideoFrame frame;
  gboolean ok;

  if (!check_meta (self, buffer, error)
      || !map_frame (self, buffer, &frame, error))
    return FALSE;
  ok = check_planes (self, &frame, error);
  if (ok)
    gst_gdino_painter_run (self->painter, &frame, &self->window);
  gst_video_frame_unmap (&frame);
  return ok;
}

const guint8 *
gst_gdino_frame_get_canvas (GstGdinoFrame * self, gsize * stride)
{
  *stride = (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (&self->canvas.frame, 0);
  return GST_VIDEO_FRAME_PLANE_DATA (&self->canvas.frame, 0);
}

const GdinoLetterbox *
gst_gdino_frame_get_letterbox (GstGdinoFrame * self)
{
  return &self->letterbox;
}
