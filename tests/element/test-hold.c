/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Frames without a run of the model, in mode every-frame: skipped and late. */
#include "rig.h"

#include <string.h>

#define CAPS "RGB,width=160,height=120"
#define FRAME (GST_SECOND / 25)

static const Patch red[] = { {"red", 10, 10, 40, 40} };

/* Which of 12 frames leave with boxes and which of them say held, as a string
 * such as "xhh.xhh."; checks ages on the way. */
static gchar *
pattern (Rig * rig, gboolean timestamps)
{
  GString *text = g_string_new (NULL);
  guint64 age, pts, last = 0;
  gboolean held;

  for (guint i = 0; i < 12; i++) {
    GstBuffer *out = rig_show_at (rig, red, 1,
        timestamps ? i * FRAME : GST_CLOCK_TIME_NONE);
    const GstStructure *detection = detection_of (out);

    if (detection == NULL) {
      g_string_append_c (text, '.');
    } else {
      gst_structure_get_boolean (detection, "held", &held);
      gst_structure_get_uint64 (detection, "age", &age);
      gst_structure_get_uint64 (detection, "frame-pts", &pts);
      g_string_append_c (text, held ? 'h' : 'x');
      assert_roi (out, red, 4);
      last = held ? last : i;
      if (timestamps) {
        g_assert_cmpuint (age, ==, (i - last) * FRAME);
        g_assert_cmpuint (pts, ==, last * FRAME);
      }
    }
    gst_buffer_unref (out);
  }
  return g_string_free (text, FALSE);
}

static void
test_skipped (void)
{
  static const struct
  {
    gint64 hold;
    const char *wanted;
  } cases[] = {
    {-1, "x...x...x..."}, {0, "x...x...x..."}, {FRAME, "xh..xh..xh.."},
    {FRAME * 5 / 2, "xhh.xhh.xhh."}, {GST_SECOND, "xhhhxhhhxhhh"}
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Rig *rig = rig_new ("red.", CAPS);
    g_autofree gchar *got = NULL;

    g_object_set (rig->element, "inference-interval", 4, "hold", cases[i].hold,
        NULL);
    got = pattern (rig, TRUE);
    g_assert_cmpstr (got, ==, cases[i].wanted);
    g_assert_cmpuint (stat_of (rig->element, "skipped"), ==, 9);
    g_assert_cmpuint (stat_of (rig->element, "passed"), ==, 9);
    g_assert_cmpuint (stat_of (rig->element, "inferred"), ==, 3);
    rig_free (rig);
  }
}

static void
test_no_timestamps (void)
{
  Rig *rig = rig_new ("red.", CAPS);
  g_autofree gchar *got = NULL;

  g_object_set (rig->element, "inference-interval", 4, "hold",
      (gint64) (60 * GST_SECOND), NULL);
  got = pattern (rig, FALSE);
  g_assert_cmpstr (got, ==, "xhhhxhhhxhhh");
  rig_free (rig);
}

/* Late frames have the boxes of the last one that was in time. */
static void
test_late (void)
{
  Rig *rig = rig_new ("red.", CAPS);
  GstBuffer *out;

  g_object_set (rig->element, "qos", TRUE, "hold", (gint64) GST_SECOND, NULL);
  gst_buffer_unref (rig_show_at (rig, red, 1, 0));
  gst_harness_push_upstream_event (rig->harness,
      gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 2.0, 2 * FRAME, 0));
  for (guint i = 1; i < 4; i++) {
    out = rig_show_at (rig, red, 1, i * FRAME);
    assert_roi (out, red, 4);
    gst_buffer_unref (out);
  }
  g_assert_cmpuint (stat_of (rig->element, "late"), ==, 3);
  g_assert_cmpuint (stat_of (rig->element, "held"), ==, 3);
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_QOS), ==, 3);
  gst_buffer_unref (rig_show_at (rig, red, 1, 4 * FRAME));
  g_assert_cmpuint (stat_of (rig->element, "inferred"), ==, 2);
  rig_free (rig);
}

/* Boxes of another size, prompt or place in the stream are not repeated. */
static void
test_not_beyond_a_change (void)
{
  for (guint i = 0; i < 3; i++) {
    Rig *rig = rig_new ("red.", CAPS);
    GstSegment segment;
    GstBuffer *out;

    g_object_set (rig->element, "inference-interval", 2, "hold",
        (gint64) GST_SECOND, NULL);
    gst_buffer_unref (rig_show_at (rig, red, 1, 0));
    if (i == 0) {
      rig_set_caps (rig, "RGB,width=320,height=240");
    } else if (i == 1) {
      g_object_set (rig->element, "prompt", "blue.", NULL);
    } else {
      gst_segment_init (&segment, GST_FORMAT_TIME);
      gst_harness_push_event (rig->harness, gst_event_new_flush_start ());
      gst_harness_push_event (rig->harness, gst_event_new_flush_stop (TRUE));
      gst_harness_push_event (rig->harness, gst_event_new_segment (&segment));
    }
    /* It is looked at itself at once. */
    out = rig_show_at (rig, red, 1, FRAME);
    g_assert_cmpuint (stat_of (rig->element, "inferred"), ==, 2);
    g_assert_cmpuint (stat_of (rig->element, "held"), ==, 0);
    g_assert_cmpuint (roi_count (out), ==, i == 1 ? 0 : 1);
    gst_buffer_unref (out);
    rig_free (rig);
  }
}

/* What found nothing is repeated as nothing. */
static void
test_nothing_is_repeated_too (void)
{
  Rig *rig = rig_new ("blue.", CAPS);
  GstBuffer *out;

  g_object_set (rig->element, "inference-interval", 2, "hold",
      (gint64) GST_SECOND, NULL);
  gst_buffer_unref (rig_show_at (rig, red, 1, 0));
  out = rig_show_at (rig, red, 1, FRAME);
  g_assert_cmpuint (roi_count (out), ==, 0);
  g_assert_cmpuint (stat_of (rig->element, "held"), ==, 1);
  gst_buffer_unref (out);
  rig_free (rig);
}

static void
test_percentiles (void)
{
  static const char *const stages[] = { "convert", "text", "graph", "decode",
    "whole"
  };
  static const char *const names[] = { "time", "mean", "p50", "p90", "p99" };
  Rig *rig = rig_new ("red.", CAPS);
  guint64 p50, p90, p99;

  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    for (guint j = 0; j < G_N_ELEMENTS (names); j++) {
      g_autofree gchar *field = g_strconcat (stages[i], "-", names[j], NULL);

      g_assert_cmpuint (stat_of (rig->element, field), ==, 0);
    }
  /* One frame in ten takes long: above the median, below the 90 percent. */
  for (guint i = 0; i < 20; i++) {
    gdino_fake_set (delay_us, i % 10 == 5 ? 50000 : 0);
    gst_buffer_unref (rig_show_at (rig, red, 1, i * FRAME));
  }
  gdino_fake_set (delay_us, 0);
  p50 = stat_of (rig->element, "graph-p50");
  p90 = stat_of (rig->element, "graph-p90");
  p99 = stat_of (rig->element, "graph-p99");
  g_assert_cmpuint (p50, <=, p90);
  g_assert_cmpuint (p90, <=, p99);
  g_assert_cmpuint (p99, >=, 50 * GST_MSECOND);
  g_assert_cmpuint (stat_of (rig->element, "graph-mean"), >=, 5 * GST_MSECOND);
  g_assert_cmpuint (stat_of (rig->element, "whole-p99"), >=, p99);
  g_assert_cmpuint (stat_of (rig->element, "whole-time"), ==,
      stat_of (rig->element, "last-time"));
  rig_free (rig);
}

typedef struct
{
  GMutex lock;
  GString *text;
} Log;

static void
listen (GstDebugCategory * category, GstDebugLevel level, const gchar * file,
    const gchar * function, gint line, GObject * object,
    GstDebugMessage * message, gpointer data)
{
  Log *log = data;

  if (strcmp (gst_debug_category_get_name (category), "groundingdino") != 0)
    return;
  g_mutex_lock (&log->lock);
  g_string_append_printf (log->text, "%d %s\n", level,
      gst_debug_message_get (message));
  g_mutex_unlock (&log->lock);
}

/* The log says why there are no boxes: once at INFO, then at DEBUG. */
static void
test_reasons (void)
{
  static const struct
  {
    const char *property;
    double value;
    const char *reason;
  } cases[] = {
    {"box-threshold", 1.0, "not above the threshold; best score seen 0."},
    {"size-threshold", 0.001, "1 larger than size-threshold"},
  };
  /* GStreamer leaks its list when a function is taken off it: this one stays. */
  static Log log;

  log.text = g_string_new (NULL);
  gst_debug_add_log_function (listen, &log, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Rig *rig = rig_new ("red.", CAPS);
    const char *info;

    g_string_truncate (log.text, 0);
    gst_debug_set_threshold_for_name ("groundingdino", GST_LEVEL_DEBUG);
    g_object_set (rig->element, cases[i].property, cases[i].value, NULL);
    for (guint j = 0; j < 3; j++)
      gst_buffer_unref (rig_show_at (rig, red, 1, j * FRAME));
    gst_debug_set_threshold_for_name ("groundingdino", GST_LEVEL_NONE);
    g_test_message ("%s", log.text->str);
    info = strstr (log.text->str, "4 no boxes: ");
    g_assert_nonnull (info);
    g_assert_nonnull (strstr (info, cases[i].reason));
    g_assert_null (strstr (info + 1, "4 no boxes: "));
    g_assert_nonnull (strstr (info, "5 no boxes: "));
    rig_free (rig);
  }
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/hold/skipped", test_skipped);
  g_test_add_func ("/hold/no-timestamps", test_no_timestamps);
  g_test_add_func ("/hold/late", test_late);
  g_test_add_func ("/hold/not-beyond-a-change", test_not_beyond_a_change);
  g_test_add_func ("/hold/nothing-is-repeated-too",
      test_nothing_is_repeated_too);
  g_test_add_func ("/hold/reasons", test_reasons);
  g_test_add_func ("/hold/percentiles", test_percentiles);
  return rig_main_run ();
}
