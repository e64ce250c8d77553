/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Mode newest-frame: frames pass at once, boxes come later. */
#include "memory-use.h"
#include "rig.h"

#define CAPS "RGB,width=160,height=120"
#define FRAME (GST_SECOND / 25)

static const Patch red[] = { {"red", 10, 10, 40, 40} };
static const Patch blue[] = { {"blue", 80, 60, 40, 40} };

static Rig *
newest_new (const char *prompt)
{
  GstElement *element = rig_element_new (prompt);
  Rig *rig;

  gst_util_set_object_arg (G_OBJECT (element), "mode", "newest-frame");
  rig = rig_new_with_element (element);
  rig_set_caps (rig, CAPS);
  return rig;
}

/* Frame @i of a stream; frees what comes out and returns whether it has boxes. */
static gboolean
show (Rig * rig, const Patch * patch, guint i)
{
  GstBuffer *out = rig_show_at (rig, patch, 1, i * FRAME);
  const gboolean any = roi_count (out) > 0;

  gst_buffer_unref (out);
  return any;
}

static void
assert_from (GstBuffer * out, guint from, guint now, gboolean held)
{
  const GstStructure *detection = detection_of (out);
  guint64 pts, age;
  gboolean was_held;

  g_assert_nonnull (detection);
  g_assert_true (gst_structure_get_uint64 (detection, "frame-pts", &pts));
  g_assert_true (gst_structure_get_uint64 (detection, "age", &age));
  g_assert_true (gst_structure_get_boolean (detection, "held", &was_held));
  g_assert_cmpuint (pts, ==, from * FRAME);
  g_assert_cmpuint (age, ==, (now - from) * FRAME);
  g_assert_cmpint (was_held, ==, held);
}

/* Each result goes out with the next frame, and names the one it is of. */
static void
test_boxes_come_later (void)
{
  Rig *rig = newest_new ("red. blue.");
  GstBuffer *out;

  g_assert_false (show (rig, red, 0));
  rig_wait (rig, "inferred", 1);
  out = rig_show_at (rig, blue, 1, FRAME);
  assert_roi (out, red, 4);
  assert_from (out, 0, 1, FALSE);
  gst_buffer_unref (out);
  rig_wait (rig, "inferred", 2);
  out = rig_show_at (rig, red, 1, 2 * FRAME);
  assert_roi (out, blue, 4);
  assert_from (out, 1, 2, FALSE);
  gst_buffer_unref (out);
  rig_free (rig);
}

/* All of this happens while one run lasts. */
static void
test_never_waits (void)
{
  Rig *rig = newest_new ("red.");
  const gint runs = gdino_fake_get (frame_runs);

  gdino_fake_set (delay_us, 1000000);
  for (guint i = 0; i < 30; i++)
    g_assert_false (show (rig, red, i));
  rig_wait_for_runs (runs + 1);
  gst_harness_push_event (rig->harness, gst_event_new_eos ());
  g_assert_cmpint (gdino_fake_get (frame_runs), ==, runs + 1);
  g_assert_cmpuint (stat_of (rig->element, "frames"), ==, 30);
  g_assert_cmpuint (stat_of (rig->element, "inferred"), ==, 0);
  g_assert_cmpuint (stat_of (rig->element, "busy"), ==, 29);
  g_assert_cmpuint (stat_of (rig->element, "passed"), ==, 29);
  gdino_fake_set (delay_us, 0);
  rig_free (rig);
}

/* While there is no newer result its boxes stay, as long as hold says. */
static void
test_hold (void)
{
  static const struct
  {
    gint64 hold;
    guint shown;                /* frames in a row that have boxes */
  } cases[] = {
    {0, 1}, {3 * FRAME, 3}, {-1, 125}, {G_MAXINT64, 200}
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Rig *rig = newest_new ("red.");
    guint n = 0;

    g_object_set (rig->element, "hold", cases[i].hold, NULL);
    show (rig, red, 0);
    rig_wait (rig, "inferred", 1);
    /* The next run does not end before the last frame has passed. */
    gdino_fake_set (delay_us, 2000000);
    for (guint frame = 1; frame <= 200; frame++) {
      GstBuffer *out = rig_show_at (rig, red, 1, frame * FRAME);

      if (roi_count (out) > 0) {
        assert_from (out, 0, frame, n > 0);
        g_assert_cmpuint (++n, ==, frame);
      }
      gst_buffer_unref (out);
    }
    g_assert_cmpuint (stat_of (rig->element, "inferred"), ==, 1);
    g_assert_cmpuint (n, ==, cases[i].shown);
    g_assert_cmpuint (stat_of (rig->element, "held"), ==, n - 1);
    gdino_fake_set (delay_us, 0);
    rig_free (rig);
  }
}

/* A result of before never leaves; the frames behind get their own. */
static void
test_forgets (void (*change) (Rig * rig))
{
  Rig *rig = newest_new ("red. blue.");
  const gint runs = gdino_fake_get (frame_runs);

  show (rig, red, 0);
  rig_wait (rig, "inferred", 1);
  gdino_fake_set (delay_us, 200000);
  g_assert_true (show (rig, red, 1));
  rig_wait_for_runs (runs + 2);
  change (rig);
  g_assert_false (show (rig, blue, 2));
  rig_wait (rig, "inferred", 2);
  gdino_fake_set (delay_us, 0);
  /* The run of frame 1 is over, and its result is nobody's. */
  g_assert_false (show (rig, blue, 3));
  rig_wait (rig, "inferred", 3);
  g_assert_true (show (rig, blue, 4));
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR), ==, 0);
  rig_free (rig);
}

static void
flush (Rig * rig)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (rig->harness, gst_event_new_flush_start ());
  gst_harness_push_event (rig->harness, gst_event_new_flush_stop (TRUE));
  gst_harness_push_event (rig->harness, gst_event_new_segment (&segment));
}

static void
change_caps (Rig * rig)
{
  rig_set_caps (rig, "NV12,width=320,height=240");
}

static void
change_segment (Rig * rig)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = 1;
  gst_harness_push_event (rig->harness, gst_event_new_segment (&segment));
}

static void
change_prompt (Rig * rig)
{
  g_object_set (rig->element, "prompt", "blue.", NULL);
}

static void
test_flush (void)
{
  test_forgets (flush);
}

static void
test_caps (void)
{
  test_forgets (change_caps);
}

static void
test_segment (void)
{
  test_forgets (change_segment);
}

static void
test_prompt (void)
{
  test_forgets (change_prompt);
}

/* Without timestamps the age is counted from arrival to arrival. */
static void
test_no_timestamps (void)
{
  Rig *rig = newest_new ("red.");
  GstBuffer *out;
  guint64 age, pts;

  gst_buffer_unref (rig_show_at (rig, red, 1, GST_CLOCK_TIME_NONE));
  rig_wait (rig, "inferred", 1);
  g_usleep (20000);
  out = rig_show_at (rig, red, 1, GST_CLOCK_TIME_NONE);
  g_assert_true (gst_structure_get_uint64 (detection_of (out), "age", &age));
  g_assert_true (gst_structure_get_uint64 (detection_of (out), "frame-pts",
          &pts));
  g_assert_cmpuint (age, >=, 20 * GST_MSECOND);
  g_assert_cmpuint (age, <, 30 * GST_SECOND);
  g_assert_cmpuint (pts, ==, GST_CLOCK_TIME_NONE);
  gst_buffer_unref (out);
  rig_free (rig);
}

static void
gone (gpointer data, GstMiniObject * object)
{
  g_atomic_int_set ((gint *) data, TRUE);
}

/* The frame's memory is free again before the model runs. */
static void
test_memory_is_given_back (void)
{
  Rig *rig = newest_new ("red.");
  const gint runs = gdino_fake_get (frame_runs);
  gint freed = FALSE;
  GstVideoInfo info;
  GstBuffer *frame;

  gdino_fake_set (delay_us, 1000000);
  rig_get_info (rig, &info);
  frame = picture_new (&info, red, 1);
  gst_mini_object_weak_ref (GST_MINI_OBJECT (frame), gone, &freed);
  gst_buffer_unref (gst_harness_push_and_pull (rig->harness, frame));
  rig_wait_for_runs (runs + 1);
  g_assert_true (g_atomic_int_get (&freed));
  g_assert_cmpuint (stat_of (rig->element, "inferred"), ==, 0);
  gdino_fake_set (delay_us, 0);
  rig_free (rig);
}

/* One error, then no more frames; after NULL all is well again. */
static void
test_failure (void)
{
  Rig *rig = newest_new ("red.");
  GstVideoInfo info;
  GstMessage *message;

  gdino_fake_set (fail_runs, 1);
  show (rig, red, 0);
  message = gst_bus_timed_pop_filtered (rig->bus, 30 * GST_SECOND,
      GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  gst_message_unref (message);
  rig_get_info (rig, &info);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (gst_harness_push (rig->harness, picture_new (&info, red,
                1)), ==, GST_FLOW_ERROR);
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR), ==, 0);

  rig_restart (rig, CAPS);
  show (rig, red, 0);
  rig_wait (rig, "inferred", 1);
  g_assert_true (show (rig, red, 1));
  rig_free (rig);
}

static void
test_latency (void)
{
  Rig *rig = newest_new ("red.");

  gst_harness_set_live (rig->harness, TRUE);
  gst_harness_set_upstream_latency (rig->harness, 7 * GST_MSECOND);
  gdino_fake_set (delay_us, 30000);
  for (guint i = 1; i <= 3; i++) {
    show (rig, red, i);
    rig_wait (rig, "inferred", i);
    g_assert_cmpuint (gst_harness_query_latency (rig->harness), ==,
        7 * GST_MSECOND);
  }
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_LATENCY), ==, 0);
  gdino_fake_set (delay_us, 0);
  rig_free (rig);
}

/* Stopped in the middle of a run, again and again. */
static void
test_stop (void)
{
  Rig *rig = newest_new ("red.");

  gdino_fake_set (delay_us, 5000);
  for (guint i = 0; i < 50; i++) {
    show (rig, red, i);
    if (i % 3 == 0)
      gst_harness_push_event (rig->harness, gst_event_new_eos ());
    rig_restart (rig, CAPS);
  }
  gdino_fake_set (delay_us, 0);
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR), ==, 0);
  rig_free (rig);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 0);
  g_assert_cmpint (gdino_fake_get (live_tensors), ==, 0);
}

/* Ten minutes at 30 frames a second, as fast as they go. */
static void
test_memory_stays (void)
{
  Rig *rig = newest_new ("red.");
  gsize before = 0;

  gdino_fake_set (delay_us, 1000);
  for (guint i = 0; i < 10 * 60 * 30; i++) {
    GstEvent *event;

    show (rig, red, i);
    while ((event = gst_harness_try_pull_event (rig->harness)) != NULL)
      gst_event_unref (event);
    if (i == 30 * 60)
      before = bytes_in_use ();
  }
  rig_drain (rig, GST_MESSAGE_ANY);
  gdino_fake_set (delay_us, 0);
  /* The last run may go on. */
  while (stat_of (rig->element, "passed") + stat_of (rig->element, "inferred")
      < 10 * 60 * 30)
    g_usleep (1000);
  g_test_message ("%" G_GSIZE_FORMAT " bytes in use after a minute, %"
      G_GSIZE_FORMAT " after ten; %" G_GUINT64_FORMAT " frames looked at",
      before, bytes_in_use (), stat_of (rig->element, "inferred"));
  if (can_count ())
    g_assert_cmpuint (bytes_in_use (), <, before + 65536);
  g_assert_cmpuint (stat_of (rig->element, "inferred"), >, 0);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/newest/boxes-come-later", test_boxes_come_later);
  g_test_add_func ("/newest/never-waits", test_never_waits);
  g_test_add_func ("/newest/hold", test_hold);
  g_test_add_func ("/newest/flush", test_flush);
  g_test_add_func ("/newest/caps", test_caps);
  g_test_add_func ("/newest/segment", test_segment);
  g_test_add_func ("/newest/prompt", test_prompt);
  g_test_add_func ("/newest/no-timestamps", test_no_timestamps);
  g_test_add_func ("/newest/memory-is-given-back", test_memory_is_given_back);
  g_test_add_func ("/newest/failure", test_failure);
  g_test_add_func ("/newest/latency", test_latency);
  g_test_add_func ("/newest/stop", test_stop);
  g_test_add_func ("/newest/memory-stays", test_memory_stays);
  return rig_main_run ();
}
