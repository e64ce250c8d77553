/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Files in, JSON lines out. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <gdino/gdino.h>
#include <glib/gstdio.h>
#include <gst/video/video.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

#include "detect-drawing.h"
#include "detect-options.h"
#include "detect-output.h"
#include "detect-source.h"
#include "detect-summary.h"
#include "detect-video.h"
#include "draw.h"
#include "gstgdinoframe.h"
#include "gstgdinoprompt.h"

#define EXIT_FAILED 1
#define EXIT_USAGE 2
#define PROGRESS_INTERVAL (G_USEC_PER_SEC / 4)

/* What lasts as long as the program. */
typedef struct
{
  DetectOptions *options;
  GdinoDetector *detector;
  GPtrArray *prompts;           /* one GdinoPrompt for each change */
  FILE *output;
  DetectVideo *video;           /* (nullable) */
  DetectSummary *summary;
  GHashTable *stems;            /* names of pictures, by how often used */
  gboolean progress;            /* someone watches standard error */
  gint64 progress_time;
} App;

/* What lasts as long as one file. */
typedef struct
{
  const char *file;
  char *stem;                   /* of its annotated pictures */
  GstCaps *caps;                /* (nullable): of the frame before */
  GstVideoInfo info;
  GstGdinoFrame *frame;         /* (nullable): reads frames of @caps */
  GdinoDetections *found;       /* (nullable): in the last frame looked at */
  guint64 number;
  gint64 start_time;
} Run;

static void
clear_progress (App * self)
{
  if (self->progress)
    fputs ("\r\033[K", stderr);
}

/* @file: (nullable) in the file system's encoding; @kind: "" or "warning: " */
static void
complain (App * self, const char *file, const char *kind, const char *message)
{
  g_autofree char *shown = NULL;

  if (file != NULL)
    shown = g_filename_display_name (file);
  clear_progress (self);
  g_printerr ("gdino-detect: %s%s%s%s\n", kind, file != NULL ? shown : "",
      file != NULL ? ": " : "", message);
}

static void
show_progress (App * self, const Run * run)
{
  gint64 now = g_get_monotonic_time ();
  double seconds = (double) (now - run->start_time) / G_USEC_PER_SEC;

  if (!self->progress || now - self->progress_time < PROGRESS_INTERVAL)
    return;
  self->progress_time = now;
  fprintf (stderr, "\r\033[K%s: frame %" G_GUINT64_FORMAT ", %.1f frames/s",
      run->file, run->number + 1, (double) (run->number + 1) / seconds);
  fflush (stderr);
}

static void
clear_run (Run * run)
{
  g_free (run->stem);
  gst_clear_caps (&run->caps);
  g_clear_pointer (&run->frame, gst_gdino_frame_free);
  g_clear_pointer (&run->found, gdino_detections_unref);
}

/* Name for the pictures of @file that no other file has. */
static char *
make_stem (App * self, const char *file)
{
  g_autofree char *base = g_path_get_basename (file);
  char *dot = strrchr (base, '.');
  guint used;

  if (dot != NULL && dot != base)
    *dot = '\0';
  used = GPOINTER_TO_UINT (g_hash_table_lookup (self->stems, base)) + 1;
  g_hash_table_insert (self->stems, g_strdup (base), GUINT_TO_POINTER (used));
  return used == 1 ? g_strdup (base) : g_strdup_printf ("%s-%u", base, used);
}

/* Gets ready to read frames such as @sample; called again when they change. */
static gboolean
prepare_frame (App * self, Run * run, GstSample * sample, GError ** error)
{
  GdinoPackage *package =
      gdino_engine_get_package (gdino_detector_get_engine (self->detector));
  GstCaps *caps = gst_sample_get_caps (sample);
  guint width, height;
  guint8 pad[3];

  if (run->caps != NULL && caps != NULL && gst_caps_is_equal (run->caps, caps))
    return TRUE;

  gst_caps_replace (&run->caps, caps);
  g_clear_pointer (&run->frame, gst_gdino_frame_free);
  if (caps == NULL || !gst_video_info_from_caps (&run->info, caps)) {
    g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "a frame has caps that are not raw video");
    return FALSE;
  }
  gdino_package_get_canvas (package, &width, &height);
  gdino_package_get_pad (package, pad);
  run->frame = gst_gdino_frame_new (&run->info, width, height, pad, error);
  return run->frame != NULL;
}

/* The prompt that counts at the sample's stream time. */
static GdinoPrompt *
find_prompt (App * self, GstSample * sample)
{
  GArray *changes = self->options->changes;
  GstClockTime time = gst_segment_to_stream_time (gst_sample_get_segment
      (sample), GST_FORMAT_TIME,
      GST_BUFFER_PTS (gst_sample_get_buffer (sample)));
  guint current = 0;

  if (!GST_CLOCK_TIME_IS_VALID (time))
    time = 0;
  for (guint i = 0; i < changes->len; i++)
    if (g_array_index (changes, DetectChange, i).at <= time)
      current = i;
  return g_ptr_array_index (self->prompts, current);
}

static gboolean
detect (App * self, Run * run, GstSample * sample, GError ** error)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  DetectFrame line = {
    .file = run->file,
    .number = run->number,
    .pts = GST_BUFFER_PTS (buffer),
  };
  const guint8 *canvas;
  gsize stride;
  GdinoTimings timings;

  g_clear_pointer (&run->found, gdino_detections_unref);
  if (!prepare_frame (self, run, sample, error)
      || !gst_gdino_frame_load (run->frame, buffer, error))
    return FALSE;

  canvas = gst_gdino_frame_get_canvas (run->frame, &stride);
  run->found = gdino_detector_detect (self->detector, canvas, stride,
      gst_gdino_frame_get_letterbox (run->frame), find_prompt (self, sample),
      &self->options->params, &timings, error);
  if (run->found == NULL)
    return FALSE;
  detect_summary_add (self->summary, run->found, &timings);

  line.width = (guint) run->info.width;
  line.height = (guint) run->info.height;
  if (detect_output_write_line (self->output, &line, run->found))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
      "cannot write %s: %s", self->options->output != NULL ?
      self->options->output : "to standard output", g_strerror (errno));
  return FALSE;
}

/* Draws what was found in this frame, or for a video in the last one that was
 * looked at. */
static gboolean
draw (App * self, Run * run, GstSample * sample, gboolean is_new,
    GError ** error)
{
  const char *caption = gdino_prompt_get_text (find_prompt (self, sample));
  gboolean picture = self->options->annotate != NULL && is_new;
  g_autoptr (GstSample) drawn = NULL;

  if (!picture && self->video == NULL)
    return TRUE;
  drawn = detect_drawing_make (sample, run->found, caption, error);
  if (drawn == NULL)
    return FALSE;

  if (picture) {
    g_autofree char *name = g_strdup_printf ("%s-%06" G_GUINT64_FORMAT ".%s",
        run->stem, run->number, self->options->picture_format);
    g_autofree char *path =
        g_build_filename (self->options->annotate, name, NULL);

    if (!detect_output_write_picture (path, drawn,
            self->options->picture_format, error))
      return FALSE;
  }
  return self->video == NULL || detect_video_push (self->video, drawn, error);
}

static gboolean
process_frame (App * self, Run * run, GstSample * sample, GError ** error)
{
  gboolean is_new = run->number % self->options->every == 0;

  if (is_new && !detect (self, run, sample, error))
    return FALSE;
  if (!draw (self, run, sample, is_new, error))
    return FALSE;
  show_progress (self, run);
  run->number++;
  return TRUE;
}

static gboolean
process_file (App * self, const char *file, GError ** error)
{
  g_autoptr (DetectSource) source = detect_source_open (file, error);
  Run run = {
    .file = file,
    .start_time = g_get_monotonic_time (),
  };
  GError *reason = NULL;
  GstSample *sample;
  gboolean ok = TRUE;

  if (source == NULL)
    return FALSE;
  run.stem = make_stem (self, file);
  while (ok && (sample = detect_source_pull (source, &reason)) != NULL) {
    ok = process_frame (self, &run, sample, &reason);
    gst_sample_unref (sample);
  }
  clear_run (&run);
  if (ok && detect_source_get_warning (source) != NULL)
    complain (self, file, "warning: ", detect_source_get_warning (source));
  if (reason == NULL)
    return TRUE;
  g_propagate_error (error, reason);
  return FALSE;
}

static gboolean
make_prompts (App * self, GError ** error)
{
  GArray *changes = self->options->changes;

  for (guint i = 0; i < changes->len; i++) {
    const char *text = g_array_index (changes, DetectChange, i).text;
    GdinoPrompt *prompt =
        gdino_detector_make_prompt (self->detector, text, error);
    g_autofree char *complaints = NULL;

    if (prompt == NULL)
      return FALSE;
    g_ptr_array_add (self->prompts, prompt);
    complaints = gst_gdino_prompt_complaints (prompt);
    if (complaints != NULL)
      complain (self, NULL, "warning: ", complaints);
  }
  if (changes->len == 1
      && gdino_prompt_is_empty (g_ptr_array_index (self->prompts, 0)))
    complain (self, NULL, "warning: ", "the prompt names nothing to look for");
  return TRUE;
}

static gboolean
open_model (App * self, GError ** error)
{
  DetectOptions *options = self->options;
  const char *device = options->device != NULL ? options->device : "auto";
  g_autoptr (GdinoPackage) package = NULL;
  g_autoptr (GdinoEngine) engine = NULL;
  float box, text;

  if (self->progress)
    fprintf (stderr, "loading %s", options->model);
  package = gdino_package_open (options->model, error);
  if (package != NULL)
    engine = gdino_engine_get (package, device, error);
  clear_progress (self);
  if (engine == NULL)
    return FALSE;

  self->detector = gdino_detector_new (engine);
  gdino_package_get_thresholds (package, &box, &text);
  options->params.box_threshold =
      options->box_threshold < 0 ? box : (float) options->box_threshold;
  options->params.text_threshold =
      options->text_threshold < 0 ? text : (float) options->text_threshold;
  return gdino_decode_params_check (&options->params, error);
}

/* Opens everything that is written to, so that mistakes show at once. */
static gboolean
open_outputs (App * self, GError ** error)
{
  DetectOptions *options = self->options;

  if ((options->annotate != NULL || options->video != NULL)
      && !draw_is_possible ()) {
    g_set_error_literal (error, DETECT_USAGE_ERROR, 0, "--annotate and --video "
        "cannot draw: this program was built without cairo");
    return FALSE;
  }
  if (options->annotate != NULL && g_mkdir_with_parents (options->annotate,
          0777) != 0) {
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
        "cannot make the folder %s: %s", options->annotate, g_strerror (errno));
    return FALSE;
  }
  self->output = stdout;
  if (options->output != NULL && strcmp (options->output, "-") != 0) {
    self->output = g_fopen (options->output, "w");
    if (self->output == NULL) {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
          "cannot write %s: %s", options->output, g_strerror (errno));
      return FALSE;
    }
  }
  if (options->video != NULL)
    self->video = detect_video_new (options->video, error);
  return options->video == NULL || self->video != NULL;
}

static gboolean
close_outputs (App * self, GError ** error)
{
  FILE *output = g_steal_pointer (&self->output);

  if (self->video != NULL && !detect_video_finish (self->video, error))
    return FALSE;
  if (output != NULL && output != stdout && fclose (output) != 0) {
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
        "cannot write %s: %s", self->options->output, g_strerror (errno));
    return FALSE;
  }
  return TRUE;
}

/* After these no further file would fare better. */
static gboolean
is_fatal (const GError * error)
{
  return error->domain == GDINO_ERROR || error->domain == G_FILE_ERROR;
}

/* Returns whether every file went well. */
static gboolean
process_files (App * self)
{
  gboolean ok = TRUE;

  for (char **file = self->options->files; *file != NULL; file++) {
    g_autoptr (GError) error = NULL;

    if (process_file (self, *file, &error))
      continue;
    complain (self, *file, "", error->message);
    ok = FALSE;
    if (is_fatal (error))
      break;
  }
  clear_progress (self);
  return ok;
}

static int
run (App * self)
{
  g_autoptr (GError) error = NULL;
  gint64 start;
  gboolean ok;

  if (!open_model (self, &error)) {
    complain (self, NULL, "", error->message);
    return EXIT_FAILED;
  }
  if (!make_prompts (self, &error) || !open_outputs (self, &error)) {
    complain (self, NULL, "", error->message);
    return error->domain == G_FILE_ERROR ? EXIT_FAILED : EXIT_USAGE;
  }
  start = g_get_monotonic_time ();
  ok = process_files (self);
  if (!close_outputs (self, &error)) {
    complain (self, NULL, "", error->message);
    ok = FALSE;
  }
  if (self->options->summary)
    detect_summary_print (self->summary, stderr,
        (double) self->options->params.box_threshold,
        (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC);
  return ok ? 0 : EXIT_FAILED;
}

static void
clear_app (App * self)
{
  g_clear_pointer (&self->video, detect_video_free);
  g_clear_pointer (&self->detector, gdino_detector_free);
  g_ptr_array_unref (self->prompts);
  g_hash_table_unref (self->stems);
  detect_summary_free (self->summary);
  detect_options_free (self->options);
  if (self->output != NULL && self->output != stdout)
    fclose (self->output);
}

int
main (int argc, char **argv)
{
  App self = { 0 };
  g_autoptr (GError) error = NULL;
  int status = 0;

  setlocale (LC_ALL, "");
  self.options = detect_options_parse (&argc, &argv, &error);
  if (self.options == NULL) {
    g_printerr ("gdino-detect: %s\nTry \"gdino-detect --help\".\n",
        error->message);
    return EXIT_USAGE;
  }
  self.prompts = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gdino_prompt_unref);
  self.stems = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self.summary = detect_summary_new ();
  self.progress = isatty (STDERR_FILENO) != 0;

  if (self.options->version)
    g_print ("gdino-detect %s\n", VERSION);
  else
    status = run (&self);
  clear_app (&self);
  return status;
}
