/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What an element costs that runs for long: no memory for frames that pass, one
 * run of the text graph for a new prompt, none for a recent one. */
#include "memory-use.h"
#include "rig.h"

#define CAPS "NV12,width=1280,height=720"
#define FRAMES 300
#define CHANGES 1000
#define KEPT 16                 /* prompts that cost nothing when used again */

static const Patch red[] = { {"red", 100, 100, 400, 400} };

/* A leak costs malloc() 32 bytes at least, each time; what is alive at the two
 * moments may differ by some text. */
static void
assert_no_growth (gsize before, gsize times)
{
  const gsize after = bytes_in_use ();
  const gsize limit = 16 * times;

  g_test_message ("%" G_GSIZE_FORMAT " bytes in use before, %" G_GSIZE_FORMAT
      " after", before, after);
  if (can_count ())
    g_assert_cmpuint (after, <, before + limit);
}

/* The harness keeps no frame, and the bus no message. */
static void
show (Rig * rig, GstBuffer * picture)
{
  GstBuffer *out = gst_harness_push_and_pull (rig->harness,
      gst_buffer_copy (picture));
  GstEvent *event;

  g_assert_nonnull (out);
  gst_buffer_unref (out);
  while ((event = gst_harness_try_pull_event (rig->harness)) != NULL)
    gst_event_unref (event);
  rig_drain (rig, GST_MESSAGE_ANY);
}

static GstBuffer *
picture_for (Rig * rig)
{
  GstVideoInfo info;

  rig_get_info (rig, &info);
  return picture_new (&info, red, 1);
}

/* Number @n, below 26^3; its tokens are its own. */
static void
set_prompt (Rig * rig, guint n)
{
  g_autofree gchar *text = g_strdup_printf ("red. %c%c%c.",
      'a' + n / 676 % 26, 'a' + n / 26 % 26, 'a' + n % 26);

  g_object_set (rig->element, "prompt", text, NULL);
}

static void
test_frames (void)
{
  Rig *rig = rig_new ("red. blue.", CAPS);
  GstBuffer *picture = picture_for (rig);
  gsize before;

  for (guint i = 0; i < FRAMES; i++)
    show (rig, picture);
  before = bytes_in_use ();
  for (guint i = 0; i < FRAMES; i++)
    show (rig, picture);
  assert_no_growth (before, FRAMES);
  g_assert_cmpuint (stat_of (rig->element, "inferred"), ==, 2 * FRAMES);
  g_assert_cmpuint (stat_of (rig->element, "detections"), ==, 2 * FRAMES);
  g_assert_cmpuint (stat_of (rig->element, "text-runs"), ==, 1);
  gst_buffer_unref (picture);
  rig_free (rig);
}

/* A thousand new prompts: a run of the text graph each, and nothing else. */
static void
test_new_prompts (void)
{
  const guint warm = 200;
  Rig *rig = rig_new ("red.", CAPS);
  GstBuffer *picture = picture_for (rig);
  const gint32 created = gdino_fake_get (created_containers);
  const gint32 tensors = gdino_fake_get (live_tensors);
  gsize before;

  /* Until the cache of prompts is full memory grows. */
  for (guint i = 0; i < warm; i++) {
    set_prompt (rig, i);
    show (rig, picture);
  }
  before = bytes_in_use ();
  for (guint i = warm; i < warm + CHANGES; i++) {
    set_prompt (rig, i);
    show (rig, picture);
  }
  assert_no_growth (before, CHANGES);
  g_assert_cmpuint (stat_of (rig->element, "text-runs"), ==, warm + CHANGES);
  g_assert_cmpuint (stat_of (rig->element, "inferred"), ==, warm + CHANGES);
  g_assert_cmpint (gdino_fake_get (created_containers), ==, created);
  g_assert_cmpint (gdino_fake_get (live_tensors), ==, tensors);
  gst_buffer_unref (picture);
  rig_free (rig);
}

/* A thousand changes among prompts that were used lately: no run at all. */
static void
test_known_prompts (void)
{
  Rig *rig = rig_new ("red.", CAPS);
  GstBuffer *picture = picture_for (rig);
  gsize before;

  for (guint i = 0; i < 2 * KEPT; i++) {
    set_prompt (rig, i % KEPT);
    show (rig, picture);
  }
  before = bytes_in_use ();
  for (guint i = 0; i < CHANGES; i++) {
    set_prompt (rig, i % KEPT);
    show (rig, picture);
  }
  assert_no_growth (before, CHANGES);
  g_assert_cmpuint (stat_of (rig->element, "text-runs"), ==, KEPT);
  g_assert_cmpuint (stat_of (rig->element, "inferred"), ==, 2 * KEPT + CHANGES);
  gst_buffer_unref (picture);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/growth/frames", test_frames);
  g_test_add_func ("/growth/new-prompts", test_new_prompts);
  g_test_add_func ("/growth/known-prompts", test_known_prompts);
  return rig_main_run ();
}
