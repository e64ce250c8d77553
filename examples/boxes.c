/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "boxes.h"

#include <gst/video/video.h>
#include <string.h>

#define OVERLAY "objectdetectionoverlay"        /* in GStreamer from 1.24 on */

/* What the streaming thread needs to draw. */
typedef struct
{
  GstVideoInfo info;            /* of the frames */
  char *prompt;                 /* (nullable): of the next frames */
  gboolean own_boxes;           /* no other element draws them */
} Painter;

/* The parameter "detection" has more than the score. */
static void
read_box (GstVideoRegionOfInterestMeta * roi, DrawBox * box)
{
  GstStructure *detection =
      gst_video_region_of_interest_meta_get_param (roi, "detection");

  memset (box, 0, sizeof *box);
  box->x = roi->x;
  box->y = roi->y;
  box->width = roi->w;
  box->height = roi->h;
  box->label = g_quark_to_string (roi->roi_type);
  if (detection != NULL) {
    int phrase = 0;

    gst_structure_get_double (detection, "confidence", &box->score);
    gst_structure_get_int (detection, "label_id", &phrase);
    box->colour = (guint) phrase;
  }
}

GArray *
boxes_read (GstBuffer * buffer)
{
  GArray *boxes = g_array_new (FALSE, FALSE, sizeof (DrawBox));
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) != NULL) {
    DrawBox box;

    read_box ((GstVideoRegionOfInterestMeta *) meta, &box);
    g_array_append_val (boxes, box);
  }
  return boxes;
}

static gboolean
have_overlay (void)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find (OVERLAY);

  return factory != NULL;
}

char *
boxes_pipeline_text (const char *name)
{
  return g_strdup_printf ("%s ! identity name=%s",
      have_overlay ()? OVERLAY : "identity", name);
}

/* Caps tell the size of the frames, the element's event their prompt. */
static void
read_event (Painter * self, GstEvent * event)
{
  const GstStructure *structure = gst_event_get_structure (event);
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    gst_video_info_from_caps (&self->info, caps);
  } else if (structure != NULL
      && gst_structure_has_name (structure, "groundingdino-prompt")) {
    g_free (self->prompt);
    self->prompt = g_strdup (gst_structure_get_string (structure, "prompt"));
  }
}

static GstPadProbeReturn
draw (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Painter *self = data;
  g_autoptr (GArray) boxes = NULL;
  GstBuffer *buffer;
  GstVideoFrame frame;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    read_event (self, GST_PAD_PROBE_INFO_EVENT (info));
    return GST_PAD_PROBE_OK;
  }

  buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  boxes = boxes_read (buffer);
  if (gst_video_frame_map (&frame, &self->info, buffer, GST_MAP_READWRITE)) {
    DrawPicture picture = {
      .pixels = GST_VIDEO_FRAME_PLANE_DATA (&frame, 0),
      .width = GST_VIDEO_FRAME_WIDTH (&frame),
      .height = GST_VIDEO_FRAME_HEIGHT (&frame),
      .stride = GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0),
    };

    draw_caption (&picture, self->prompt != NULL ? self->prompt : "");
    if (self->own_boxes)
      draw_boxes (&picture, (const DrawBox *) boxes->data, boxes->len);
    gst_video_frame_unmap (&frame);
  }
  return GST_PAD_PROBE_OK;
}

static void
painter_free (gpointer data)
{
  Painter *self = data;

  g_free (self->prompt);
  g_free (self);
}

void
boxes_draw_at (GstBin * bin, const char *name)
{
  g_autoptr (GstElement) element = gst_bin_get_by_name (bin, name);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");
  Painter *painter;

  if (!draw_is_possible ())
    return;
  painter = g_new0 (Painter, 1);
  painter->own_boxes = !have_overlay ();
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER
      | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, draw, painter, painter_free);
}

const char *
boxes_drawn_by (void)
{
  if (have_overlay ())
    return OVERLAY;
  return draw_is_possible ()? "this program"
      : "nobody: this program was built without cairo";
}
