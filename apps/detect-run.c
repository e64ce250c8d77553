/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "detect-run.h"

#include <errno.h>
#include <gst/video/video.h>
#include <string.h>

#include "detect-drawing.h"
#include "detect-output.h"
#include "detect-source.h"
#include "gstgdinoframe.h"

#define PROGRESS_INTERVAL (G_USEC_PER_SEC / 4)

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

void
detect_run_clear_progress (DetectApp * self)
{
  if (self->progress)
    fputs ("\r\033[K", stderr);
}

/* @file: (nullable) in the file system's encoding; @kind: "" or "warning: " */
void
detect_run_complain (DetectApp * self, const char *file, const char *kind,
    const char *message)
{
  g_autofree char *shown = NULL;

  if (file != NULL)
    shown = g_filename_display_name (file);
  detect_run_clear_progress (self);
  g_printerr ("gdino-detect: %s%s%s%s\n", kind, file != NULL ? shown : "",
      file != NULL ? ": " : "", message);
}

static void
show_progress (DetectApp * self, const Run * run)
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
make_stem (DetectApp * self, const char *file)
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
prepare_frame (DetectApp * self, Run * run, GstSample * sample, GError ** error)
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
find_prompt (DetectApp * self, GstSample * sample)
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
detect (DetectApp * self, Run * run, GstSample * sample, GError ** error)
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
draw (DetectApp * self, Run * run, GstSample * sample, gboolean is_new,
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
process_frame (DetectApp * self, Run * run, GstSample * sample, GError ** error)
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

gboolean
detect_run_file (DetectApp * self, const char *file, GError ** error)
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
    detect_run_complain (self, file, "warning: ",
        detect_source_get_warning (source));
  if (reason == NULL)
    return TRUE;
  g_propagate_error (error, reason);
  return FALSE;
}
