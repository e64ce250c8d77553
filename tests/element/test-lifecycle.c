/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* States, flushes, end of stream, latency, and use after use. */
#include "memory-use.h"
#include "rig.h"

#include <string.h>

#define CAPS "RGB,width=160,height=120"

static const Patch red[] = { {"red", 10, 10, 40, 40} };

/* Starts and stops leave nothing behind in libtorch. */
static void
test_state_cycles (void)
{
  GstElement *element = gst_object_ref_sink (rig_element_new ("red."));
  guint i;

  for (i = 0; i < 50; i++) {
    g_assert_cmpint (gst_element_set_state (element, i % 2 ? GST_STATE_PLAYING :
            GST_STATE_PAUSED), !=, GST_STATE_CHANGE_FAILURE);
    if (i % 3 == 0)
      g_object_set (element, "prompt", i % 2 ? "red." : "blue.", NULL);
    g_assert_cmpint (gst_element_set_state (element, i % 5 ? GST_STATE_NULL :
            GST_STATE_READY), ==, GST_STATE_CHANGE_SUCCESS);
  }
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 0);
  g_assert_cmpint (gdino_fake_get (live_tensors), ==, 0);
}

/* Again with another model: other canvas, other token count, as if new, and
 * with the memory of the first rounds. */
static void
test_other_model (void)
{
  static const GdinoFakeOptions options = {
    .width = 96,
    .height = 160,
    .text_tokens = 8,
    .queries = 5
  };
  const char *other = rig_package_new (&options);
  Rig *rig = rig_new ("red. blue. green. white.", CAPS);
  gsize early = 0, late = G_MAXSIZE;
  guint i;

  for (i = 0; i < 50; i++) {
    GstEvent *event;
    GstBuffer *out;

    gst_element_set_state (rig->element, GST_STATE_NULL);
    rig_drain (rig, GST_MESSAGE_ANY);
    g_object_set (rig->element, "model", i % 2 ? rig_package () : other, NULL);
    rig_restart (rig, CAPS);
    out = rig_show (rig, red, 1);
    assert_roi (out, red, 4);
    gst_buffer_unref (out);
    if (i % 2 == 0)
      rig_expect (rig, GST_MESSAGE_WARNING, "8 text tokens");
    g_assert_cmpuint (stat_of (rig->element, "frames"), ==, 1);
    while ((event = gst_harness_try_pull_event (rig->harness)) != NULL)
      gst_event_unref (event);
    rig_drain (rig, GST_MESSAGE_ANY);
    /* Of the same model; how much it is differs by some text. */
    if (i % 2 == 1 && i >= 10 && i < 20)
      early = MAX (early, bytes_in_use ());
    else if (i % 2 == 1 && i >= 30)
      late = MIN (late, bytes_in_use ());
  }
  g_test_message ("%" G_GSIZE_FORMAT " bytes in use early, %" G_GSIZE_FORMAT
      " late", early, late);
  /* A model is some times that; malloc() counts what it caches for each thread
   * as in use, and fills that for hundreds of rounds. */
  if (can_count ())
    g_assert_cmpuint (late, <, early + 64 * 1024);
  rig_free (rig);
}

/* A package for several frames a run works, and one warning tells what it
 * costs. */
static void
test_batch_package (void)
{
  static const GdinoFakeOptions options = {.batch = 4 };
  GstElement *element = rig_element_new ("red.");
  Rig *rig;

  g_object_set (element, "model", rig_package_new (&options), NULL);
  rig = rig_new_with_element (element);
  rig_set_caps (rig, CAPS);
  rig_expect (rig, GST_MESSAGE_WARNING, "4 frames at each run");
  for (guint i = 0; i < 3; i++) {
    GstBuffer *out = rig_show (rig, red, 1);

    g_assert_cmpuint (roi_count (out), ==, 1);
    assert_roi (out, red, 4);
    gst_buffer_unref (out);
  }
  g_assert_cmpuint (stat_of (rig->element, "frames"), ==, 3);
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING), ==, 0);
  rig_free (rig);

  /* And none of a package for one. */
  rig = rig_new ("red.", CAPS);
  gst_buffer_unref (rig_show (rig, red, 1));
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING), ==, 0);
  rig_free (rig);
}

/* Elements with the same package share its graphs, each with its own prompt. */
static void
test_shared_engine (void)
{
  static const Patch patches[] = {
    {"red", 10, 10, 40, 40}, {"blue", 80, 60, 40, 40}
  };
  Rig *a = rig_new ("red.", CAPS);
  Rig *b = rig_new ("blue.", CAPS);
  guint i;

  g_assert_cmpint (gdino_fake_get (live_containers), ==, 2);
  for (i = 0; i < 4; i++) {
    GstBuffer *out = rig_show (i % 2 ? a : b, patches, 2);

    g_assert_cmpuint (roi_count (out), ==, 1);
    assert_roi (out, &patches[i % 2 ? 0 : 1], 4);
    gst_buffer_unref (out);
  }
  rig_free (a);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 2);
  rig_free (b);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 0);
}

static void
test_eos (void)
{
  Rig *rig = rig_new ("red.", CAPS);
  GstEvent *event;
  GstBuffer *out;
  gboolean seen = FALSE;

  out = rig_show (rig, red, 1);
  g_assert_true (gst_harness_push_event (rig->harness, gst_event_new_eos ()));
  assert_roi (out, red, 4);
  gst_buffer_unref (out);
  while ((event = gst_harness_try_pull_event (rig->harness)) != NULL) {
    seen |= GST_EVENT_TYPE (event) == GST_EVENT_EOS;
    gst_event_unref (event);
  }
  g_assert_true (seen);
  g_assert_cmpuint (gst_harness_buffers_received (rig->harness), ==, 1);
  rig_free (rig);
}

static gpointer
push_one (gpointer data)
{
  Rig *rig = data;
  GstVideoInfo info;

  rig_get_info (rig, &info);
  return GINT_TO_POINTER (gst_harness_push (rig->harness, picture_new (&info,
              red, 1)));
}

/* A flush during a run: that frame never leaves, caps and model stay, and the
 * first frame after it has boxes and its own timestamps. */
static void
test_flush (void)
{
  static const Patch moved = { "red", 90, 60, 40, 40 };
  Rig *rig = rig_new ("red.", CAPS);
  const gint created = gdino_fake_get (created_containers);
  guint i;

  for (i = 0; i < 3; i++) {
    const guint received = gst_harness_buffers_received (rig->harness);
    const gint runs = gdino_fake_get (frame_runs);
    GstSegment segment;
    GThread *thread;
    GstBuffer *out;
    guint64 of;

    gdino_fake_set (delay_us, 100000);
    thread = g_thread_new ("push", push_one, rig);
    rig_wait_for_runs (runs + 1);
    g_assert_true (gst_harness_push_event (rig->harness,
            gst_event_new_flush_start ()));
    g_assert_cmpint (GPOINTER_TO_INT (g_thread_join (thread)), ==,
        GST_FLOW_FLUSHING);
    g_assert_true (gst_harness_push_event (rig->harness,
            gst_event_new_flush_stop (TRUE)));
    g_assert_cmpuint (gst_harness_buffers_received (rig->harness), ==,
        received);
    gdino_fake_set (delay_us, 0);

    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (rig->harness, gst_event_new_segment (&segment));
    out = rig_show_at (rig, &moved, 1, i * GST_SECOND);
    assert_roi (out, &moved, 4);
    g_assert_cmpuint (roi_count (out), ==, 1);
    g_assert_cmpuint (GST_BUFFER_PTS (out), ==, i * GST_SECOND);
    g_assert_true (gst_structure_get_uint64 (detection_of (out), "frame-pts",
            &of));
    g_assert_cmpuint (of, ==, i * GST_SECOND);
    gst_buffer_unref (out);
  }
  g_assert_cmpint (gdino_fake_get (created_containers), ==, created);
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR), ==, 0);
  rig_free (rig);
}

/* The first frame after a flush is never one that the interval skips. */
static void
test_flush_and_interval (void)
{
  const guint boxes[] = { 1, 0, 1, 0, 0, 1 };
  GstElement *element = rig_element_new ("red.");
  GstSegment segment;
  Rig *rig;
  guint i;

  g_object_set (element, "inference-interval", 3, NULL);
  rig = rig_new_with_element (element);
  rig_set_caps (rig, CAPS);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  for (i = 0; i < G_N_ELEMENTS (boxes); i++) {
    GstBuffer *out;

    if (i == 2) {
      gst_harness_push_event (rig->harness, gst_event_new_flush_start ());
      gst_harness_push_event (rig->harness, gst_event_new_flush_stop (TRUE));
      gst_harness_push_event (rig->harness, gst_event_new_segment (&segment));
    }
    out = rig_show (rig, red, 1);
    g_assert_cmpuint (roi_count (out), ==, boxes[i]);
    gst_buffer_unref (out);
  }
  rig_free (rig);
}

/* To NULL while the model runs: back within that run, and nothing left. Runs are
 * short, as there are many; /lifecycle/stop-in-a-long-run has one of two
 * seconds. */
static void
test_stop_while_inferring (void)
{
  guint i;

  for (i = 0; i < 200; i++) {
    Rig *rig = rig_new ("red.", CAPS);
    const gint runs = gdino_fake_get (frame_runs);
    GThread *thread;
    gint64 begin;

    gdino_fake_set (delay_us, 10000);
    thread = g_thread_new ("push", push_one, rig);
    rig_wait_for_runs (runs + 1);
    begin = g_get_monotonic_time ();
    gst_element_set_state (rig->element, GST_STATE_NULL);
    g_assert_cmpint (g_get_monotonic_time () - begin, <, 2 * G_USEC_PER_SEC);
    g_thread_join (thread);
    gdino_fake_set (delay_us, 0);
    rig_free (rig);
  }
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 0);
  g_assert_cmpint (gdino_fake_get (live_tensors), ==, 0);
}

/* 0.1 s into a run of two seconds: back when that ends and no later. */
static void
test_stop_in_a_long_run (void)
{
  Rig *rig = rig_new ("red.", CAPS);
  const gint runs = gdino_fake_get (frame_runs);
  GThread *thread;
  gint64 begin;

  gdino_fake_set (delay_us, 2000000);
  thread = g_thread_new ("push", push_one, rig);
  rig_wait_for_runs (runs + 1);
  g_usleep (100000);
  begin = g_get_monotonic_time ();
  gst_element_set_state (rig->element, GST_STATE_NULL);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 2 * G_USEC_PER_SEC);
  g_assert_cmpint (gdino_fake_get (running), ==, 0);
  g_thread_join (thread);
  gdino_fake_set (delay_us, 0);
  rig_free (rig);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 0);
}

/* A live pipeline is told how long we take, and told again when that grows. */
static void
test_latency (void)
{
  Rig *rig = rig_new_with_element (rig_element_new ("red."));
  guint i;

  gst_harness_set_live (rig->harness, TRUE);
  gst_harness_set_upstream_latency (rig->harness, 40 * GST_MSECOND);
  rig_set_caps (rig, CAPS);
  g_assert_cmpuint (gst_harness_query_latency (rig->harness), ==,
      40 * GST_MSECOND);
  gdino_fake_set (delay_us, 400000);
  gst_buffer_unref (rig_show (rig, red, 1));
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_LATENCY), ==, 1);
  g_assert_cmpuint (gst_harness_query_latency (rig->harness), >=,
      440 * GST_MSECOND);
  gdino_fake_set (delay_us, 0);
  for (i = 0; i < 100; i++)
    gst_buffer_unref (rig_show (rig, red, 1));
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_LATENCY), >=, 1);
  g_assert_cmpuint (gst_harness_query_latency (rig->harness), <,
      440 * GST_MSECOND);
  rig_free (rig);
}

static void
test_latency_not_live (void)
{
  Rig *rig = rig_new_with_element (rig_element_new ("red."));

  gst_harness_set_live (rig->harness, FALSE);
  rig_set_caps (rig, CAPS);
  gst_harness_query_latency (rig->harness);
  gdino_fake_set (delay_us, 20000);
  gst_buffer_unref (rig_show (rig, red, 1));
  gdino_fake_set (delay_us, 0);
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_LATENCY), ==, 0);
  g_assert_cmpuint (gst_harness_query_latency (rig->harness), ==, 0);
  rig_free (rig);
}

/* Late frames pass without a run, where asked for, and are told of. */
static void
test_qos (void)
{
  const gboolean asked[] = { FALSE, TRUE };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (asked); i++) {
    GstElement *element = rig_element_new ("red.");
    Rig *rig;
    GstVideoInfo info;
    GstBuffer *frame;

    g_object_set (element, "qos", asked[i], NULL);
    rig = rig_new_with_element (element);
    rig_set_caps (rig, CAPS);
    rig_get_info (rig, &info);
    gst_harness_push_upstream_event (rig->harness,
        gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5, GST_SECOND,
            GST_SECOND));
    frame = picture_new (&info, red, 1);
    GST_BUFFER_PTS (frame) = GST_SECOND / 2;
    GST_BUFFER_DURATION (frame) = GST_SECOND / 25;
    frame = gst_harness_push_and_pull (rig->harness, frame);
    g_assert_nonnull (frame);
    g_assert_cmpuint (roi_count (frame), ==, asked[i] ? 0 : 1);
    gst_buffer_unref (frame);
    g_assert_cmpuint (stat_of (element, "inferred"), ==, asked[i] ? 0 : 1);
    g_assert_cmpuint (stat_of (element, "late"), ==, asked[i] ? 1 : 0);

    if (asked[i]) {
      GstMessage *message = rig_pop (rig, GST_MESSAGE_QOS);
      GstClockTime running;
      gint64 jitter;

      g_assert_nonnull (message);
      gst_message_parse_qos (message, NULL, &running, NULL, NULL, NULL);
      gst_message_parse_qos_values (message, &jitter, NULL, NULL);
      g_assert_cmpuint (running, ==, GST_SECOND / 2);
      g_assert_cmpint (jitter, ==, 5 * GST_SECOND / 2);
      gst_message_unref (message);
    }
    /* One in time is looked at again; so is any after a flush. */
    frame = picture_new (&info, red, 1);
    GST_BUFFER_PTS (frame) = 4 * GST_SECOND;
    frame = gst_harness_push_and_pull (rig->harness, frame);
    g_assert_cmpuint (roi_count (frame), ==, 1);
    gst_buffer_unref (frame);
    g_assert_cmpuint (stat_of (element, "late"), ==, asked[i] ? 1 : 0);
    rig_free (rig);
  }
}

static void
test_stats (void)
{
  Rig *rig = rig_new ("red.", CAPS);
  GstStructure *stats;
  gdouble best;

  gdino_fake_set (delay_us, 10000);
  gst_buffer_unref (rig_show (rig, red, 1));
  gdino_fake_set (delay_us, 0);
  g_assert_cmpuint (stat_of (rig->element, "frames"), ==, 1);
  g_assert_cmpuint (stat_of (rig->element, "text-runs"), ==, 1);
  g_assert_cmpuint (stat_of (rig->element, "graph-time"), >=, 10 * GST_MSECOND);
  g_assert_cmpuint (stat_of (rig->element, "last-time"), >=,
      stat_of (rig->element, "graph-time"));
  g_assert_cmpuint (stat_of (rig->element, "mean-time"), ==,
      stat_of (rig->element, "last-time"));
  g_object_get (rig->element, "stats", &stats, NULL);
  g_assert_true (gst_structure_has_name (stats, "groundingdino-stats"));
  g_assert_true (gst_structure_get_double (stats, "best-score", &best));
  g_assert_cmpfloat_with_epsilon (best, 0.9, 1e-4);
  gst_structure_free (stats);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/lifecycle/state-cycles", test_state_cycles);
  g_test_add_func ("/lifecycle/other-model", test_other_model);
  g_test_add_func ("/lifecycle/batch-package", test_batch_package);
  g_test_add_func ("/lifecycle/shared-engine", test_shared_engine);
  g_test_add_func ("/lifecycle/eos", test_eos);
  g_test_add_func ("/lifecycle/flush", test_flush);
  g_test_add_func ("/lifecycle/flush-and-interval", test_flush_and_interval);
  g_test_add_func ("/lifecycle/stop-while-inferring",
      test_stop_while_inferring);
  g_test_add_func ("/lifecycle/stop-in-a-long-run", test_stop_in_a_long_run);
  g_test_add_func ("/lifecycle/latency", test_latency);
  g_test_add_func ("/lifecycle/latency-not-live", test_latency_not_live);
  g_test_add_func ("/lifecycle/qos", test_qos);
  g_test_add_func ("/lifecycle/stats", test_stats);
  return rig_main_run ();
}
