/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Four streams side by side, each with a prompt of its own, and one engine:
 *
 *   four-streams [OPTION...] MODEL PROMPT PROMPT PROMPT PROMPT
 *
 * Elements with the same package and device share what is loaded, so that the
 * weights are in memory once, and their runs take turns. Every text is
 * understood once, whichever stream brings it. */

#include <gst/gst.h>
#include <stdio.h>

#include "boxes.h"
#include "parts.h"
#include "player.h"

#define STREAMS 4
#define WIDTH 640               /* of one tile */
#define HEIGHT 360

typedef struct
{
  char **sources;
  char *output;
  int frames;
} Options;

/* A source, opened once however many streams look at it. All tiles have the
 * same shape, with bars where the source has another. */
static gboolean
add_source (GString * text, guint index, const char *source, GError ** error)
{
  g_autofree char *input = parts_source (source, error);

  if (input == NULL)
    return FALSE;
  g_string_append_printf (text, " %s ! videoconvert ! "
      "videoscale add-borders=true ! " BOXES_CAPS ",width=%d,height=%d,"
      "pixel-aspect-ratio=1/1 ! identity name=gate%u ! tee name=source%u",
      input, WIDTH, HEIGHT, index, index);
  return TRUE;
}

/* A live source does not wait for a slow model: what is old goes. */
static void
add_stream (GString * text, guint index, guint source, gboolean live)
{
  g_autofree char *name = g_strdup_printf ("drawing%u", index);
  g_autofree char *drawing = boxes_pipeline_text (name);

  g_string_append_printf (text, " source%u. ! queue %s ! "
      "groundingdino name=detector%u ! %s ! queue ! all.sink_%u", source,
      live ? "leaky=downstream max-size-buffers=1" : "", index, drawing, index);
}

static GstElement *
make_pipeline (const Options * options, GError ** error)
{
  const guint n_sources = g_strv_length (options->sources);
  g_autoptr (GString) text = g_string_new ("compositor name=all");
  g_autofree char *recording = NULL;

  for (guint i = 0; i < STREAMS; i++)
    g_string_append_printf (text, " sink_%u::xpos=%u sink_%u::ypos=%u",
        i, i % 2 * WIDTH, i, i / 2 * HEIGHT);
  if (options->output != NULL)
    recording = parts_recording (options->output);
  g_string_append_printf (text, " ! queue ! %s", recording != NULL ?
      recording : "videoconvert ! autovideosink");
  for (guint i = 0; i < n_sources; i++)
    if (!add_source (text, i, options->sources[i], error))
      return NULL;
  for (guint i = 0; i < STREAMS; i++)
    add_stream (text, i, i % n_sources,
        parts_source_is_live (options->sources[i % n_sources]));
  return gst_parse_launch_full (text->str, NULL, GST_PARSE_FLAG_FATAL_ERRORS,
      error);
}

static GstElement *
find (GstElement * pipeline, const char *kind, guint index)
{
  g_autofree char *name = g_strdup_printf ("%s%u", kind, index);

  return gst_bin_get_by_name (GST_BIN (pipeline), name);
}

/* Counters of each stream. The text graph belongs to the engine that all of
 * them share, so they agree on how often it ran. */
static void
print_statistics (GstElement ** detectors)
{
  for (guint i = 0; i < STREAMS; i++) {
    g_autoptr (GstStructure) stats = NULL;
    g_autofree char *prompt = NULL;
    guint64 frames = 0, detections = 0, texts = 0;

    g_object_get (detectors[i], "stats", &stats, "prompt", &prompt, NULL);
    gst_structure_get (stats, "frames", G_TYPE_UINT64, &frames, "detections",
        G_TYPE_UINT64, &detections, "text-runs", G_TYPE_UINT64, &texts, NULL);
    printf ("%s: \"%s\": %" G_GUINT64_FORMAT " frames, %" G_GUINT64_FORMAT
        " boxes; texts in the shared engine: %" G_GUINT64_FORMAT "\n",
        GST_OBJECT_NAME (detectors[i]), prompt, frames, detections, texts);
  }
}

static gboolean
run (GstElement * pipeline, const Options * options, const char *model,
    char **prompts)
{
  const guint n_sources = g_strv_length (options->sources);
  Player *player = player_new (pipeline);
  GstElement *detectors[STREAMS];
  gboolean ok;

  for (guint i = 0; i < STREAMS; i++) {
    g_autofree char *drawing = g_strdup_printf ("drawing%u", i);

    detectors[i] = find (pipeline, "detector", i);
    g_object_set (detectors[i], "model", model, "prompt", prompts[i], NULL);
    boxes_draw_at (GST_BIN (pipeline), drawing);
  }
  for (guint i = 0; i < n_sources; i++) {
    g_autoptr (GstElement) gate = find (pipeline, "gate", i);

    player_add_gate (player, gate, (guint) options->frames);
  }
  ok = player_run (player);
  print_statistics (detectors);
  for (guint i = 0; i < STREAMS; i++)
    gst_object_unref (detectors[i]);
  player_free (player);
  return ok;
}

static gboolean
parse_options (Options * options, int *argc, char ***argv, GError ** error)
{
  const GOptionEntry entries[] = {
    {"source", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &options->sources,
        "of the first stream; give it again for the next ones. With fewer "
          "than four they start over: " PARTS_SOURCES, "SOURCE"},
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options->output,
        "record what would be shown", "FILE.webm"},
    {"frames", 'n', 0, G_OPTION_ARG_INT, &options->frames,
        "end each stream after N frames", "N"},
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("MODEL PROMPT PROMPT PROMPT PROMPT");

  g_option_context_set_summary (context, "Finds something else in each of four "
      "streams, with one engine, and shows them side by side.");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  if (*argc != 2 + STREAMS || options->frames < 0) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED, "%s",
        options->frames < 0 ? "--frames: less than 0"
        : "MODEL and four PROMPTs are expected; see --help");
    return FALSE;
  }
  if (options->sources != NULL && g_strv_length (options->sources) > STREAMS) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
        "there are four streams, and more sources");
    return FALSE;
  }
  if (options->sources == NULL)
    options->sources = g_strsplit ("camera", ",", -1);
  return TRUE;
}

int
main (int argc, char **argv)
{
  Options options = { 0 };
  g_autoptr (GstElement) pipeline = NULL;
  g_autoptr (GError) error = NULL;
  int status = 1;

  setvbuf (stdout, NULL, _IOLBF, 0);
  if (!parse_options (&options, &argc, &argv, &error)) {
    fprintf (stderr, "four-streams: %s\n", error->message);
    status = 2;
  } else if ((pipeline = make_pipeline (&options, &error)) == NULL) {
    fprintf (stderr, "four-streams: %s\n", error->message);
  } else if (run (pipeline, &options, argv[1], argv + 2)) {
    status = 0;
  }
  g_strfreev (options.sources);
  g_free (options.output);
  return status;
}
