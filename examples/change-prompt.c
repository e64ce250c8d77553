/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Finds objects in a video, looks for something else from given times on, and
 * writes the video with boxes:
 *
 *   change-prompt MODEL INPUT OUTPUT.webm SECONDS=PROMPT...
 *
 * It shows the two things that a program does with the element groundingdino:
 * set the property "prompt" while the pipeline plays, and read what was found
 * from the buffers. Boxes are drawn by objectdetectionoverlay where GStreamer
 * has it (1.24 or newer), else here, from GstVideoRegionOfInterestMeta. */

#include <gst/gst.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <string.h>

#include "draw.h"

#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define FORMAT "BGRx"
#else
#define FORMAT "xRGB"
#endif

typedef struct
{
  GstClockTime at;
  const char *text;
} Change;

typedef struct
{
  GstElement *detector;
  const char *prompt;           /* of the frame in work */
  gboolean own_boxes;           /* no other element draws them */
  Change *changes;
  guint n_changes;
  guint next;                   /* first change that is still to come */
  guint frames;
  guint boxes;
  GstVideoInfo info;            /* of the frames that are drawn on */
} App;

/* The streaming thread is about to give @buffer to the element: what is set
 * now counts for this very frame. */
static GstPadProbeReturn
before_detection (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  App *app = data;
  GstClockTime time = GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info));
  const Change *due = NULL;

  while (app->next < app->n_changes && (app->changes[app->next].at == 0
          || (GST_CLOCK_TIME_IS_VALID (time)
              && app->changes[app->next].at <= time)))
    due = &app->changes[app->next++];
  if (due != NULL) {
    g_object_set (app->detector, "prompt", due->text, NULL);
    app->prompt = due->text;
  }
  return GST_PAD_PROBE_OK;
}

/* One box of a buffer. The parameter "detection" has more than the score. */
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

/* Returns: (transfer full) (element-type DrawBox): all boxes of a buffer */
static GArray *
read_boxes (GstBuffer * buffer)
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

static GstPadProbeReturn
after_detection (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  App *app = data;
  g_autoptr (GArray) boxes = read_boxes (GST_PAD_PROBE_INFO_BUFFER (info));

  app->frames++;
  app->boxes += boxes->len;
  return GST_PAD_PROBE_OK;
}

/* Writes the prompt on the frame; stands in for objectdetectionoverlay too. */
static GstPadProbeReturn
draw_frame (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  App *app = data;
  g_autoptr (GArray) boxes = NULL;
  GstBuffer *buffer;
  GstVideoFrame frame;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM) {
    GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);
    GstCaps *caps;

    if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
      gst_event_parse_caps (event, &caps);
      gst_video_info_from_caps (&app->info, caps);
    }
    return GST_PAD_PROBE_OK;
  }

  buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  boxes = read_boxes (buffer);
  if (gst_video_frame_map (&frame, &app->info, buffer, GST_MAP_READWRITE)) {
    DrawPicture picture = {
      .pixels = GST_VIDEO_FRAME_PLANE_DATA (&frame, 0),
      .width = GST_VIDEO_FRAME_WIDTH (&frame),
      .height = GST_VIDEO_FRAME_HEIGHT (&frame),
      .stride = GST_VIDEO_FRAME_PLANE_STRIDE (&frame, 0),
    };

    draw_caption (&picture, app->prompt != NULL ? app->prompt : "");
    if (app->own_boxes)
      draw_boxes (&picture, (const DrawBox *) boxes->data, boxes->len);
    gst_video_frame_unmap (&frame);
  }
  return GST_PAD_PROBE_OK;
}

static void
add_probe (GstElement * element, const char *name, GstPadProbeType type,
    GstPadProbeCallback callback, App * app)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, name);

  gst_pad_add_probe (pad, type, callback, app, NULL);
}

static GstElement *
make_pipeline (App * app, const char *model, const char *input,
    const char *output, GError ** error)
{
  g_autoptr (GstElementFactory) overlay =
      gst_element_factory_find ("objectdetectionoverlay");
  g_autofree char *text = g_strdup_printf ("filesrc name=input ! decodebin ! "
      "videoconvert ! video/x-raw,format=" FORMAT " ! "
      "groundingdino name=detector ! %s ! identity name=drawer ! "
      "queue ! videoconvert ! "
      "vp8enc deadline=1 cpu-used=6 threads=2 end-usage=cq cq-level=12 "
      "target-bitrate=20000000 keyframe-max-dist=60 ! webmmux ! "
      "filesink name=output",
      overlay != NULL ? "objectdetectionoverlay" : "identity");
  GstElement *pipeline = gst_parse_launch (text, error);
  g_autoptr (GstElement) in = NULL;
  g_autoptr (GstElement) out = NULL;
  g_autoptr (GstElement) drawer = NULL;

  if (pipeline == NULL || *error != NULL) {
    gst_clear_object (&pipeline);
    return NULL;
  }
  in = gst_bin_get_by_name (GST_BIN (pipeline), "input");
  out = gst_bin_get_by_name (GST_BIN (pipeline), "output");
  drawer = gst_bin_get_by_name (GST_BIN (pipeline), "drawer");
  app->detector = gst_bin_get_by_name (GST_BIN (pipeline), "detector");
  g_object_set (in, "location", input, NULL);
  g_object_set (out, "location", output, NULL);
  g_object_set (app->detector, "model", model, NULL);

  add_probe (app->detector, "sink", GST_PAD_PROBE_TYPE_BUFFER,
      before_detection, app);
  add_probe (app->detector, "src", GST_PAD_PROBE_TYPE_BUFFER, after_detection,
      app);
  if (draw_is_possible ())
    add_probe (drawer, "src", GST_PAD_PROBE_TYPE_BUFFER
        | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, draw_frame, app);
  app->own_boxes = overlay == NULL;
  printf ("boxes are drawn by %s\n", overlay != NULL ?
      "objectdetectionoverlay" : draw_is_possible ()? "this program" :
      "nobody: this program was built without cairo");
  return pipeline;
}

/* Waits for the end. Warnings are shown, and do not stop anything. */
static gboolean
play (GstElement * pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  gboolean running = TRUE, ok = TRUE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (running) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
        GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR
        | GST_MESSAGE_WARNING);
    g_autoptr (GError) reason = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
      gst_message_parse_warning (message, &reason, NULL);
      fprintf (stderr, "warning: %s\n", reason->message);
      continue;
    }
    running = FALSE;
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      gst_message_parse_error (message, &reason, NULL);
      fprintf (stderr, "error: %s\n", reason->message);
      ok = FALSE;
    }
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return ok;
}

/* SECONDS=PROMPT, in order of time. */
static gboolean
parse_changes (App * app, char **arguments, guint n)
{
  app->changes = g_new0 (Change, n);
  for (guint i = 0; i < n; i++) {
    char *end;
    double seconds = g_ascii_strtod (arguments[i], &end);

    if (end == arguments[i] || *end != '=' || !(seconds >= 0 && seconds < 1e9)) {
      fprintf (stderr, "\"%s\" is not SECONDS=PROMPT\n", arguments[i]);
      return FALSE;
    }
    app->changes[i].at = (GstClockTime) (seconds * GST_SECOND + 0.5);
    app->changes[i].text = end + 1;
  }
  app->n_changes = n;
  return TRUE;
}

int
main (int argc, char **argv)
{
  App app = { 0 };
  GstElement *pipeline = NULL;
  g_autoptr (GError) error = NULL;
  gint64 start;
  double seconds;
  int status = 1;

  gst_init (&argc, &argv);
  if (argc < 5) {
    fprintf (stderr, "change-prompt MODEL INPUT OUTPUT.webm "
        "SECONDS=PROMPT...\n");
    return 2;
  }
  if (!parse_changes (&app, argv + 4, (guint) argc - 4)) {
    g_free (app.changes);
    return 2;
  }
  pipeline = make_pipeline (&app, argv[1], argv[2], argv[3], &error);
  if (pipeline == NULL) {
    fprintf (stderr, "error: %s\n", error->message);
  } else {
    start = g_get_monotonic_time ();
    status = play (pipeline) ? 0 : 1;
    seconds = (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
    printf ("%u frames, %u boxes, %.1f frames/s\n", app.frames, app.boxes,
        app.frames / seconds);
    gst_object_unref (app.detector);
    gst_object_unref (pipeline);
  }
  g_free (app.changes);
  return status;
}
