/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Several elements beside each other: one engine, fair turns, no stalls. */
#include "rig.h"

#define CAPS "RGB,width=160,height=120"
#define ELEMENTS 4

static const char *const colours[ELEMENTS] =
    { "red", "green", "blue", "white" };

static const Patch patches[ELEMENTS] = {
  {"red", 10, 10, 30, 30}, {"green", 60, 10, 30, 30},
  {"blue", 10, 70, 30, 30}, {"white", 60, 70, 30, 30}
};

typedef struct
{
  Rig *rig;
  const Patch *patch;
  gint stop;
  gint frames;
} Stream;

static Rig *
rig_for (guint index, const char *package)
{
  g_autofree gchar *prompt = g_strconcat (colours[index], ".", NULL);
  GstElement *element = rig_element_new (prompt);
  Rig *rig;

  g_object_set (element, "model", package, "box-threshold",
      0.3 + 0.05 * index, NULL);
  rig = rig_new_with_element (element);
  rig_set_caps (rig, CAPS);
  return rig;
}

static gpointer
play (gpointer data)
{
  Stream *self = data;

  while (!g_atomic_int_get (&self->stop)) {
    GstBuffer *out = rig_show (self->rig, patches, ELEMENTS);

    g_assert_cmpuint (roi_count (out), ==, 1);
    assert_roi (out, self->patch, 5);
    gst_buffer_unref (out);
    g_atomic_int_inc (&self->frames);
  }
  return NULL;
}

static void
wait_for_frames (Stream * self, gint more)
{
  const gint wanted = g_atomic_int_get (&self->frames) + more;

  for (guint i = 0; g_atomic_int_get (&self->frames) < wanted; i++) {
    g_assert_cmpuint (i, <, 30000);
    g_usleep (1000);
  }
}

/* Weights once, prompts and thresholds apart, and nobody is served twice while
 * another waits. */
static void
test_fair (void)
{
  Stream streams[ELEMENTS];
  GThread *threads[ELEMENTS];
  gint least = G_MAXINT, most = 0;

  for (guint i = 0; i < ELEMENTS; i++) {
    streams[i] = (Stream) {
    rig_for (i, rig_package ()), &patches[i], 0, 0};
    g_assert_cmpint (gdino_fake_get (live_containers), ==, 2);
  }
  gdino_fake_set (delay_us, 5000);
  for (guint i = 0; i < ELEMENTS; i++)
    threads[i] = g_thread_new ("play", play, &streams[i]);
  wait_for_frames (&streams[0], 50);
  for (guint i = 0; i < ELEMENTS; i++) {
    const gint n = g_atomic_int_get (&streams[i].frames);

    least = MIN (least, n);
    most = MAX (most, n);
  }
  for (guint i = 0; i < ELEMENTS; i++)
    g_atomic_int_set (&streams[i].stop, TRUE);
  for (guint i = 0; i < ELEMENTS; i++)
    g_thread_join (threads[i]);
  gdino_fake_set (delay_us, 0);
  g_test_message ("%d to %d frames each", least, most);
  /* A thread may come late to its turn on a busy machine, but not always. */
  g_assert_cmpint (least, >, most / 2);
  g_assert_cmpint (gdino_fake_get (most_running), ==, 1);
  for (guint i = 0; i < ELEMENTS; i++)
    rig_free (streams[i].rig);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 0);
}

static gpointer
start_other (gpointer data)
{
  return rig_for (1, data);
}

static gpointer
stop_other (gpointer data)
{
  rig_free (data);
  return NULL;
}

/* While another loads a package of its own, frames go on; also while one is
 * added to the engine, and while they are stopped. */
static void
test_no_stall (void)
{
  static const GdinoFakeOptions options = { 0 };
  const char *slow = rig_package_new (&options);
  Stream stream = { rig_for (0, rig_package ()), &patches[0], 0, 0 };
  GThread *player = g_thread_new ("play", play, &stream);
  GThread *other;
  Rig *loaded, *added;
  gint created;

  wait_for_frames (&stream, 3);
  created = gdino_fake_get (created_containers);
  gdino_fake_set (create_delay_us, 1500000);
  other = g_thread_new ("start", start_other, (gpointer) slow);
  /* Both of its graphs take so long; by the first frame none is there. */
  wait_for_frames (&stream, 20);
  g_assert_cmpint (gdino_fake_get (created_containers), <=, created + 1);
  gdino_fake_set (create_delay_us, 0);
  loaded = g_thread_join (other);
  wait_for_frames (&stream, 3);

  for (guint i = 0; i < 10; i++) {
    GThread *stopping;

    added = rig_for (2, rig_package ());
    wait_for_frames (&stream, 2);
    stopping = g_thread_new ("stop", stop_other, added);
    wait_for_frames (&stream, 2);
    g_thread_join (stopping);
  }
  rig_free (loaded);
  wait_for_frames (&stream, 3);
  g_atomic_int_set (&stream.stop, TRUE);
  g_thread_join (player);
  rig_free (stream.rig);
}

/* One that never waits beside one that does, on the same engine. */
static void
test_modes_beside_each_other (void)
{
  GstElement *element = rig_element_new ("blue.");
  Stream stream = { rig_for (0, rig_package ()), &patches[0], 0, 0 };
  GThread *player;
  Rig *newest;
  guint n;

  gst_util_set_object_arg (G_OBJECT (element), "mode", "newest-frame");
  newest = rig_new_with_element (element);
  rig_set_caps (newest, CAPS);
  gdino_fake_set (delay_us, 5000);
  player = g_thread_new ("play", play, &stream);
  for (n = 0; stat_of (newest->element, "inferred") < 20; n++) {
    GstBuffer *out = rig_show_at (newest, patches, ELEMENTS, n * GST_MSECOND);

    g_assert_cmpuint (n, <, 30000);
    g_assert_null (roi_of (out, "red"));
    gst_buffer_unref (out);
    g_usleep (1000);
  }
  wait_for_frames (&stream, 5);
  g_atomic_int_set (&stream.stop, TRUE);
  g_thread_join (player);
  gdino_fake_set (delay_us, 0);
  rig_free (newest);
  rig_free (stream.rig);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/shared/fair", test_fair);
  g_test_add_func ("/shared/no-stall", test_no_stall);
  g_test_add_func ("/shared/modes-beside-each-other",
      test_modes_beside_each_other);
  return rig_main_run ();
}
