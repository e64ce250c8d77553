/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What happens to each frame. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinoelement.h"
#include "gstgdinomessages.h"
#include "gstgdinometa.h"
#include "gstgdinoprompt.h"
#include "gstgdinorun.h"

#define GST_CAT_DEFAULT gst_grounding_dino_debug

/* With hold=-1 in mode newest-frame. */
#define HOLD_MOST (5 * GST_SECOND)

void
gst_gdino_chain_reset (GstGroundingDino * self)
{
  self->revision = 0;
  self->told_empty = FALSE;
  self->told_invalid = FALSE;
  self->boxless = FALSE;
  g_atomic_int_set (&self->failed, FALSE);
  g_clear_pointer (&self->names, gst_gdino_names_unref);
  gst_gdino_chain_forget (self);
}

/* The next frame is looked at itself. */
static void
forget_results (GstGroundingDino * self)
{
  self->skip = 0;
  gst_gdino_show_clear (&self->show);
  if (self->worker != NULL)
    gst_gdino_worker_forget (self->worker);
}

void
gst_gdino_chain_forget (GstGroundingDino * self)
{
  forget_results (self);
  GST_OBJECT_LOCK (self);
  gst_gdino_qos_init (&self->late);
  GST_OBJECT_UNLOCK (self);
}

static void
take_job (GstGroundingDino * self, GstGdinoJob * job)
{
  GdinoPrompt *prompt = gst_gdino_slot_get (&self->slot);

  GST_OBJECT_LOCK (self);
  self->stats.frames++;
  gst_gdino_job_init (job, prompt, &self->settings);
  GST_OBJECT_UNLOCK (self);
}

static void
add_one (GstGroundingDino * self, guint64 * counter)
{
  GST_OBJECT_LOCK (self);
  (*counter)++;
  GST_OBJECT_UNLOCK (self);
}

static GstClockTime
running_time_of (GstGroundingDino * self, GstBuffer * buffer)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;

  if (segment->format != GST_FORMAT_TIME)
    return GST_CLOCK_TIME_NONE;
  return gst_segment_to_running_time (segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (buffer));
}

/* Goes ahead of the first frame of a prompt, so that an application can tell
 * which frames are whose even where no box was found; and on the bus, for those
 * that wait for it. */
static void
tell_downstream (GstGroundingDino * self, GdinoPrompt * prompt,
    GstBuffer * buffer)
{
  self->revision = gdino_prompt_get_revision (prompt);
  self->told_empty = FALSE;
  forget_results (self);
  gst_pad_push_event (GST_BASE_TRANSFORM_SRC_PAD (self),
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_STICKY,
          gst_gdino_prompt_describe (prompt)));
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("groundingdino-active",
              "revision", G_TYPE_UINT64, self->revision,
              "pts", G_TYPE_UINT64, GST_BUFFER_PTS (buffer),
              "running-time", G_TYPE_UINT64,
              running_time_of (self, buffer), NULL)));
}

/* They change with the prompt and with what is said of its phrases, and only
 * then is there something to complain of. */
static void
name_phrases (GstGroundingDino * self, GstGdinoJob * job)
{
  g_autofree gchar *complaint = NULL;

  if (self->names == NULL || !gst_gdino_names_are_for (self->names,
          job->prompt, job->thresholds, job->labels)) {
    gst_gdino_names_unref (self->names);
    self->names = gst_gdino_names_new (job->prompt, job->thresholds,
        job->labels);
    complaint = gst_gdino_names_complaint (self->names);
  }
  gst_gdino_job_set_names (job, self->names);
  if (complaint != NULL)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS, ("%s", complaint), (NULL));
}

static void
pass_idle (GstGroundingDino * self, GstBuffer * buffer, const GstGdinoJob * job)
{
  gst_gdino_meta_attach (buffer, NULL, NULL, &self->info, job->metadata);
  add_one (self, &self->stats.idle);
  if (!self->told_empty)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("The prompt is empty: frames pass, nothing is looked for"), (NULL));
  self->told_empty = TRUE;
}

/* With the boxes there are, where they may still be shown. */
static void
pass (GstGroundingDino * self, GstBuffer * buffer, const GstGdinoStamp * stamp,
    const GstGdinoJob * job)
{
  const GstClockTime automatic = self->worker != NULL ? HOLD_MOST : 0;
  const GstClockTime limit =
      job->hold < 0 ? automatic : (GstClockTime) job->hold;
  gboolean held;

  if (gst_gdino_show_attach (&self->show, buffer, stamp, &self->info, job,
          limit, &held) && held)
    add_one (self, &self->stats.held);
}

/* At INFO where boxes end, at DEBUG while there are none. */
static void
tell_why (GstGroundingDino * self, GdinoDetections * found)
{
  g_autofree gchar *why = gst_gdino_messages_explain (found);

  if (why == NULL)
    GST_LOG_OBJECT (self, "%u boxes", gdino_detections_get_n (found));
  else
    GST_CAT_LEVEL_LOG (GST_CAT_DEFAULT,
        self->boxless ? GST_LEVEL_DEBUG : GST_LEVEL_INFO, self, "no boxes: %s",
        why);
  self->boxless = why != NULL;
}

/* In the thread that ran the model. */
void
gst_gdino_chain_done (GdinoDetections * found, const GstGdinoTimes * times,
    const GError * error, gpointer user_data)
{
  GstGroundingDino *self = user_data;
  guint n_invalid;
  gboolean retell;

  if (error != NULL) {
    g_atomic_int_set (&self->failed, TRUE);
    gst_gdino_post (GST_ELEMENT (self), GST_MESSAGE_ERROR, error, NULL);
    return;
  }
  GST_OBJECT_LOCK (self);
  retell = gst_gdino_stats_add (&self->stats, found, times) && self->live
      && self->settings.mode == GST_GDINO_MODE_EVERY_FRAME;
  GST_OBJECT_UNLOCK (self);
  tell_why (self, found);

  if (retell)
    gst_element_post_message (GST_ELEMENT (self),
        gst_message_new_latency (GST_OBJECT (self)));
  n_invalid = gdino_detections_get_stats (found)->n_invalid;
  if (n_invalid > 0 && !self->told_invalid) {
    GST_ELEMENT_WARNING (self, LIBRARY, FAILED,
        ("The model gave %u proposals that are not numbers or have no area; "
            "they are dropped, and counted as \"invalid\" in the property "
            "\"stats\"", n_invalid), (NULL));
    self->told_invalid = TRUE;
  }
}

static GstFlowReturn
infer (GstGroundingDino * self, GstBuffer * buffer,
    const GstGdinoStamp * stamp, const GstGdinoJob * job)
{
  g_autoptr (GdinoDetections) found = NULL;
  g_autoptr (GError) error = NULL;
  GstGdinoTimes times;

  found = gst_gdino_run (self->frame, self->model.detector,
      gst_buffer_ref (buffer), job, &times, &error);
  gst_gdino_chain_done (found, &times, error, self);
  if (found == NULL)
    return GST_FLOW_ERROR;
  gst_gdino_show_set (&self->show,
      gst_gdino_result_new (g_steal_pointer (&found), job->names, stamp));
  pass (self, buffer, stamp, job);
  return GST_FLOW_OK;
}

/* Frames never wait: each takes what there is, and is looked at itself when
 * the worker has nothing else to do. */
static void
pass_newest (GstGroundingDino * self, GstBuffer * buffer,
    const GstGdinoStamp * stamp, const GstGdinoJob * job, gboolean offer)
{
  GstGdinoResult *result = gst_gdino_worker_take (self->worker);

  if (result != NULL)
    gst_gdino_show_set (&self->show, result);
  pass (self, buffer, stamp, job);
  if (offer && !gst_gdino_worker_offer (self->worker, buffer, job, stamp)) {
    add_one (self, &self->stats.busy);
    /* This one's turn is the next one's. */
    self->skip = 0;
  }
}

/* Whether downstream would show the frame too late even without a run. */
static gboolean
is_late (GstGroundingDino * self, GstBuffer * buffer)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  const GstClockTime running = running_time_of (self, buffer);
  GstMessage *message;
  GstGdinoQos late;
  guint64 inferred, n_late;
  gint64 jitter;

  GST_OBJECT_LOCK (self);
  late = self->late;
  inferred = self->stats.inferred;
  n_late = self->stats.late;
  GST_OBJECT_UNLOCK (self);
  if (!gst_gdino_qos_is_late (&late, running, &jitter))
    return FALSE;

  add_one (self, &self->stats.late);
  GST_DEBUG_OBJECT (self, "late by %" GST_STIME_FORMAT ", passed without a run",
      GST_STIME_ARGS (jitter));
  message = gst_message_new_qos (GST_OBJECT (self), FALSE, running,
      gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
          GST_BUFFER_PTS (buffer)), GST_BUFFER_PTS (buffer),
      GST_BUFFER_DURATION (buffer));
  gst_message_set_qos_values (message, jitter, late.proportion, 1000000);
  gst_message_set_qos_stats (message, GST_FORMAT_BUFFERS, inferred, n_late + 1);
  gst_element_post_message (GST_ELEMENT (self), message);
  return TRUE;
}

GstFlowReturn
gst_gdino_chain (GstBaseTransform * trans, GstBuffer * buffer)
{
  GstGroundingDino *self = GST_GROUNDING_DINO (trans);
  const GstGdinoStamp stamp = gst_gdino_stamp_of (buffer);
  g_auto (GstGdinoJob) job = { 0 };
  gboolean run;

  if (g_atomic_int_get (&self->failed))
    return GST_FLOW_ERROR;
  take_job (self, &job);
  if (gdino_prompt_get_revision (job.prompt) != self->revision)
    tell_downstream (self, job.prompt, buffer);
  name_phrases (self, &job);
  if (gdino_prompt_is_empty (job.prompt)) {
    pass_idle (self, buffer, &job);
    return GST_FLOW_OK;
  }

  self->skip = MIN (self->skip, job.interval - 1);
  run = self->skip == 0;
  if (run)
    self->skip = job.interval - 1;
  else
    self->skip--;
  if (!run) {
    add_one (self, &self->stats.skipped);
  } else if (job.qos && is_late (self, buffer)) {
    run = FALSE;
    self->skip = 0;
  }

  if (self->worker != NULL)
    pass_newest (self, buffer, &stamp, &job, run);
  else if (run)
    return infer (self, buffer, &stamp, &job);
  else
    pass (self, buffer, &stamp, &job);
  return GST_FLOW_OK;
}
