/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Whole pipelines, as users write them. */
#include "rig.h"

#include <string.h>

static GstElement *
parse (const char *format, ...)
{
  GError *error = NULL;
  GstElement *pipeline;
  gchar *text;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  pipeline = gst_parse_launch (text, &error);
  g_assert_no_error (error);
  g_free (text);
  return pipeline;
}

/* Runs to its end or an error; returns the type of the message that ended it. */
static GstMessageType
run (GstElement * pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessageType type = GST_MESSAGE_UNKNOWN;
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (message != NULL) {
    type = GST_MESSAGE_TYPE (message);
    if (type == GST_MESSAGE_ERROR) {
      g_autoptr (GError) error = NULL;

      gst_message_parse_error (message, &error, NULL);
      g_test_message ("%s", error->message);
    }
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return type;
}

static void
finish (GstElement * pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

static gchar *
prompt_of (GstElement * pipeline)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  gchar *prompt = NULL;

  g_object_get (element, "prompt", &prompt, NULL);
  gst_object_unref (element);
  return prompt;
}

/* Inside a pipeline string the quotes must be inside it. */
static void
test_quoting (void)
{
  GstElement *pipeline = parse ("videotestsrc num-buffers=1 ! "
      "groundingdino name=d model=%s prompt=\"a cat. a dog.\" ! fakesink",
      rig_package ());
  g_autofree gchar *prompt = prompt_of (pipeline);
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (prompt, ==, "a cat. a dog.");
  g_assert_cmpint (run (pipeline), ==, GST_MESSAGE_EOS);
  finish (pipeline);

  /* Without them the string ends at the blank and the rest makes no sense. */
  pipeline = gst_parse_launch_full ("videotestsrc ! groundingdino name=d "
      "prompt=a cat. a dog. ! fakesink", NULL, GST_PARSE_FLAG_FATAL_ERRORS,
      &error);
  g_assert_nonnull (error);
  g_assert_null (pipeline);
}

/* The same on a shell's command line, where gst-launch escapes each argument. */
static void
test_command_line (void)
{
  g_autofree gchar *tool = rig_tool ("gst-launch-1.0");
  g_autofree gchar *model = g_strdup_printf ("model=%s", rig_package ());
  g_autofree gchar *output = NULL;
  gchar *argv[] = { tool, (gchar *) "-m", (gchar *) "videotestsrc",
    (gchar *) "num-buffers=2", (gchar *) "!", (gchar *) "groundingdino", model,
    (gchar *) "prompt=a red cat. a dog.", (gchar *) "!", (gchar *) "fakesink",
    NULL
  };
  gint status;

  if (tool == NULL)
    return;
  g_assert_true (g_spawn_sync (NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL,
          &output, NULL, &status, NULL));
  g_assert_cmpint (status, ==, 0);
  g_assert_nonnull (strstr (output, "groundingdino-prompt"));
  g_assert_nonnull (strstr (output, "a\\ red\\ cat"));
}

static gint n_bare, n_boxed;

static GstPadProbeReturn
count_boxes (GstPad * pad, GstPadProbeInfo * info, gpointer counter)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);

  if (roi_count (buffer) > 0)
    g_atomic_int_inc (&n_boxed);
  else
    g_atomic_int_inc (&n_bare);
  return GST_PAD_PROBE_OK;
}

static void
probe (GstElement * pipeline, const char *name)
{
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), name);

  gst_pad_add_probe (element->sinkpads->data, GST_PAD_PROBE_TYPE_BUFFER,
      count_boxes, NULL, NULL);
  gst_object_unref (element);
}

/* Both branches run at once on the same memory, with criticals fatal. The
 * colour bars of videotestsrc have all our colours. */
static void
test_tee (void)
{
  GstElement *pipeline = parse ("videotestsrc num-buffers=50 ! "
      "video/x-raw,format=RGB,width=320,height=240 ! tee name=t "
      "t. ! queue ! groundingdino name=d model=%s prompt=\"white. blue.\" ! "
      "fakesink name=boxed async=false "
      "t. ! queue ! fakesink name=bare async=false", rig_package ());

  n_bare = n_boxed = 0;
  probe (pipeline, "boxed");
  probe (pipeline, "bare");
  g_assert_cmpint (run (pipeline), ==, GST_MESSAGE_EOS);
  g_assert_cmpint (n_boxed, ==, 50);
  g_assert_cmpint (n_bare, ==, 50);
  finish (pipeline);
}

/* One buffer in, one buffer out, with its boxes, and then the end. */
static void
test_one_buffer (void)
{
  guint i;

  for (i = 0; i < 10; i++) {
    GstElement *pipeline = parse ("videotestsrc num-buffers=1 ! "
        "groundingdino name=d model=%s prompt=\"white.\" ! fakesink name=s",
        rig_package ());

    n_bare = n_boxed = 0;
    probe (pipeline, "s");
    g_assert_cmpint (run (pipeline), ==, GST_MESSAGE_EOS);
    g_assert_cmpint (n_boxed, ==, 1);
    g_assert_cmpint (n_bare, ==, 0);
    finish (pipeline);
  }
}

static GstClockTime
latency_at (GstPad * pad)
{
  GstQuery *query = gst_query_new_latency ();
  GstClockTime min;
  gboolean live;

  g_assert_true (gst_pad_query (pad, query));
  gst_query_parse_latency (query, &live, &min, NULL);
  g_assert_true (live);
  gst_query_unref (query);
  return min;
}

/* Frames that take 100 ms on a live source: the pipeline knows, and its sinks
 * wait as long. */
static void
test_live (void)
{
  GstElement *pipeline = parse ("videotestsrc is-live=true num-buffers=6 ! "
      "video/x-raw,framerate=5/1,width=160,height=120 ! "
      "groundingdino name=d model=%s prompt=\"white.\" ! fakesink sync=true",
      rig_package ());
  GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), "d");
  GstPad *source = gst_pad_get_peer (element->sinkpads->data);
  GstClockTime before, after;

  gdino_fake_set (delay_us, 100000);
  g_assert_cmpint (run (pipeline), ==, GST_MESSAGE_EOS);
  gdino_fake_set (delay_us, 0);
  before = latency_at (source);
  after = latency_at (element->srcpads->data);
  g_assert_cmpuint (after, >=, before + 100 * GST_MSECOND);
  g_assert_cmpuint (after, ==, before + stat_of (element, "latency"));
  gst_object_unref (source);
  gst_object_unref (element);
  finish (pipeline);
}

/* Memory of another kind does not link, and a converter cures what is only
 * another format. */
static void
test_links (void)
{
  GstElement *pipeline = parse ("videotestsrc num-buffers=3 ! "
      "video/x-raw,format=v308,width=64,height=48 ! groundingdino model=%s "
      "prompt=\"white.\" ! videoconvert ! video/x-raw,format=NV12 ! fakesink",
      rig_package ());
  g_autoptr (GError) error = NULL;
  GstElement *bad;

  g_assert_cmpint (run (pipeline), ==, GST_MESSAGE_EOS);
  finish (pipeline);
  bad = gst_parse_launch_full ("fakesrc ! "
      "capsfilter caps=\"video/x-raw(memory:VASurface)\" ! groundingdino ! "
      "fakesink", NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  g_assert_null (bad);
  g_assert_error (error, GST_PARSE_ERROR, GST_PARSE_ERROR_LINK);
}

/* Each of 20 stops in the middle comes back at once; the next start works. */
static void
test_stop_and_go (void)
{
  GstElement *pipeline = parse ("videotestsrc is-live=true ! "
      "video/x-raw,width=160,height=120 ! groundingdino model=%s "
      "prompt=\"white.\" ! queue ! fakesink", rig_package ());
  guint i;

  gdino_fake_set (delay_us, 20000);
  for (i = 0; i < 20; i++) {
    gint64 begin;

    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    g_usleep (30000);
    begin = g_get_monotonic_time ();
    gst_element_set_state (pipeline, GST_STATE_NULL);
    g_assert_cmpint (g_get_monotonic_time () - begin, <, 2 * G_USEC_PER_SEC);
  }
  gdino_fake_set (delay_us, 0);
  finish (pipeline);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 0);
  g_assert_cmpint (gdino_fake_get (live_tensors), ==, 0);
}

static void
seek_to_start (GstElement * pipeline)
{
  g_assert_true (gst_element_seek (pipeline, 1.0, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET,
          GST_SECOND / 2));
}

typedef struct
{
  gboolean every;               /* frame is to have boxes of its own */
  gint flushes;
  GstClockTime next;
} Watched;

/* Behind the element: after a flush frames begin anew, with the boxes of none
 * from before it. */
static GstPadProbeReturn
watch_frames (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Watched *watched = data;
  GstBuffer *buffer;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_FLUSH) {
    if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) ==
        GST_EVENT_FLUSH_STOP) {
      watched->flushes++;
      watched->next = 0;
    }
    return GST_PAD_PROBE_OK;
  }
  buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  g_assert_cmpuint (GST_BUFFER_PTS (buffer), ==, watched->next);
  watched->next = GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer);
  if (watched->every)
    g_assert_cmpuint (roi_count (buffer), >, 0);
  for (gpointer state = NULL;;) {
    GstMeta *meta = gst_buffer_iterate_meta_filtered (buffer, &state,
        GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
    guint64 of, age;

    if (meta == NULL)
      break;
    g_assert_true (gst_structure_get
        (gst_video_region_of_interest_meta_get_param (
                (GstVideoRegionOfInterestMeta *) meta, "detection"),
            "frame-pts", G_TYPE_UINT64, &of, "age", G_TYPE_UINT64, &age, NULL));
    g_assert_cmpuint (of + age, ==, GST_BUFFER_PTS (buffer));
    if (watched->every)
      g_assert_cmpuint (age, ==, 0);
  }
  return GST_PAD_PROBE_OK;
}

static void
wait_for_end (GstElement * pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 30 * GST_SECOND,
      GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  g_assert_nonnull (message);
  g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
  gst_message_unref (message);
}

/* Flushing seeks while the model runs, and one after the end. */
static void
test_seek (void)
{
  static const char *const modes[] = { "every-frame", "newest-frame" };

  for (guint m = 0; m < G_N_ELEMENTS (modes); m++) {
    g_autofree gchar *line = g_strdup_printf ("videotestsrc ! "
        "video/x-raw,width=160,height=120 ! groundingdino name=d model=\"%s\" "
        "prompt=\"white.\" mode=%s ! fakesink name=s sync=true",
        rig_package (), modes[m]);
    GstElement *pipeline = gst_parse_launch (line, NULL);
    GstElement *detector = gst_bin_get_by_name (GST_BIN (pipeline), "d");
    Watched watched = {.every = m == 0 };

    g_assert_nonnull (detector);
    gst_pad_add_probe (detector->srcpads->data, GST_PAD_PROBE_TYPE_BUFFER |
        GST_PAD_PROBE_TYPE_EVENT_FLUSH, watch_frames, &watched, NULL);
    gdino_fake_set (delay_us, 20000);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    for (guint i = 0; i < 4; i++) {
      const guint64 before = i == 3 ? 0 : stat_of (detector, "inferred");

      if (i == 3)
        wait_for_end (pipeline);
      for (guint j = 0; i < 3 && stat_of (detector, "inferred") < before + 3;
          j++) {
        g_assert_cmpuint (j, <, 30000);
        g_usleep (1000);
      }
      seek_to_start (pipeline);
    }
    wait_for_end (pipeline);
    g_assert_cmpint (watched.flushes, ==, 4);
    g_assert_cmpuint (stat_of (detector, "frames"), >=, 30);
    gdino_fake_set (delay_us, 0);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (detector);
    gst_object_unref (pipeline);
  }
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/pipeline/quoting", test_quoting);
  g_test_add_func ("/pipeline/command-line", test_command_line);
  g_test_add_func ("/pipeline/tee", test_tee);
  g_test_add_func ("/pipeline/one-buffer", test_one_buffer);
  g_test_add_func ("/pipeline/live", test_live);
  g_test_add_func ("/pipeline/links", test_links);
  g_test_add_func ("/pipeline/seek", test_seek);
  g_test_add_func ("/pipeline/stop-and-go", test_stop_and_go);
  return rig_main_run ();
}
