/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Prompts in band, what is told of them, and prompts of several passes. */
#include "rig.h"

#include <string.h>

#define CAPS "RGB,width=160,height=120"

static const Patch both[] = {
  {"red", 10, 10, 40, 40}, {"blue", 80, 60, 40, 40}
};

static GstEvent *
make_event (GstEventType type, const char *prompt, const char *element)
{
  GstStructure *structure = gst_structure_new ("groundingdino-set-prompt",
      "prompt", G_TYPE_STRING, prompt, NULL);

  if (element != NULL)
    gst_structure_set (structure, "element", G_TYPE_STRING, element, NULL);
  return gst_event_new_custom (type, structure);
}

static void
expect (Rig * rig, gboolean red, gboolean blue)
{
  GstBuffer *out = rig_show (rig, both, 2);

  g_assert_cmpint (roi_of (out, "red") != NULL, ==, red);
  g_assert_cmpint (roi_of (out, "blue") != NULL, ==, blue);
  gst_buffer_unref (out);
}

/* Exact to the frame, also where frames and events wait in a queue. */
static void
test_downstream (void)
{
  g_autofree gchar *line = g_strdup_printf ("queue name=q max-size-buffers=0 "
      "max-size-time=0 max-size-bytes=0 ! groundingdino name=d model=\"%s\" "
      "prompt=\"red.\"", rig_package ());
  GstHarness *harness = gst_harness_new_parse (line);
  GstVideoInfo info;
  GstCaps *caps = gst_caps_from_string ("video/x-raw,format=RGB,width=160,"
      "height=120,framerate=25/1");

  g_assert_true (gst_video_info_from_caps (&info, caps));
  gst_harness_set_src_caps (harness, caps);
  for (guint i = 0; i < 40; i++) {
    if (i % 4 == 0)
      g_assert_true (gst_harness_push_event (harness,
              make_event (GST_EVENT_CUSTOM_DOWNSTREAM, i % 8 ? "blue." : "red.",
                  NULL)));
    g_assert_cmpint (gst_harness_push (harness, picture_new (&info, both, 2)),
        ==, GST_FLOW_OK);
  }
  for (guint i = 0; i < 40; i++) {
    GstBuffer *out = gst_harness_pull (harness);

    g_assert_nonnull (out);
    g_assert_cmpint (roi_of (out, "blue") != NULL, ==, i / 4 % 2);
    g_assert_cmpint (roi_of (out, "red") != NULL, ==, !(i / 4 % 2));
    gst_buffer_unref (out);
  }
  gst_harness_teardown (harness);
}

static void
test_upstream (void)
{
  Rig *rig = rig_new ("red.", CAPS);
  GstMessage *message;

  expect (rig, TRUE, FALSE);
  rig_drain (rig, GST_MESSAGE_ANY);
  g_assert_true (gst_harness_push_upstream_event (rig->harness,
          make_event (GST_EVENT_CUSTOM_UPSTREAM, "blue.", NULL)));
  message = rig_pop_named (rig, "groundingdino-prompt");
  g_assert_nonnull (message);
  gst_message_unref (message);
  expect (rig, FALSE, TRUE);
  rig_free (rig);
}

static gboolean
came_through (Rig * rig)
{
  gboolean found = FALSE;
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (rig->harness)) != NULL) {
    found |= gst_event_has_name (event, "groundingdino-set-prompt");
    gst_event_unref (event);
  }
  return found;
}

/* Only the one meant takes it; others hand it on. */
static void
test_meant_for_another (void)
{
  Rig *rig = rig_new ("red.", CAPS);
  g_autofree gchar *name = gst_object_get_name (GST_OBJECT (rig->element));

  gst_harness_push_event (rig->harness,
      make_event (GST_EVENT_CUSTOM_DOWNSTREAM, "blue.", "somebody"));
  expect (rig, TRUE, FALSE);
  g_assert_true (came_through (rig));
  gst_harness_push_event (rig->harness,
      make_event (GST_EVENT_CUSTOM_DOWNSTREAM, "blue.", name));
  expect (rig, FALSE, TRUE);
  g_assert_false (came_through (rig));
  gst_harness_push_event (rig->harness,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new_empty ("something-else")));
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING), ==, 0);
  rig_free (rig);
}

static void
test_nonsense (void)
{
  Rig *rig = rig_new ("red.", CAPS);

  gst_harness_push_event (rig->harness,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new_empty ("groundingdino-set-prompt")));
  rig_expect (rig, GST_MESSAGE_WARNING, "wanted a field \"prompt\"");
  gst_harness_push_event (rig->harness,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new ("groundingdino-set-prompt", "prompt", G_TYPE_INT,
              3, NULL)));
  rig_expect (rig, GST_MESSAGE_WARNING, "wanted a field \"prompt\"");
  expect (rig, TRUE, FALSE);
  rig_free (rig);
}

/* The first frame of a prompt is told of, after the prompt itself. */
static void
test_active (void)
{
  static const char *const prompts[] = { "red.", "blue.", "", "red." };
  Rig *rig = rig_new (NULL, CAPS);

  gst_buffer_unref (rig_show_at (rig, both, 2, 0));
  rig_drain (rig, GST_MESSAGE_ANY);
  for (guint i = 0; i < G_N_ELEMENTS (prompts); i++) {
    const GstClockTime pts = (i + 1) * GST_SECOND;
    GstMessage *message;
    guint64 accepted, active, at, running;

    g_object_set (rig->element, "prompt", prompts[i], NULL);
    message = rig_pop_named (rig, "groundingdino-prompt");
    g_assert_nonnull (message);
    gst_structure_get_uint64 (gst_message_get_structure (message), "revision",
        &accepted);
    gst_message_unref (message);
    g_assert_null (rig_pop_named (rig, "groundingdino-active"));
    gst_buffer_unref (rig_show_at (rig, both, 2, pts));
    message = rig_pop_named (rig, "groundingdino-active");
    g_assert_nonnull (message);
    gst_structure_get (gst_message_get_structure (message), "revision",
        G_TYPE_UINT64, &active, "pts", G_TYPE_UINT64, &at, "running-time",
        G_TYPE_UINT64, &running, NULL);
    gst_message_unref (message);
    g_assert_cmpuint (active, ==, accepted);
    g_assert_cmpuint (at, ==, pts);
    g_assert_cmpuint (running, ==, pts);
    gst_buffer_unref (rig_show_at (rig, both, 2, pts + 1));
    g_assert_null (rig_pop_named (rig, "groundingdino-active"));
  }
  rig_free (rig);
}

static guint
passes_told (Rig * rig)
{
  GstMessage *message = rig_pop_named (rig, "groundingdino-prompt");
  guint passes = 0;

  g_assert_nonnull (message);
  gst_structure_get_uint (gst_message_get_structure (message), "passes",
      &passes);
  gst_message_unref (message);
  return passes;
}

/* Phrases that do not fit are dropped, or cost another run, as asked for. */
static void
test_max_passes (void)
{
  static const GdinoFakeOptions options = {
    .width = 96,
    .height = 96,
    .text_tokens = 6,
    .queries = 8
  };
  GstElement *element = rig_element_new ("green. white. red. black. blue.");
  gint runs;
  Rig *rig;

  g_object_set (element, "model", rig_package_new (&options), NULL);
  rig = rig_new_with_element (element);
  g_assert_cmpuint (passes_told (rig), ==, 1);
  rig_expect (rig, GST_MESSAGE_WARNING, "\"red\", \"black\", \"blue\"");
  rig_set_caps (rig, CAPS);
  expect (rig, FALSE, FALSE);

  g_object_set (rig->element, "max-passes", 2, NULL);
  g_assert_cmpuint (passes_told (rig), ==, 2);
  rig_expect (rig, GST_MESSAGE_WARNING, "6 text tokens in each of 2 passes");
  expect (rig, TRUE, FALSE);

  g_object_set (rig->element, "max-passes", 9, NULL);
  g_assert_cmpuint (passes_told (rig), ==, 3);
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING), ==, 0);
  runs = gdino_fake_get (frame_runs);
  expect (rig, TRUE, TRUE);
  g_assert_cmpint (gdino_fake_get (frame_runs), ==, runs + 3);
  g_object_set (rig->element, "labels", "blue=sea", "phrase-thresholds",
      "red=1", NULL);
  expect (rig, FALSE, FALSE);
  rig_free (rig);
}

/* A thousand phrases: what fits is looked for, the rest is named. */
static void
test_a_thousand_phrases (void)
{
  g_autoptr (GString) text = g_string_new ("red. blue. ");
  Rig *rig;

  for (guint i = 0; i < 1000; i++)
    g_string_append_printf (text, "green %c%c%c. ", 'a' + i / 100,
        'a' + i / 10 % 10, 'a' + i % 10);
  rig = rig_new (text->str, CAPS);
  rig_expect (rig, GST_MESSAGE_WARNING, "\"green jjj\"");
  expect (rig, TRUE, TRUE);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/prompt-events/downstream", test_downstream);
  g_test_add_func ("/prompt-events/upstream", test_upstream);
  g_test_add_func ("/prompt-events/meant-for-another", test_meant_for_another);
  g_test_add_func ("/prompt-events/nonsense", test_nonsense);
  g_test_add_func ("/prompt-events/active", test_active);
  g_test_add_func ("/prompt-events/max-passes", test_max_passes);
  g_test_add_func ("/prompt-events/a-thousand-phrases",
      test_a_thousand_phrases);
  return rig_main_run ();
}
