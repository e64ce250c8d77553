/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "detect-options.h"

#include <gst/video/video.h>
#include <math.h>
#include <string.h>

#include "gstgdinoprompt.h"

/* Sets the error and is FALSE. */
#define usage_error(error, ...) \
  (g_set_error (error, DETECT_USAGE_ERROR, 0, __VA_ARGS__), FALSE)

/* What GOption fills in before it is checked. */
typedef struct
{
  DetectOptions *out;
  char *nms;
  char *scoring;
  double iou_threshold;
  double size_threshold;
  int max_detections;
  int max_passes;
  int every;
} Raw;

static const char summary_text[] =
    "Finds what a prompt names in pictures and videos. Prints one line of JSON\n"
    "for each frame: file, frame, pts (ns), width, height, prompt, revision, and\n"
    "detections with label, score and box [x, y, width, height] in pixels.";

static const char description_text[] =
    "A prompt is phrases that end in '.' or '?': \"a cat. red car.\"\n"
    "\n"
    "Examples:\n"
    "  Find cats in a photograph:\n"
    "    gdino-detect --model PACKAGE --prompt \"a cat.\" photo.jpg\n"
    "  Draw the boxes of every 30th frame of a video into pictures:\n"
    "    gdino-detect --model PACKAGE --prompt \"a bus. a person.\" --every 30 \\\n"
    "      --annotate pictures street.mp4\n"
    "  Look for something else from second 5 on, and write a video with boxes:\n"
    "    gdino-detect --model PACKAGE --prompt \"a dog.\" --at 5=\"a red ball.\" \\\n"
    "      --video found.webm clip.webm\n"
    "  Count the boxes by label:\n"
    "    gdino-detect --model PACKAGE --prompt \"a cat. a dog.\" *.jpg |\n"
    "      jq -r '.detections[].label' | sort | uniq -c\n"
    "\n"
    "PACKAGE is a folder made by gdino-compile. One that was compiled for several\n"
    "frames a run (--batch) gets that many at a time, of several files too.\n"
    "Pictures and videos that carry an orientation are turned upright first.\n"
    "Exit status: 0 all is well, 1 a file could not be read or written or the model\n"
    "failed, 2 the command line is wrong.";

GQuark
detect_usage_error_quark (void)
{
  return g_quark_from_static_string ("detect-usage-error-quark");
}

static void
clear_change (gpointer data)
{
  g_free (((DetectChange *) data)->text);
}

void
detect_options_free (DetectOptions * self)
{
  if (self == NULL)
    return;
  g_free (self->model);
  g_free (self->device);
  g_free (self->prompt);
  g_free (self->prompt_path);
  g_clear_pointer (&self->changes, g_array_unref);
  g_free (self->annotate);
  g_free (self->picture_format);
  g_free (self->video);
  g_free (self->output);
  g_strfreev (self->files);
  g_free (self);
}

/* SECONDS=PROMPT */
static gboolean
parse_at (const gchar * name, const gchar * value, gpointer data,
    GError ** error)
{
  Raw *raw = data;
  DetectChange change;
  char *end;
  double seconds = g_ascii_strtod (value, &end);

  if (end == value || *end != '=' || !(seconds >= 0 && seconds < 1e9)) {
    g_autofree char *shown = g_utf8_make_valid (value, -1);

    return usage_error (error,
        "--at is \"%s\", must be SECONDS=PROMPT, such as " "5.5=\"a red car.\"",
        shown);
  }
  change.at = (GstClockTime) (seconds * GST_SECOND + 0.5);
  change.text = g_strdup (end + 1);
  g_array_append_val (raw->out->changes, change);
  return TRUE;
}

static gint
compare_changes (gconstpointer a, gconstpointer b)
{
  const DetectChange *one = a;
  const DetectChange *two = b;

  return (one->at > two->at) - (one->at < two->at);
}

static gboolean
check_prompts (DetectOptions * self, GError ** error)
{
  DetectChange first = { 0, NULL };

  if (self->prompt != NULL && self->prompt_path != NULL)
    return usage_error (error, "give --prompt or --prompt-path, not both");
  if (self->prompt == NULL && self->prompt_path == NULL
      && self->changes->len == 0)
    return usage_error (error, "nothing to look for: give --prompt \"...\", "
        "--prompt-path FILE or --at SECONDS=PROMPT");

  if (self->prompt_path != NULL) {
    first.text = gst_gdino_prompt_read_file (self->prompt_path, error);
    if (first.text == NULL)
      return FALSE;
  } else {
    first.text = g_strdup (self->prompt != NULL ? self->prompt : "");
  }
  /* Sorting is stable: of two at one time the later one counts. */
  g_array_prepend_val (self->changes, first);
  g_array_sort (self->changes, compare_changes);
  return TRUE;
}

static gboolean
check_fraction (const char *name, double value, gboolean needed,
    GError ** error)
{
  if ((value >= 0 && value <= 1) || (!needed && value == -1))
    return TRUE;
  return usage_error (error, "%s is %g, must be 0 to 1", name, value);
}

static gboolean
check_choices (Raw * raw, GError ** error)
{
  DetectOptions *self = raw->out;

  if (g_strcmp0 (raw->nms, "off") == 0)
    self->params.nms = GDINO_NMS_OFF;
  else if (g_strcmp0 (raw->nms, "all") == 0)
    self->params.nms = GDINO_NMS_ALL;
  else if (raw->nms != NULL && strcmp (raw->nms, "phrase") != 0)
    return usage_error (error, "--nms is \"%s\", must be off, phrase or all",
        raw->nms);

  if (g_strcmp0 (raw->scoring, "mean") == 0)
    self->params.scoring = GDINO_SCORING_MEAN;
  else if (raw->scoring != NULL && strcmp (raw->scoring, "max") != 0)
    return usage_error (error, "--scoring is \"%s\", must be max or mean",
        raw->scoring);

  if (self->picture_format == NULL)
    self->picture_format = g_strdup ("png");
  if (strcmp (self->picture_format, "png") != 0
      && strcmp (self->picture_format, "jpeg") != 0)
    return usage_error (error,
        "--picture-format is \"%s\", must be png or jpeg",
        self->picture_format);
  return TRUE;
}

static gboolean
check_numbers (Raw * raw, GError ** error)
{
  DetectOptions *self = raw->out;

  if (!check_fraction ("--box-threshold", self->box_threshold, FALSE, error)
      || !check_fraction ("--text-threshold", self->text_threshold, FALSE,
          error)
      || !check_fraction ("--iou-threshold", raw->iou_threshold, TRUE, error)
      || !check_fraction ("--size-threshold", raw->size_threshold, TRUE, error))
    return FALSE;
  if (raw->max_detections < 1)
    return usage_error (error, "--max-detections is %d, must be at least 1",
        raw->max_detections);
  if (raw->max_passes < 1 || raw->max_passes > GDINO_PROMPT_MAX_PASSES)
    return usage_error (error, "--max-passes is %d, must be 1 to %d",
        raw->max_passes, GDINO_PROMPT_MAX_PASSES);
  if (raw->every < 1)
    return usage_error (error, "--every is %d, must be at least 1", raw->every);

  self->params.iou_threshold = (float) raw->iou_threshold;
  self->params.size_threshold = (float) raw->size_threshold;
  self->params.max_detections = (guint) raw->max_detections;
  self->max_passes = (guint) raw->max_passes;
  self->every = (guint) raw->every;
  return TRUE;
}

static gboolean
check (Raw * raw, GError ** error)
{
  DetectOptions *self = raw->out;

  if (self->version)
    return TRUE;
  if (self->model == NULL)
    return usage_error (error,
        "no model: give --model FOLDER, made by gdino-compile");
  if (self->files == NULL || self->files[0] == NULL)
    return usage_error (error, "no FILE to look at");
  if (self->video != NULL && self->files[1] != NULL)
    return usage_error (error, "--video takes one FILE, %u are given",
        g_strv_length (self->files));
  if (self->video != NULL && strcmp (self->video, self->files[0]) == 0)
    return usage_error (error, "--video would overwrite %s", self->files[0]);
  return check_numbers (raw, error) && check_choices (raw, error)
      && check_prompts (self, error);
}

static GOptionContext *
make_context (Raw * raw)
{
  DetectOptions *o = raw->out;
  const GOptionEntry entries[] = {
    {"model", 'm', 0, G_OPTION_ARG_FILENAME, &o->model,
        "Model package to run (required)", "FOLDER"},
    {"prompt", 'p', 0, G_OPTION_ARG_FILENAME, &o->prompt,
        "What to look for", "TEXT"},
    {"prompt-path", 0, 0, G_OPTION_ARG_FILENAME, &o->prompt_path,
        "Read the prompt from a file, a phrase a line", "FILE"},
    {"at", 0, G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK,
          (gpointer) (guintptr) parse_at,
          "Change the prompt at a stream time; may be repeated",
        "SECONDS=TEXT"},
    {"box-threshold", 'b', 0, G_OPTION_ARG_DOUBLE, &o->box_threshold,
          "Report boxes that score above this, 0 to 1 (default: the package's)",
        "SCORE"},
    {"text-threshold", 't', 0, G_OPTION_ARG_DOUBLE, &o->text_threshold,
        "Count further phrases of a box above this, 0 to 1 (default: the "
          "package's)", "SCORE"},
    {"nms", 0, 0, G_OPTION_ARG_STRING, &raw->nms,
          "Which boxes suppress each other: off, phrase, all (default: phrase)",
        "WHICH"},
    {"iou-threshold", 0, 0, G_OPTION_ARG_DOUBLE, &raw->iou_threshold,
        "Overlap above which they do, 0 to 1 (default: 0.7)", "OVERLAP"},
    {"size-threshold", 0, 0, G_OPTION_ARG_DOUBLE, &raw->size_threshold,
          "Drop boxes over this part of the frame, 0 to 1 (default: 1, none)",
        "PART"},
    {"scoring", 0, 0, G_OPTION_ARG_STRING, &raw->scoring,
        "A phrase scores as its best word piece or their mean: max, mean "
          "(default: max)", "HOW"},
    {"max-detections", 0, 0, G_OPTION_ARG_INT, &raw->max_detections,
        "Most boxes of a frame, best first (default: 300)", "N"},
    {"max-passes", 0, 0, G_OPTION_ARG_INT, &raw->max_passes,
          "Most runs for a frame when phrases do not fit into one (default: 1)",
        "N"},
    {"every", 0, 0, G_OPTION_ARG_INT, &raw->every,
        "Look at every Nth frame only (default: 1)", "N"},
    {"device", 0, 0, G_OPTION_ARG_STRING, &o->device,
        "auto, cpu, cuda or cuda:N (default: auto)", "DEVICE"},
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o->output,
        "Write the JSON lines to a file instead of standard output", "FILE"},
    {"annotate", 'a', 0, G_OPTION_ARG_FILENAME, &o->annotate,
        "Write each frame with its boxes into a folder", "FOLDER"},
    {"picture-format", 0, 0, G_OPTION_ARG_STRING, &o->picture_format,
        "Kind of those pictures: png, jpeg (default: png)", "KIND"},
    {"video", 0, 0, G_OPTION_ARG_FILENAME, &o->video,
        "Write a WebM video with the boxes (one FILE only)", "FILE"},
    {"summary", 's', 0, G_OPTION_ARG_NONE, &o->summary,
        "Say at the end what was found, on standard error", NULL},
    {"version", 0, 0, G_OPTION_ARG_NONE, &o->version,
        "Print the version", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->files, NULL,
        "FILE..."},
    G_OPTION_ENTRY_NULL
  };
  GOptionContext *context = g_option_context_new (NULL);
  GOptionGroup *group = g_option_group_new ("main", "", "", raw, NULL);

  g_option_group_add_entries (group, entries);
  g_option_context_set_main_group (context, group);
  g_option_context_add_group (context, gst_init_get_option_group ());
  g_option_context_set_summary (context, summary_text);
  g_option_context_set_description (context, description_text);
  return context;
}

DetectOptions *
detect_options_parse (int *argc, char ***argv, GError ** error)
{
  g_autoptr (DetectOptions) self = g_new0 (DetectOptions, 1);
  g_autoptr (GOptionContext) context = NULL;
  Raw raw = {
    .out = self,
    .iou_threshold = -1,
    .size_threshold = -1,
    .max_detections = -1,
    .max_passes = 1,
    .every = 1,
  };
  gboolean ok;

  gdino_decode_params_init (&self->params);
  self->box_threshold = self->text_threshold = -1;
  self->changes = g_array_new (FALSE, FALSE, sizeof (DetectChange));
  g_array_set_clear_func (self->changes, clear_change);
  raw.iou_threshold = (double) self->params.iou_threshold;
  raw.size_threshold = (double) self->params.size_threshold;
  raw.max_detections = (int) self->params.max_detections;

  context = make_context (&raw);
  ok = g_option_context_parse (context, argc, argv, error)
      && check (&raw, error);
  g_free (raw.nms);
  g_free (raw.scoring);
  return ok ? g_steal_pointer (&self) : NULL;
}
