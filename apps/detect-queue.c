/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "detect-queue.h"

#include <errno.h>
#include <string.h>

#include "detect-drawing.h"
#include "detect-output.h"

/* Frames that are not looked at but drawn wait too; of them no more than that,
 * so that memory and decoders do not run dry. */
#define MAX_EXTRA 16

typedef struct
{
  DetectStream *stream;
  GstSample *sample;            /* (nullable): to draw on */
  GstClockTime pts;
  DetectFrameInfo info;         /* its frame is not to be used any more */
  gboolean looked_at;
  GdinoLetterbox letterbox;
} Item;

struct _DetectQueue
{
  GArray *items;                /* of Item, in order of arrival */
  guint n_slots;                /* B */
  guint n_used;                 /* items that are looked at */
  gsize stride;
  gsize canvas_size;
  guint8 *canvases;             /* B of them */
  GdinoDetections **found;      /* B of them */
};

static void
free_stream (gpointer data)
{
  DetectStream *self = data;

  g_free (self->stem);
  g_clear_pointer (&self->found, gdino_detections_unref);
}

void
detect_stream_unref (DetectStream * self)
{
  g_rc_box_release_full (self, free_stream);
}

static void
clear_item (gpointer data)
{
  Item *item = data;

  detect_stream_unref (item->stream);
  g_clear_pointer (&item->sample, gst_sample_unref);
}

DetectQueue *
detect_queue_new (GdinoDetector * detector)
{
  GdinoPackage *package =
      gdino_engine_get_package (gdino_detector_get_engine (detector));
  DetectQueue *self = g_new0 (DetectQueue, 1);
  guint width, height;

  gdino_package_get_canvas (package, &width, &height);
  self->items = g_array_new (FALSE, FALSE, sizeof (Item));
  g_array_set_clear_func (self->items, clear_item);
  self->n_slots = gdino_package_get_batch (package);
  self->stride = (gsize) width *3;
  self->canvas_size = self->stride * height;
  self->canvases = g_malloc (self->canvas_size * self->n_slots);
  self->found = g_new0 (GdinoDetections *, self->n_slots);
  return self;
}

void
detect_queue_free (DetectQueue * self)
{
  if (self == NULL)
    return;
  g_array_unref (self->items);
  g_free (self->canvases);
  g_free (self->found);
  g_free (self);
}

/* Runs the model on all that waits to be looked at. */
static gboolean
run (DetectApp * app, GError ** error)
{
  DetectQueue *self = app->queue;
  g_autofree GdinoFrame *frames = g_new (GdinoFrame, self->n_slots);
  GdinoTimings timings;
  guint slot = 0;

  if (self->n_used == 0)
    return TRUE;
  for (guint i = 0; i < self->items->len; i++) {
    const Item *item = &g_array_index (self->items, Item, i);
    const GdinoFrame frame = {
      self->canvases + slot * self->canvas_size,
      self->stride,
      &item->letterbox,
      item->info.prompt
    };

    if (item->looked_at)
      frames[slot++] = frame;
  }
  if (!gdino_detector_detect_batch (app->detector, frames, slot,
          &app->options->params, self->found, &timings, error))
    return FALSE;
  detect_summary_add_time (app->summary, &timings);
  return TRUE;
}

static gboolean
write_line (DetectApp * app, const Item * item, GError ** error)
{
  const DetectFrame line = {
    .file = item->stream->file,
    .number = item->info.number,
    .pts = item->pts,
    .width = item->info.width,
    .height = item->info.height,
  };

  if (detect_output_write_line (app->output, &line, item->stream->found))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
      "cannot write %s: %s", app->options->output != NULL ?
      app->options->output : "to standard output", g_strerror (errno));
  return FALSE;
}

/* Draws what was found in this frame, or for a video in the last one that was
 * looked at. */
static gboolean
draw (DetectApp * app, const Item * item, GError ** error)
{
  const DetectStream *stream = item->stream;
  const char *kind = app->options->picture_format;
  g_autoptr (GstSample) drawn = NULL;

  if (item->sample == NULL)
    return TRUE;
  drawn = detect_drawing_make (item->sample, stream->found,
      gdino_prompt_get_text (item->info.prompt), error);
  if (drawn == NULL)
    return FALSE;

  if (app->options->annotate != NULL && item->looked_at) {
    g_autofree char *name = g_strdup_printf ("%s-%06" G_GUINT64_FORMAT ".%s",
        stream->stem, item->info.number, kind);
    g_autofree char *path =
        g_build_filename (app->options->annotate, name, NULL);

    if (!detect_output_write_picture (path, drawn, kind, error))
      return FALSE;
  }
  return app->video == NULL || detect_video_push (app->video, drawn, error);
}

/* @found: (transfer full) (nullable): of a frame that was looked at */
static gboolean
finish_item (DetectApp * app, const Item * item, GdinoDetections * found,
    GError ** error)
{
  if (found != NULL) {
    g_clear_pointer (&item->stream->found, gdino_detections_unref);
    item->stream->found = found;
    detect_summary_add (app->summary, found);
    if (!write_line (app, item, error))
      return FALSE;
  }
  return draw (app, item, error);
}

static gboolean
finish_items (DetectApp * app)
{
  DetectQueue *self = app->queue;
  gboolean go_on = TRUE;
  guint slot = 0;

  for (guint i = 0; i < self->items->len; i++) {
    const Item *item = &g_array_index (self->items, Item, i);
    GdinoDetections *found =
        item->looked_at ? g_steal_pointer (&self->found[slot++]) : NULL;
    g_autoptr (GError) error = NULL;

    if (!go_on || item->stream->failed) {
      g_clear_pointer (&found, gdino_detections_unref);
    } else if (finish_item (app, item, found, &error)) {
      detect_run_show_progress (app, item->stream->file, item->info.number,
          item->stream->start_time);
    } else {
      item->stream->failed = TRUE;
      go_on = detect_run_fail (app, item->stream->file, error);
    }
  }
  return go_on;
}

gboolean
detect_queue_flush (DetectApp * app)
{
  DetectQueue *self = app->queue;
  g_autoptr (GError) error = NULL;
  gboolean go_on;

  if (self->items->len == 0)
    return TRUE;
  if (run (app, &error)) {
    go_on = finish_items (app);
  } else {
    const Item *first = &g_array_index (self->items, Item, 0);

    go_on = detect_run_fail (app, first->stream->file, error);
  }
  g_array_set_size (self->items, 0);
  self->n_used = 0;
  return go_on;
}

static void
copy_canvas (DetectQueue * self, GstGdinoFrame * frame)
{
  guint8 *to = self->canvases + self->n_used * self->canvas_size;
  gsize stride;
  const guint8 *from = gst_gdino_frame_get_canvas (frame, &stride);

  for (gsize done = 0; done < self->canvas_size; done += self->stride) {
    memcpy (to + done, from, self->stride);
    from += stride;
  }
}

gboolean
detect_queue_push (DetectApp * app, DetectStream * stream, GstSample * sample,
    const DetectFrameInfo * info)
{
  DetectQueue *self = app->queue;
  Item item = {
    .stream = g_rc_box_acquire (stream),
    .pts = GST_BUFFER_PTS (gst_sample_get_buffer (sample)),
    .info = *info,
    .looked_at = info->frame != NULL,
  };

  if (app->video != NULL || (app->options->annotate != NULL && item.looked_at))
    item.sample = gst_sample_ref (sample);
  if (item.looked_at) {
    item.letterbox = *gst_gdino_frame_get_letterbox (info->frame);
    copy_canvas (self, info->frame);
    self->n_used++;
  }
  item.info.frame = NULL;
  g_array_append_val (self->items, item);
  /* With no run to wait for, nothing needs to wait. */
  if (self->n_used > 0 && self->n_used < self->n_slots
      && self->items->len < self->n_used + MAX_EXTRA)
    return TRUE;
  return detect_queue_flush (app);
}
