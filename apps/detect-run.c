/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "detect-run.h"

#include <errno.h>
#include <gst/video/video.h>
#include <string.h>

#include "detect-queue.h"
#include "detect-source.h"
#include "gstgdinoframe.h"

#define PROGRESS_INTERVAL (G_USEC_PER_SEC / 4)

/* What lasts as long as one file is read. */
typedef struct
{
  DetectStream *stream;
  GstCaps *caps;                /* (nullable): of the frame before */
  GstVideoInfo info;
  GstGdinoFrame *frame;         /* (nullable): reads frames of @caps */
  guint64 number;
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

/* After these no further file would fare better. */
static gboolean
is_fatal (const GError * error)
{
  return error->domain == GDINO_ERROR || error->domain == G_FILE_ERROR;
}

gboolean
detect_run_fail (DetectApp * self, const char *file, const GError * error)
{
  detect_run_complain (self, file, "", error->message);
  self->failed = TRUE;
  return !is_fatal (error);
}

void
detect_run_show_progress (DetectApp * self, const char *file, guint64 number,
    gint64 start_time)
{
  gint64 now = g_get_monotonic_time ();
  double seconds = (double) (now - start_time) / G_USEC_PER_SEC;

  if (!self->progress || now - self->progress_time < PROGRESS_INTERVAL)
    return;
  self->progress_time = now;
  fprintf (stderr, "\r\033[K%s: frame %" G_GUINT64_FORMAT ", %.1f frames/s",
      file, number + 1, (double) (number + 1) / seconds);
  fflush (stderr);
}

static void
clear_run (Run * run)
{
  gst_clear_caps (&run->caps);
  g_clear_pointer (&run->frame, gst_gdino_frame_free);
  g_clear_pointer (&run->stream, detect_stream_unref);
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

/* Makes the canvas of a frame that is to be looked at, and hands it on.
 * @go_on: (out): FALSE when no other frame would fare better */
static gboolean
process_frame (DetectApp * self, Run * run, GstSample * sample,
    gboolean * go_on, GError ** error)
{
  gboolean is_new = run->number % self->options->every == 0;
  DetectFrameInfo info = {
    .number = run->number++,
    .prompt = find_prompt (self, sample),
  };

  if (is_new) {
    if (!prepare_frame (self, run, sample, error)
        || !gst_gdino_frame_load (run->frame, gst_sample_get_buffer (sample),
            error))
      return FALSE;
    info.frame = run->frame;
    info.width = (guint) run->info.width;
    info.height = (guint) run->info.height;
  }
  *go_on = detect_queue_push (self, run->stream, sample, &info);
  return TRUE;
}

gboolean
detect_run_file (DetectApp * self, const char *file)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (DetectSource) source = detect_source_open (file, &error);
  Run run = { 0 };
  GstSample *sample;
  gboolean ok = TRUE, go_on = TRUE;

  if (source == NULL)
    return detect_run_fail (self, file, error);
  run.stream = g_rc_box_new0 (DetectStream);
  run.stream->file = file;
  run.stream->stem = make_stem (self, file);
  run.stream->start_time = g_get_monotonic_time ();
  while (ok && go_on && !run.stream->failed
      && (sample = detect_source_pull (source, &error)) != NULL) {
    ok = process_frame (self, &run, sample, &go_on, &error);
    gst_sample_unref (sample);
  }
  if (error != NULL)
    go_on = detect_run_fail (self, file, error) && go_on;
  else if (go_on && !run.stream->failed
      && detect_source_get_warning (source) != NULL)
    detect_run_complain (self, file, "warning: ",
        detect_source_get_warning (source));
  clear_run (&run);
  return go_on;
}
