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
#include <stdio.h>

#include "boxes.h"
#include "parts.h"
#include "player.h"

typedef struct
{
  GstClockTime at;
  const char *text;
} Change;

typedef struct
{
  GstElement *detector;
  Change *changes;
  guint n_changes;
  guint next;                   /* first change that is still to come */
  guint frames;
  guint boxes;
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
  if (due != NULL)
    g_object_set (app->detector, "prompt", due->text, NULL);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
after_detection (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  App *app = data;
  g_autoptr (GArray) boxes = boxes_read (GST_PAD_PROBE_INFO_BUFFER (info));

  app->frames++;
  app->boxes += boxes->len;
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
  g_autofree char *drawing = boxes_pipeline_text ("drawing");
  g_autofree char *recording = parts_recording (output);
  g_autofree char *text = g_strdup_printf ("filesrc name=input ! decodebin ! "
      "videoconvert ! " BOXES_CAPS " ! groundingdino name=detector ! %s ! "
      "queue ! %s", drawing, recording);
  GstElement *pipeline = gst_parse_launch (text, error);
  g_autoptr (GstElement) in = NULL;

  if (pipeline == NULL || *error != NULL) {
    gst_clear_object (&pipeline);
    return NULL;
  }
  in = gst_bin_get_by_name (GST_BIN (pipeline), "input");
  app->detector = gst_bin_get_by_name (GST_BIN (pipeline), "detector");
  g_object_set (in, "location", input, NULL);
  g_object_set (app->detector, "model", model, NULL);

  add_probe (app->detector, "sink", GST_PAD_PROBE_TYPE_BUFFER,
      before_detection, app);
  add_probe (app->detector, "src", GST_PAD_PROBE_TYPE_BUFFER, after_detection,
      app);
  boxes_draw_at (GST_BIN (pipeline), "drawing");
  printf ("boxes are drawn by %s\n", boxes_drawn_by ());
  return pipeline;
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
  Player *player;
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
    player = player_new (pipeline);
    start = g_get_monotonic_time ();
    status = player_run (player) ? 0 : 1;
    seconds = (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
    printf ("%u frames, %u boxes, %.1f frames/s\n", app.frames, app.boxes,
        app.frames / seconds);
    player_free (player);
    gst_object_unref (app.detector);
    gst_object_unref (pipeline);
  }
  g_free (app.changes);
  return status;
}
