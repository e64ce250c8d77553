/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Prompts that change ten thousand times a second, from two threads. The stream
 * goes on and memory stays. GDINO_FLOOD_SECONDS says for how long, 3 unless set. */
#include "memory-use.h"
#include "rig.h"

#define CAPS "RGB,width=160,height=120"
#define CHANGES_A_SECOND 10000
#define KINDS 500               /* of prompts; more would be more quarks */

static const Patch red[] = { {"red", 10, 10, 40, 40} };

typedef struct
{
  GstElement *element;
  gint stop;
  gint changes;
} Flood;

static gpointer
flood (gpointer data)
{
  Flood *self = data;
  const gint64 begin = g_get_monotonic_time ();
  gint64 early;

  for (gint64 i = 0; !g_atomic_int_get (&self->stop); i++) {
    const gint64 due = begin + i * 2 * G_USEC_PER_SEC / CHANGES_A_SECOND;
    g_autofree gchar *text = g_strdup_printf ("red. %c%c.",
        (gchar) ('a' + i % KINDS / 26), (gchar) ('a' + i % KINDS % 26));

    g_object_set (self->element, "prompt", text, NULL);
    g_atomic_int_inc (&self->changes);
    early = due - g_get_monotonic_time ();
    if (early > 0)
      g_usleep ((gulong) early);
  }
  return NULL;
}

static gpointer
empty_bus (gpointer data)
{
  Flood *self = data;
  GstBus *bus = gst_element_get_bus (self->element);

  while (!g_atomic_int_get (&self->stop)) {
    GstMessage *message = gst_bus_timed_pop (bus, 10 * GST_MSECOND);

    if (message != NULL) {
      g_assert_cmpint (GST_MESSAGE_TYPE (message), !=, GST_MESSAGE_ERROR);
      gst_message_unref (message);
    }
  }
  gst_object_unref (bus);
  return NULL;
}

static void
run_frames (Rig * rig, gint64 until, guint * n)
{
  while (g_get_monotonic_time () < until) {
    GstBuffer *out = rig_show_at (rig, red, 1, *n * GST_MSECOND);
    GstEvent *event;

    g_assert_nonnull (roi_of (out, "red"));
    gst_buffer_unref (out);
    while ((event = gst_harness_try_pull_event (rig->harness)) != NULL)
      gst_event_unref (event);
    (*n)++;
  }
}

static void
test_flood (void)
{
  const gchar *given = g_getenv ("GDINO_FLOOD_SECONDS");
  const gint64 seconds = given == NULL ? 3 : g_ascii_strtoll (given, NULL, 10);
  Rig *rig = rig_new ("red.", CAPS);
  Flood shared = { rig->element, FALSE, 0 };
  GThread *threads[3];
  gint64 begin;
  gsize before;
  guint n = 0;

  threads[0] = g_thread_new ("flood", flood, &shared);
  threads[1] = g_thread_new ("flood", flood, &shared);
  threads[2] = g_thread_new ("bus", empty_bus, &shared);
  /* All quarks, and what the engine remembers, exist after a moment. */
  begin = g_get_monotonic_time ();
  run_frames (rig, begin + G_USEC_PER_SEC, &n);
  before = bytes_in_use ();
  run_frames (rig, begin + (1 + seconds) * G_USEC_PER_SEC, &n);
  g_atomic_int_set (&shared.stop, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  rig_drain (rig, GST_MESSAGE_ANY);

  g_test_message ("%d changes and %u frames in %d seconds; %" G_GSIZE_FORMAT
      " bytes in use after the first, %" G_GSIZE_FORMAT " at the end",
      shared.changes, n, (gint) seconds + 1, before, bytes_in_use ());
  g_assert_cmpint (shared.changes, >, 100);
  g_assert_cmpuint (n, >, 10 * (guint) seconds);
  if (can_count ())
    g_assert_cmpuint (bytes_in_use (), <, before + 4 * 1024 * 1024);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/flood/prompts", test_flood);
  return rig_main_run ();
}
