/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "detect-video.h"

#include <gst/app/gstappsrc.h>

/* Time of a frame when the source gives none. */
#define FRAME_TIME (GST_SECOND / 25)

struct _DetectVideo
{
  char *path;
  GstElement *pipeline;
  GstAppSrc *source;
  GstCaps *caps;                /* (nullable): of the first frame */
  GstClockTime start;           /* time stamp of the first frame */
  GstClockTime next;            /* least time stamp of the next */
  gboolean failed;              /* and has said why */
};

DetectVideo *
detect_video_new (const char *path, GError ** error)
{
  g_autoptr (DetectVideo) self = g_new0 (DetectVideo, 1);
  g_autoptr (GError) reason = NULL;
  g_autoptr (GstElement) file = NULL;

  self->path = g_strdup (path);
  self->start = GST_CLOCK_TIME_NONE;
  self->pipeline = gst_parse_launch ("appsrc name=source ! videoconvert ! "
      "vp8enc deadline=1 cpu-used=6 threads=2 end-usage=cq cq-level=12 "
      "target-bitrate=20000000 keyframe-max-dist=60 ! webmmux ! "
      "filesink name=file", &reason);
  if (self->pipeline == NULL || reason != NULL) {
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "cannot write %s: %s (vp8enc and webmmux are in Debian's "
        "gstreamer1.0-plugins-good)", path, reason->message);
    return NULL;
  }
  self->source = GST_APP_SRC (gst_bin_get_by_name (GST_BIN (self->pipeline),
          "source"));
  file = gst_bin_get_by_name (GST_BIN (self->pipeline), "file");
  g_object_set (file, "location", path, NULL);
  g_object_set (self->source, "format", GST_FORMAT_TIME, "block", TRUE,
      "max-bytes", (guint64) 64 << 20, NULL);
  return g_steal_pointer (&self);
}

/* What the pipeline has complained about; @wait: until it ends or fails. */
static gboolean
check_bus (DetectVideo * self, gboolean wait, GError ** error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (self->pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (bus,
      wait ? GST_CLOCK_TIME_NONE : 0, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  g_autoptr (GError) reason = NULL;

  if (message == NULL || GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    return TRUE;
  self->failed = TRUE;
  gst_message_parse_error (message, &reason, NULL);
  g_set_error (error, reason->domain, reason->code, "cannot write %s: %s",
      self->path, reason->message);
  return FALSE;
}

static gboolean
start (DetectVideo * self, GstSample * picture, GError ** error)
{
  self->caps = gst_caps_ref (gst_sample_get_caps (picture));
  gst_app_src_set_caps (self->source, self->caps);
  if (gst_element_set_state (self->pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE)
    return TRUE;
  if (check_bus (self, FALSE, error))
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_STATE_CHANGE,
        "cannot write %s: the encoder does not start", self->path);
  return FALSE;
}

gboolean
detect_video_push (DetectVideo * self, GstSample * picture, GError ** error)
{
  GstCaps *caps = gst_sample_get_caps (picture);
  GstBuffer *buffer;
  GstClockTime pts;

  if (self->caps == NULL && !start (self, picture, error))
    return FALSE;
  if (!gst_caps_is_equal (caps, self->caps)) {
    g_autofree char *one = gst_caps_to_string (self->caps);
    g_autofree char *two = gst_caps_to_string (caps);

    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
        "cannot write %s: frames change from %s to %s", self->path, one, two);
    return FALSE;
  }
  if (!check_bus (self, FALSE, error))
    return FALSE;

  /* From 0 on, and rising: that is all that the file format can hold. */
  buffer = gst_buffer_copy (gst_sample_get_buffer (picture));
  pts = GST_BUFFER_PTS (buffer);
  if (!GST_CLOCK_TIME_IS_VALID (self->start) && GST_CLOCK_TIME_IS_VALID (pts))
    self->start = pts;
  if (GST_CLOCK_TIME_IS_VALID (pts) && pts >= self->start)
    pts = MAX (pts - self->start, self->next);
  else
    pts = self->next;
  GST_BUFFER_PTS (buffer) = pts;
  self->next = pts + (GST_BUFFER_DURATION_IS_VALID (buffer) ?
      MIN (GST_BUFFER_DURATION (buffer), GST_SECOND) / 2 : FRAME_TIME / 2);
  if (gst_app_src_push_buffer (self->source, buffer) == GST_FLOW_OK)
    return TRUE;
  if (check_bus (self, FALSE, error))
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_ENCODE,
        "cannot write %s: the encoder takes no more frames", self->path);
  return FALSE;
}

gboolean
detect_video_finish (DetectVideo * self, GError ** error)
{
  if (self->caps == NULL || self->failed)
    return TRUE;
  gst_app_src_end_of_stream (self->source);
  return check_bus (self, TRUE, error);
}

void
detect_video_free (DetectVideo * self)
{
  if (self == NULL)
    return;
  if (self->pipeline != NULL) {
    gst_element_set_state (self->pipeline, GST_STATE_NULL);
    gst_object_unref (self->pipeline);
  }
  g_clear_pointer (&self->source, gst_object_unref);
  gst_clear_caps (&self->caps);
  g_free (self->path);
  g_free (self);
}
