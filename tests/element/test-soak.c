/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Half an hour of 30 frames a second, as fast as they go: prompts change every
 * second, another stream comes and goes every ten. GDINO_SOAK_MINUTES says how
 * long. At the end there is as much memory in use as after the first minute. */
#include "memory-use.h"
#include "rig.h"

#define CAPS "RGB,width=64,height=48"
#define RATE 30
#define KINDS 100               /* of prompts; more would be more quarks */

static const Patch red[] = { {"red", 8, 8, 24, 24} };

static Rig *
start (gboolean newest)
{
  GstElement *element = rig_element_new ("red.");
  Rig *rig;

  gst_util_set_object_arg (G_OBJECT (element), "mode",
      newest ? "newest-frame" : "every-frame");
  g_object_set (element, "hold", (gint64) GST_SECOND, "labels", "red=fire",
      NULL);
  rig = rig_new_with_element (element);
  rig_set_caps (rig, CAPS);
  return rig;
}

static void
show (Rig * rig, guint64 frame)
{
  GstEvent *event;

  gst_buffer_unref (rig_show_at (rig, red, 1, frame * GST_SECOND / RATE));
  while ((event = gst_harness_try_pull_event (rig->harness)) != NULL)
    gst_event_unref (event);
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR), ==, 0);
}

static void
set_prompt (Rig * rig, guint64 n)
{
  g_autofree gchar *text = g_strdup_printf ("red. %c%c.",
      (gchar) ('a' + n % KINDS / 26), (gchar) ('a' + n % KINDS % 26));

  g_object_set (rig->element, "prompt", text, NULL);
}

static void
test_soak (gconstpointer newest)
{
  const gchar *given = g_getenv ("GDINO_SOAK_MINUTES");
  /* Under a sanitizer memory cannot be counted, and all takes many times as
   * long. */
  const guint64 usual = can_count ()? 30 : 3;
  const guint64 minutes =
      given == NULL ? usual : g_ascii_strtoull (given, NULL, 10);
  Rig *steady = start (newest != NULL);
  Rig *other = NULL;
  gsize first = 0;

  for (guint64 frame = 0; frame < minutes * 60 * RATE; frame++) {
    if (frame % RATE == 0)
      set_prompt (steady, frame / RATE);
    if (frame % (10 * RATE) == 0)
      other = start (frame % (20 * RATE) == 0);
    if (frame % (10 * RATE) == 5 * RATE)
      g_clear_pointer (&other, rig_free);
    show (steady, frame);
    if (other != NULL)
      show (other, frame);
    /* Twice that, so that all prompts have been met. */
    if (frame == 2 * 60 * RATE - 1)
      first = bytes_in_use ();
  }
  g_clear_pointer (&other, rig_free);
  g_test_message ("%" G_GSIZE_FORMAT " bytes in use after the first minutes, %"
      G_GSIZE_FORMAT " after %u", first, bytes_in_use (), (guint) minutes);
  if (can_count () && minutes > 2)
    g_assert_cmpuint (bytes_in_use (), <, first + 256 * 1024);
  rig_free (steady);
  g_assert_cmpint (gdino_fake_get (live_tensors), ==, 0);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 0);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_data_func ("/soak/every-frame", NULL, test_soak);
  g_test_add_data_func ("/soak/newest-frame", "", test_soak);
  return rig_main_run ();
}
