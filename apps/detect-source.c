/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "detect-source.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <gst/app/gstappsink.h>
#include <gst/pbutils/missing-plugins.h>
#include <gst/video/video.h>
#include <time.h>
#include <unistd.h>

#define POLL (100 * GST_MSECOND)
/* A file that gives no frame for so long, while the process uses less than a
 * fiftieth of that in CPU time, is stuck. */
#define STALL (10 * G_USEC_PER_SEC)
/* Less than this, or a twentieth, may be missing at a good file's end. */
#define SHORT_END ((gint64) (500 * GST_MSECOND))

struct _DetectSource
{
  GstElement *pipeline;
  GstElement *convert;
  GstAppSink *sink;
  GString *missing;             /* plugins that decoding would need */
  char *warning;                /* (nullable) */
  guint64 n_frames;
  GstClockTime end;             /* stream time up to which frames came */
  gboolean is_local;            /* others may take their time */
};

static void
on_pad_added (GstElement * decoder, GstPad * pad, gpointer data)
{
  DetectSource *self = data;
  g_autoptr (GstPad) sink = gst_element_get_static_pad (self->convert, "sink");

  /* A second picture, such as the cover of a film, stays unlinked. */
  if (!gst_pad_is_linked (sink))
    gst_pad_link (pad, sink);
}

static char *
make_uri (const char *file, GError ** error)
{
  if (gst_uri_is_valid (file))
    return g_strdup (file);

  if (g_access (file, R_OK) != 0) {
    g_set_error_literal (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NOT_FOUND, g_strerror (errno));
    return NULL;
  }
  if (g_file_test (file, G_FILE_TEST_IS_DIR)) {
    g_set_error_literal (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NOT_FOUND, "is a folder, not a picture or video");
    return NULL;
  }
  return gst_filename_to_uri (file, error);
}

static GstElement *
make_element (const char *factory, GError ** error)
{
  GstElement *element = gst_element_factory_make (factory, NULL);

  if (element == NULL)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "GStreamer lacks the element %s (Debian packages "
        "gstreamer1.0-plugins-base and gstreamer1.0-plugins-good)", factory);
  return element;
}

/* Of what is in the file only video; sound is not even decoded. */
static gboolean
build (DetectSource * self, const char *uri, GError ** error)
{
  static const char *const factories[] = { "uridecodebin", "videoconvert",
    "videoflip", "appsink"
  };
  GstElement *elements[G_N_ELEMENTS (factories)];
  g_autoptr (GstCaps) video = gst_caps_from_string ("video/x-raw(ANY)");
  g_autoptr (GstCaps) raw = gst_caps_from_string ("video/x-raw");

  self->pipeline = gst_pipeline_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (factories); i++) {
    elements[i] = make_element (factories[i], error);
    if (elements[i] == NULL)
      return FALSE;
    gst_bin_add (GST_BIN (self->pipeline), elements[i]);
  }
  self->convert = elements[1];
  self->sink = gst_object_ref (GST_APP_SINK (elements[3]));

  g_object_set (elements[0], "uri", uri, "caps", video, "expose-all-streams",
      FALSE, NULL);
  g_signal_connect (elements[0], "pad-added", G_CALLBACK (on_pad_added), self);
  gst_util_set_object_arg (G_OBJECT (elements[2]), "video-direction", "auto");
  g_object_set (elements[3], "caps", raw, "sync", FALSE, "max-buffers", 4,
      "enable-last-sample", FALSE, NULL);
  if (!gst_element_link_many (elements[1], elements[2], elements[3], NULL)) {
    g_set_error_literal (error, GST_CORE_ERROR, GST_CORE_ERROR_PAD,
        "cannot link videoconvert, videoflip and appsink");
    return FALSE;
  }
  return TRUE;
}

static void
note_missing (DetectSource * self, GstMessage * message)
{
  g_autofree char *what = gst_missing_plugin_message_get_description (message);

  g_string_append_printf (self->missing, "%s%s",
      self->missing->len > 0 ? ", " : "", what);
}

static void
take_error (DetectSource * self, GstMessage * message, GError ** error)
{
  g_autoptr (GError) reason = NULL;
  g_autofree char *debug = NULL;

  gst_message_parse_error (message, &reason, &debug);
  if (self->missing->len > 0)
    g_set_error (error, reason->domain, reason->code,
        "cannot be decoded: GStreamer lacks a %s; install the plugin that has "
        "it (on Debian: gstreamer1.0-libav, gstreamer1.0-plugins-good, -bad or "
        "-ugly)", self->missing->str);
  else if (g_error_matches (reason, GST_CORE_ERROR,
          GST_CORE_ERROR_MISSING_PLUGIN))
    /* What the decoder says when all streams are of other kinds. */
    g_set_error_literal (error, reason->domain, reason->code,
        "has no picture in it");
  else
    g_set_error (error, reason->domain, reason->code, "%s", reason->message);
}

static void
take_warning (DetectSource * self, GstMessage * message)
{
  g_autoptr (GError) reason = NULL;

  gst_message_parse_warning (message, &reason, NULL);
  if (self->warning == NULL)
    self->warning = g_strdup (reason->message);
}

/* Demuxers end without a word where a file is cut or damaged. */
static void
compare_duration (DetectSource * self)
{
  gint64 duration;

  if (self->warning != NULL || self->n_frames < 2
      || !gst_element_query_duration (self->pipeline, GST_FORMAT_TIME,
          &duration)
      || (gint64) self->end >= duration - MAX (duration / 20, SHORT_END))
    return;
  self->warning = g_strdup_printf ("ends after %.1f of %.1f seconds, it may be "
      "incomplete or damaged", (double) self->end / GST_SECOND,
      (double) duration / GST_SECOND);
}

static void
note_time (DetectSource * self, GstSample * sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstClockTime end = GST_BUFFER_PTS (buffer);

  self->n_frames++;
  if (!GST_CLOCK_TIME_IS_VALID (end))
    return;
  if (GST_BUFFER_DURATION_IS_VALID (buffer))
    end += GST_BUFFER_DURATION (buffer);
  end = gst_segment_to_stream_time (gst_sample_get_segment (sample),
      GST_FORMAT_TIME, end);
  if (GST_CLOCK_TIME_IS_VALID (end))
    self->end = MAX (self->end, end);
}

/* FALSE when the pipeline has reported an error. */
static gboolean
check_bus (DetectSource * self, GError ** error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (self->pipeline);
  GstMessage *message;
  gboolean ok = TRUE;

  while (ok && (message = gst_bus_pop_filtered (bus,
              GST_MESSAGE_ERROR | GST_MESSAGE_WARNING
              | GST_MESSAGE_ELEMENT)) != NULL) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
      take_error (self, message, error);
      ok = FALSE;
    } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
      take_warning (self, message);
    } else if (gst_is_missing_plugin_message (message)) {
      note_missing (self, message);
    }
    gst_message_unref (message);
  }
  return ok;
}

DetectSource *
detect_source_open (const char *file, GError ** error)
{
  g_autoptr (DetectSource) self = g_new0 (DetectSource, 1);
  g_autofree char *uri = make_uri (file, error);

  self->missing = g_string_new (NULL);
  self->is_local = uri != NULL && g_str_has_prefix (uri, "file:");
  if (uri == NULL || !build (self, uri, error))
    return NULL;

  if (gst_element_set_state (self->pipeline, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE) {
    if (check_bus (self, error))
      g_set_error_literal (error, GST_CORE_ERROR,
          GST_CORE_ERROR_STATE_CHANGE, "the pipeline does not start");
    return NULL;
  }
  return g_steal_pointer (&self);
}

/* CPU time of the whole process so far, in microseconds. */
static gint64
used_time (void)
{
  struct timespec used;

  if (clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &used) != 0)
    return 0;
  return (gint64) used.tv_sec * G_USEC_PER_SEC + used.tv_nsec / 1000;
}

/* With some damaged files all of GStreamer's threads stop without a word.
 * @since, @used: (inout): when the present look began */
static gboolean
is_stuck (DetectSource * self, gint64 * since, gint64 * used)
{
  gint64 now = g_get_monotonic_time ();
  gint64 used_now;

  if (!self->is_local || now - *since < STALL)
    return FALSE;
  used_now = used_time ();
  if (used_now - *used < STALL / 50)
    return TRUE;
  *since = now;
  *used = used_now;
  return FALSE;
}

GstSample *
detect_source_pull (DetectSource * self, GError ** error)
{
  gint64 since = g_get_monotonic_time ();
  gint64 used = used_time ();

  for (;;) {
    GstSample *sample = gst_app_sink_try_pull_sample (self->sink, POLL);
    gboolean ended;

    if (sample != NULL) {
      note_time (self, sample);
      return sample;
    }
    /* Asked before the bus is read: an error comes before the end it causes. */
    ended = gst_app_sink_is_eos (self->sink);
    if (!check_bus (self, error))
      return NULL;
    if (ended && self->n_frames == 0)
      g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
          "has no picture in it");
    if (ended) {
      compare_duration (self);
      return NULL;
    }
    if (is_stuck (self, &since, &used)) {
      g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
          "cannot be decoded any further after %" G_GUINT64_FORMAT " frames, "
          "it may be damaged", self->n_frames);
      return NULL;
    }
  }
}

const char *
detect_source_get_warning (DetectSource * self)
{
  return self->warning;
}

void
detect_source_free (DetectSource * self)
{
  if (self == NULL)
    return;
  if (self->pipeline != NULL) {
    gst_element_set_state (self->pipeline, GST_STATE_NULL);
    gst_object_unref (self->pipeline);
  }
  gst_clear_object (&self->sink);
  if (self->missing != NULL)
    g_string_free (self->missing, TRUE);
  g_free (self->warning);
  g_free (self);
}
