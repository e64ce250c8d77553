/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Finds objects in a camera's picture. What to look for is typed while it
 * plays:
 *
 *   camera [OPTION...] MODEL [PROMPT]
 *
 * The pipeline is text; the program sets properties of its elements, reads the
 * boxes in a pad probe and listens to the bus (player.c). */

#include <gst/gst.h>
#include <stdio.h>
#include <string.h>

#include "boxes.h"
#include "parts.h"
#include "player.h"

#define STEP 0.05               /* of a threshold */

#define HELP \
  "Type while it plays, and press Enter:\n" \
  "  a dog. a cup.  look for these from the next frame on\n" \
  "  + or -         raise or lower the box threshold by 0.05; +++ is three steps\n" \
  "  > or <         the same with the text threshold\n" \
  "  s              how many frames there were, and the best score of the last\n" \
  "  ?              this help\n" \
  "  q              quit; so do Ctrl-D and Ctrl-C\n"

typedef struct
{
  char *source;
  char *device;
  char *output;
  int frames;
  gboolean headless;
  gboolean boxes;
  gboolean every_frame;
} Options;

typedef struct
{
  Options options;
  GstElement *pipeline;
  GstElement *detector;
  Player *player;
  guint frames;
  guint found;
} App;

/* The streaming thread has just looked at a frame. */
static GstPadProbeReturn
after_detection (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  App *app = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  g_autoptr (GArray) boxes = boxes_read (buffer);

  app->frames++;
  app->found += boxes->len;
  for (guint i = 0; app->options.boxes && i < boxes->len; i++) {
    const DrawBox *box = &g_array_index (boxes, DrawBox, i);

    printf ("%.3f s: %s %.2f at %.0f,%.0f %.0fx%.0f\n",
        (double) GST_BUFFER_PTS (buffer) / GST_SECOND, box->label, box->score,
        box->x, box->y, box->width, box->height);
  }
  return GST_PAD_PROBE_OK;
}

static void
change_threshold (App * app, const char *property, double change)
{
  float value;

  g_object_get (app->detector, property, &value, NULL);
  value = (float) CLAMP (value + change, 0, 1);
  g_object_set (app->detector, property, value, NULL);
  printf ("%s: %.2f\n", property, value);
}

static void
print_statistics (App * app)
{
  guint64 frames = 0, inferred = 0;
  double best = 0;
  g_autoptr (GstStructure) stats = NULL;

  g_object_get (app->detector, "stats", &stats, NULL);
  gst_structure_get (stats, "frames", G_TYPE_UINT64, &frames, "inferred",
      G_TYPE_UINT64, &inferred, "best-score", G_TYPE_DOUBLE, &best, NULL);
  printf ("%" G_GUINT64_FORMAT " frames, %" G_GUINT64_FORMAT " looked at, "
      "best score of the last %.2f\n", frames, inferred, best);
}

/* A line was typed: a command, or else a prompt. */
static void
on_line (const char *line, gpointer data)
{
  App *app = data;
  g_autofree char *text = g_strstrip (g_strdup (line));
  const double steps = STEP * (double) strlen (text);

  if (*text == '\0')
    return;
  if (strspn (text, "+") == strlen (text))
    change_threshold (app, "box-threshold", steps);
  else if (strspn (text, "-") == strlen (text))
    change_threshold (app, "box-threshold", -steps);
  else if (strspn (text, ">") == strlen (text))
    change_threshold (app, "text-threshold", steps);
  else if (strspn (text, "<") == strlen (text))
    change_threshold (app, "text-threshold", -steps);
  else if (strcmp (text, "s") == 0)
    print_statistics (app);
  else if (strcmp (text, "?") == 0)
    printf (HELP);
  else if (strcmp (text, "q") == 0)
    player_stop (app->player);
  else
    g_object_set (app->detector, "prompt", text, NULL);
  fflush (stdout);
}

/* What becomes of the frames: a window, a file, both or nothing. */
static char *
make_ending (const Options * options)
{
  GString *text = g_string_new ("tee name=end");

  if (!options->headless)
    g_string_append (text, " end. ! queue ! videoconvert ! autovideosink");
  if (options->output != NULL) {
    g_autofree char *recording = parts_recording (options->output);

    g_string_append_printf (text, " end. ! queue ! %s", recording);
  }
  if (options->headless && options->output == NULL)
    g_string_append (text, " end. ! fakesink");
  return g_string_free (text, FALSE);
}

/* Where frames do not wait, the model works on the newest one beside them,
 * and older ones never queue up. */
static gboolean
make_pipeline (App * app, GError ** error)
{
  const Options *options = &app->options;
  const gboolean live = parts_source_is_live (options->source);
  g_autofree char *source = parts_source (options->source, error);
  g_autofree char *drawing = boxes_pipeline_text ("drawing");
  g_autofree char *ending = make_ending (options);
  g_autofree char *text = NULL;

  if (source == NULL)
    return FALSE;
  text = g_strdup_printf ("%s ! videoconvert ! " BOXES_CAPS " ! "
      "identity name=gate ! queue %s ! groundingdino name=detector ! "
      "queue ! %s ! %s", source,
      live ? "leaky=downstream max-size-buffers=1" : "", drawing, ending);
  app->pipeline = gst_parse_launch_full (text, NULL,
      GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (app->pipeline == NULL)
    return FALSE;
  app->detector = gst_bin_get_by_name (GST_BIN (app->pipeline), "detector");
  if ((live || !options->headless) && !options->every_frame)
    gst_util_set_object_arg (G_OBJECT (app->detector), "mode", "newest-frame");
  boxes_draw_at (GST_BIN (app->pipeline), "drawing");
  return TRUE;
}

static gboolean
parse_options (Options * options, int *argc, char ***argv, GError ** error)
{
  const GOptionEntry entries[] = {
    {"source", 's', 0, G_OPTION_ARG_FILENAME, &options->source, PARTS_SOURCES,
        "SOURCE"},
    {"device", 'd', 0, G_OPTION_ARG_STRING, &options->device,
        "where the model runs: auto, cpu, cuda or cuda:N", "DEVICE"},
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options->output,
        "record the picture with its boxes", "FILE.webm"},
    {"headless", 0, 0, G_OPTION_ARG_NONE, &options->headless,
        "open no window", NULL},
    {"frames", 'n', 0, G_OPTION_ARG_INT, &options->frames,
        "end after N frames", "N"},
    {"boxes", 'b', 0, G_OPTION_ARG_NONE, &options->boxes,
        "print a line for each box of each frame", NULL},
    {"every-frame", 0, 0, G_OPTION_ARG_NONE, &options->every_frame,
        "look at every frame, however late that makes it", NULL},
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("MODEL [PROMPT]");

  g_option_context_set_summary (context, "Finds objects in a camera's picture, "
      "or in a video; draws boxes around them.\nMODEL is the folder of a "
      "compiled package; PROMPT names objects, each with a period behind it.");
  g_option_context_set_description (context, HELP "\n"
      "Examples:\n"
      "  camera build/packages/default \"a face. a cup.\"\n"
      "  camera --source street.mp4 --output found.webm build/packages/default "
      "\"a car. a red bus.\"\n"
      "  camera --source rtsp://192.0.2.7/stream --headless --boxes "
      "build/packages/default \"a person.\"\n");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  if (*argc < 2 || *argc > 3 || options->frames < 0) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "%s",
        options->frames < 0 ? "--frames: less than 0"
        : "MODEL and at most one PROMPT are expected; see --help");
    return FALSE;
  }
  if (options->source == NULL)
    options->source = g_strdup ("camera");
  return TRUE;
}

static int
run (App * app, const char *model, const char *prompt)
{
  const Options *options = &app->options;
  const gboolean ends = options->frames > 0
      || !parts_source_is_live (options->source);
  g_autoptr (GstElement) gate =
      gst_bin_get_by_name (GST_BIN (app->pipeline), "gate");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (app->detector, "src");
  gboolean ok;

  g_object_set (app->detector, "model", model, "prompt", prompt, NULL);
  if (options->device != NULL)
    g_object_set (app->detector, "device", options->device, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, after_detection, app,
      NULL);
  printf ("boxes are drawn by %s; type ? and Enter for help\n",
      boxes_drawn_by ());
  app->player = player_new (app->pipeline);
  player_add_gate (app->player, gate, (guint) options->frames);
  player_read_lines (app->player, !ends, on_line, app);
  ok = player_run (app->player);
  printf ("%u frames, %u boxes\n", app->frames, app->found);
  return ok ? 0 : 1;
}

int
main (int argc, char **argv)
{
  App app = { 0 };
  g_autoptr (GError) error = NULL;
  int status = 1;

  setvbuf (stdout, NULL, _IOLBF, 0);
  if (!parse_options (&app.options, &argc, &argv, &error)) {
    fprintf (stderr, "camera: %s\n", error->message);
    status = 2;
  } else if (!make_pipeline (&app, &error)) {
    fprintf (stderr, "camera: %s\n", error->message);
  } else {
    status = run (&app, argv[1], argc > 2 ? argv[2] : NULL);
    player_free (app.player);
    gst_object_unref (app.detector);
    gst_object_unref (app.pipeline);
  }
  g_free (app.options.source);
  g_free (app.options.device);
  g_free (app.options.output);
  return status;
}
