/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Events, states and changes in any order, while frames go through. Two hundred
 * sequences, or as many as GDINO_RANDOM_RUNS says, from the seed that GLib's
 * --seed sets and each run prints. */
#include "rig.h"

#define RUNS 200
#define STEPS 30

static const Patch both[] = {
  {"red", 10, 10, 40, 40}, {"blue", 80, 60, 40, 40}
};

static const char *const all_caps[] = {
  "RGB,width=160,height=120", "NV12,width=320,height=240",
  "BGRx,width=160,height=160", "I420,width=240,height=180",
};

static const char *const prompts[] = {
  "red.", "blue.", "red. blue.", "", "green.", "\xff"
};

typedef struct
{
  Rig *rig;
  GRand *rand;
  GMutex lock;                  /* of the flow of frames */
  gint stop;
  guint pushed;
  guint failures;               /* runs made to fail */
} Fuzz;

static void
set_segment (Fuzz * self)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = (guint64) g_rand_int_range (self->rand, 0, 9);
  gst_harness_push_event (self->rig->harness, gst_event_new_segment (&segment));
}

static void
set_caps (Fuzz * self)
{
  rig_set_caps (self->rig, all_caps[g_rand_int_range (self->rand, 0,
              G_N_ELEMENTS (all_caps))]);
}

static void
push (Fuzz * self)
{
  GstVideoInfo info;
  GstCaps *caps = gst_pad_get_current_caps (self->rig->harness->srcpad);
  GstBuffer *buffer, *out;

  if (caps == NULL || !gst_video_info_from_caps (&info, caps)) {
    gst_clear_caps (&caps);
    return;
  }
  gst_caps_unref (caps);
  buffer = picture_new (&info, both, 2);
  if (g_rand_boolean (self->rand))
    GST_BUFFER_PTS (buffer) = (guint64) g_rand_int_range (self->rand, 0, 100)
        * GST_MSECOND;
  gst_harness_push (self->rig->harness, buffer);
  while ((out = gst_harness_try_pull (self->rig->harness)) != NULL) {
    gpointer state = NULL;
    GstMeta *meta;

    /* Boxes lie in the frame they are on. */
    while ((meta = gst_buffer_iterate_meta_filtered (out, &state,
                GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) != NULL) {
      GstVideoRegionOfInterestMeta *roi = (GstVideoRegionOfInterestMeta *) meta;

      g_assert_cmpuint (roi->x + roi->w, <=, 320);
      g_assert_cmpuint (roi->w, >, 0);
    }
    gst_buffer_unref (out);
  }
}

static void
flush (Fuzz * self, gboolean stop)
{
  gst_harness_push_event (self->rig->harness, gst_event_new_flush_start ());
  gst_harness_push_event (self->rig->harness, gst_event_new_flush_stop (stop));
  set_segment (self);
}

static void
restart (Fuzz * self)
{
  GstState state = g_rand_boolean (self->rand) ? GST_STATE_NULL
      : GST_STATE_READY;

  gst_element_set_state (self->rig->element, state);
  if (g_rand_boolean (self->rand))
    gst_util_set_object_arg (G_OBJECT (self->rig->element), "mode",
        g_rand_boolean (self->rand) ? "newest-frame" : "every-frame");
  /* With a prompt that says nothing sensible it does not start. */
  g_object_set (self->rig->element, "prompt", "red. blue.", NULL);
  g_assert_cmpint (gst_element_set_state (self->rig->element,
          GST_STATE_PLAYING), ==, GST_STATE_CHANGE_SUCCESS);
  gst_harness_push_event (self->rig->harness,
      gst_event_new_stream_start ("again"));
  set_caps (self);
  set_segment (self);
}

static void
set_property (Fuzz * self)
{
  GstElement *element = self->rig->element;

  switch (g_rand_int_range (self->rand, 0, 7)) {
    case 0:
      g_object_set (element, "prompt", prompts[g_rand_int_range (self->rand, 0,
                  G_N_ELEMENTS (prompts))], NULL);
      break;
    case 1:
      g_object_set (element, "hold", g_rand_boolean (self->rand) ? (gint64) - 1
          : g_rand_int_range (self->rand, 0, 50) * (gint64) GST_MSECOND, NULL);
      break;
    case 2:
      g_object_set (element, "inference-interval",
          g_rand_int_range (self->rand, 1, 5), NULL);
      break;
    case 3:
      g_object_set (element, "qos", g_rand_boolean (self->rand), NULL);
      break;
    case 4:
      g_object_set (element, "labels", g_rand_boolean (self->rand) ?
          "red=fire" : "nonsense", NULL);
      break;
    case 5:
      g_object_set (element, "max-passes", g_rand_int_range (self->rand, 1, 4),
          NULL);
      break;
    default:
      gdino_fake_set (delay_us, g_rand_int_range (self->rand, 0, 3000));
      break;
  }
}

static void
step (Fuzz * self)
{
  GstHarness *harness = self->rig->harness;

  switch (g_rand_int_range (self->rand, 0, 13)) {
    case 0:
      flush (self, TRUE);
      break;
    case 1:
      flush (self, FALSE);
      break;
    case 2:
      set_segment (self);
      break;
    case 3:
      set_caps (self);
      break;
    case 4:
      gst_harness_push_event (harness, gst_event_new_gap (0, GST_MSECOND));
      break;
    case 5:
      gst_harness_push_event (harness, gst_event_new_eos ());
      flush (self, TRUE);
      break;
    case 6:
      restart (self);
      break;
    case 7:
      gst_harness_push_upstream_event (harness,
          gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 1.5,
              g_rand_int_range (self->rand, -50, 50) * GST_MSECOND,
              50 * GST_MSECOND));
      break;
    case 8:
      gst_harness_query_latency (harness);
      break;
    case 9:
      gst_harness_push_event (harness,
          gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
              gst_structure_new ("groundingdino-set-prompt", "prompt",
                  G_TYPE_STRING, "blue.", NULL)));
      break;
    default:
      set_property (self);
      break;
  }
  for (gint i = g_rand_int_range (self->rand, 0, 4); i > 0; i--)
    push (self);
}

/* Changes from another thread, at any moment of the first's work. */
static gpointer
disturb (gpointer data)
{
  Fuzz *self = data;
  GstElement *element = self->rig->element;
  guint i;

  for (i = 0; !g_atomic_int_get (&self->stop); i++) {
    GstStructure *stats = NULL;

    g_object_set (element, "prompt", i % 3 ? "red. blue." : "red.",
        "box-threshold", i % 2 ? 0.3 : 0.4, NULL);
    g_object_get (element, "stats", &stats, NULL);
    gst_structure_free (stats);
    gst_harness_push_upstream_event (self->rig->harness,
        gst_event_new_qos (GST_QOS_TYPE_THROTTLE, 1.0, 0, GST_MSECOND));
    g_usleep (200);
  }
  return NULL;
}

/* All frames are accounted for, but for one that may be at work. */
static void
check_sums (Rig * rig)
{
  const guint64 frames = stat_of (rig->element, "frames");
  guint64 sum = 0;

  for (guint i = 0; i < 10000; i++) {
    sum = stat_of (rig->element, "passed") + stat_of (rig->element, "inferred");
    if (sum == frames)
      return;
    g_usleep (1000);
  }
  g_assert_cmpuint (sum, ==, frames);
}

static void
expect_no_error (Rig * rig)
{
  GstMessage *message = rig_pop (rig, GST_MESSAGE_ERROR);
  GError *error = NULL;

  if (message == NULL)
    return;
  gst_message_parse_error (message, &error, NULL);
  g_error ("%s", error->message);
}

static void
one_sequence (guint32 seed)
{
  GstElement *element = rig_element_new ("red. blue.");
  Fuzz self = {.rand = g_rand_new_with_seed (seed) };
  GThread *thread = NULL;

  gst_util_set_object_arg (G_OBJECT (element), "mode",
      g_rand_boolean (self.rand) ? "newest-frame" : "every-frame");
  self.rig = rig_new_with_element (element);
  set_caps (&self);
  if (seed % 4 == 0)
    thread = g_thread_new ("disturb", disturb, &self);
  for (guint i = 0; i < STEPS; i++)
    step (&self);
  g_atomic_int_set (&self.stop, TRUE);
  if (thread != NULL)
    g_thread_join (thread);
  gdino_fake_set (delay_us, 0);
  expect_no_error (self.rig);

  /* The device fails: one error, and a restart makes it good. */
  g_object_set (element, "inference-interval", 1, "qos", FALSE, "prompt",
      "red. blue.", NULL);
  restart (&self);
  rig_set_caps (self.rig, all_caps[0]);
  gdino_fake_set (fail_runs, 1);
  for (guint i = 0; i < 10000 && gdino_fake_get (fail_runs) > 0; i++)
    push (&self);
  {
    GstMessage *message = gst_bus_timed_pop_filtered (self.rig->bus,
        30 * GST_SECOND, GST_MESSAGE_ERROR);

    g_assert_nonnull (message);
    gst_message_unref (message);
  }
  push (&self);
  g_assert_cmpuint (rig_drain (self.rig, GST_MESSAGE_ERROR), ==, 0);
  restart (&self);
  rig_set_caps (self.rig, all_caps[0]);
  for (guint i = 0; i < 10000; i++) {
    push (&self);
    if (stat_of (element, "inferred") > 0)
      break;
    g_usleep (1000);
  }
  check_sums (self.rig);
  g_assert_cmpuint (stat_of (element, "detections"), ==, 2 * stat_of (element,
          "inferred"));
  g_assert_cmpuint (rig_drain (self.rig, GST_MESSAGE_ERROR), ==, 0);
  rig_free (self.rig);
  g_rand_free (self.rand);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 0);
  g_assert_cmpint (gdino_fake_get (live_tensors), ==, 0);
}

static void
test_sequences (void)
{
  const gchar *given = g_getenv ("GDINO_RANDOM_RUNS");
  const guint64 runs = given == NULL ? RUNS : g_ascii_strtoull (given, NULL,
      10);

  for (guint64 i = 0; i < runs; i++) {
    const guint32 seed = (guint32) g_test_rand_int ();

    g_test_message ("sequence %u, seed %u", (guint) i, seed);
    one_sequence (seed);
  }
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/random/sequences", test_sequences);
  return rig_main_run ();
}
