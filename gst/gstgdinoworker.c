/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinoworker.h"

#include <string.h>

struct _GstGdinoWorker
{
  GdinoDetector *detector;
  GstGdinoWorkerDone done;
  gpointer user_data;
  GThread *thread;
  GstGdinoFrame *frame;         /* the thread's */

  GMutex lock;                  /* of all that follows; never held over a run */
  GCond changed;
  gboolean quit;
  gboolean busy;                /* there is a task, or it is being done */
  guint64 generation;           /* of the frames to come */
  GstGdinoFrame *next_frame;    /* (nullable) takes the place of frame */
  GstGdinoResult *result;       /* (nullable) */

  /* The task; the thread's while busy. */
  GstBuffer *buffer;
  GstGdinoJob job;
  GstGdinoStamp stamp;
  guint64 task_generation;
};

/* Outside the lock. Gives back all that the task holds.
 * @buffer: (transfer full) */
static void
do_task (GstGdinoWorker * self, GstBuffer * buffer)
{
  g_autoptr (GstGdinoResult) old = NULL;
  g_autoptr (GdinoDetections) found = NULL;
  g_autoptr (GError) error = NULL;
  GstGdinoTimes times;

  found = gst_gdino_run (self->frame, self->detector, buffer, &self->job,
      &times, &error);
  if (found != NULL) {
    g_mutex_lock (&self->lock);
    if (self->task_generation == self->generation) {
      old = self->result;
      self->result = gst_gdino_result_new (gdino_detections_ref (found),
          self->job.names, &self->stamp);
    }
    g_mutex_unlock (&self->lock);
  }
  gst_gdino_job_clear (&self->job);
  self->done (found, found != NULL ? &times : NULL, error, self->user_data);
}

static gpointer
work (gpointer data)
{
  GstGdinoWorker *self = data;
  GstBuffer *buffer;

  g_mutex_lock (&self->lock);
  while (!self->quit) {
    if (self->buffer == NULL) {
      g_cond_wait (&self->changed, &self->lock);
      continue;
    }
    if (self->next_frame != NULL) {
      gst_gdino_frame_free (self->frame);
      self->frame = g_steal_pointer (&self->next_frame);
    }
    buffer = g_steal_pointer (&self->buffer);
    g_mutex_unlock (&self->lock);
    do_task (self, buffer);
    g_mutex_lock (&self->lock);
    self->busy = FALSE;
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

GstGdinoWorker *
gst_gdino_worker_new (GdinoDetector * detector, GstGdinoWorkerDone done,
    gpointer user_data)
{
  GstGdinoWorker *self = g_new0 (GstGdinoWorker, 1);

  self->detector = detector;
  self->done = done;
  self->user_data = user_data;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->thread = g_thread_new ("gdino-worker", work, self);
  return self;
}

void
gst_gdino_worker_free (GstGdinoWorker * self)
{
  if (self == NULL)
    return;
  g_mutex_lock (&self->lock);
  self->quit = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);

  gst_clear_buffer (&self->buffer);
  gst_gdino_job_clear (&self->job);
  gst_gdino_result_unref (self->result);
  gst_gdino_frame_free (self->frame);
  gst_gdino_frame_free (self->next_frame);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* The caller holds the lock. Returns: (transfer full) (nullable): to be freed
 * outside it */
static GstGdinoResult *
forget (GstGdinoWorker * self)
{
  self->generation++;
  return g_steal_pointer (&self->result);
}

gboolean
gst_gdino_worker_set_frame (GstGdinoWorker * self, GstGdinoFrame * frame)
{
  g_autoptr (GstGdinoResult) result = NULL;
  g_autoptr (GstGdinoFrame) old = NULL;
  g_autoptr (GstBuffer) buffer = NULL;
  g_auto (GstGdinoJob) job = { 0 };

  g_mutex_lock (&self->lock);
  result = forget (self);
  /* The new converter would misread a frame that has not been begun. */
  buffer = g_steal_pointer (&self->buffer);
  if (buffer != NULL) {
    job = self->job;
    memset (&self->job, 0, sizeof self->job);
    self->busy = FALSE;
  }
  old = self->next_frame;
  self->next_frame = frame;
  g_mutex_unlock (&self->lock);
  return buffer != NULL;
}

void
gst_gdino_worker_forget (GstGdinoWorker * self)
{
  g_autoptr (GstGdinoResult) result = NULL;

  g_mutex_lock (&self->lock);
  result = forget (self);
  g_mutex_unlock (&self->lock);
}

gboolean
gst_gdino_worker_offer (GstGdinoWorker * self, GstBuffer * buffer,
    const GstGdinoJob * job, const GstGdinoStamp * stamp)
{
  gboolean taken;

  g_mutex_lock (&self->lock);
  taken = !self->busy;
  if (taken) {
    self->busy = TRUE;
    self->buffer = gst_buffer_ref (buffer);
    gst_gdino_job_copy (&self->job, job);
    self->stamp = *stamp;
    self->task_generation = self->generation;
    g_cond_signal (&self->changed);
  }
  g_mutex_unlock (&self->lock);
  return taken;
}

GstGdinoResult *
gst_gdino_worker_take (GstGdinoWorker * self)
{
  GstGdinoResult *result;

  g_mutex_lock (&self->lock);
  result = g_steal_pointer (&self->result);
  g_mutex_unlock (&self->lock);
  return result;
}
