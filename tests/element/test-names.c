/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Thresholds and labels of single phrases. */
#include "rig.h"

#include <string.h>

#define CAPS "RGB,width=160,height=120"

static const Patch both[] = {
  {"red", 10, 10, 40, 40}, {"blue", 80, 60, 40, 40}
};

static void
set (Rig * rig, const char *property, const char *text)
{
  g_object_set (rig->element, property, text, NULL);
}

/* What the boxes of a frame are called, in alphabetical order, with '+'. */
static gchar *
labels_of (Rig * rig)
{
  GstBuffer *out = rig_show (rig, both, 2);
  GPtrArray *labels = g_ptr_array_new ();
  gpointer state = NULL;
  GstMeta *meta;
  gchar *text;

  while ((meta = gst_buffer_iterate_meta_filtered (out, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) != NULL) {
    GstVideoRegionOfInterestMeta *roi = (GstVideoRegionOfInterestMeta *) meta;
    GstStructure *detection =
        gst_video_region_of_interest_meta_get_param (roi, "detection");
    const gchar *type = g_quark_to_string (roi->roi_type);

    g_assert_cmpstr (gst_structure_get_string (detection, "label"), ==, type);
    g_ptr_array_add (labels, (gpointer) type);
  }
  if (labels->len == 2 && strcmp (g_ptr_array_index (labels, 0),
          g_ptr_array_index (labels, 1)) > 0)
    g_ptr_array_add (labels, g_ptr_array_remove_index (labels, 0));
  g_ptr_array_add (labels, NULL);
  text = g_strjoinv ("+", (gchar **) labels->pdata);
  g_ptr_array_unref (labels);
  gst_buffer_unref (out);
  return text;
}

static void
expect (Rig * rig, const char *wanted)
{
  g_autofree gchar *got = labels_of (rig);

  g_assert_cmpstr (got, ==, wanted);
}

static void
test_thresholds (void)
{
  Rig *rig = rig_new ("red. blue.", CAPS);

  expect (rig, "blue+red");
  set (rig, "phrase-thresholds", "red=1");
  expect (rig, "blue");
  set (rig, "phrase-thresholds", "Red. = 1;  BLUE=1.0 ;");
  expect (rig, "");
  set (rig, "phrase-thresholds", "red = 0.01");
  g_object_set (rig->element, "box-threshold", 1.0, "text-threshold", 1.0,
      NULL);
  expect (rig, "red");
  set (rig, "phrase-thresholds", NULL);
  expect (rig, "");
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING), ==, 0);
  rig_free (rig);
}

static void
test_labels (void)
{
  Rig *rig = rig_new ("red. blue.", CAPS);
  GstBuffer *out;
  const GstStructure *detection;

  set (rig, "labels", "red=fire engine\nblue=\"the sea; deep = blue\"");
  expect (rig, "fire engine+the sea; deep = blue");
  set (rig, "labels", "\"re\\d\"=\xc3\xa9t\xc3\xa9");
  expect (rig, "blue+\xc3\xa9t\xc3\xa9");
  out = rig_show (rig, both, 1);
  detection = detection_of (out);
  g_assert_cmpstr (gst_structure_get_string (detection, "phrase"), ==, "red");
  gst_buffer_unref (out);
  set (rig, "labels", "");
  expect (rig, "blue+red");
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING), ==, 0);
  rig_free (rig);
}

/* Phrases of one label are one to NMS. */
static void
test_one_label (void)
{
  Rig *rig = rig_new ("red. red ab.", CAPS);
  GstBuffer *out = rig_show (rig, both, 1);
  const guint apart = roi_count (out);

  gst_buffer_unref (out);
  set (rig, "labels", "red=r; red ab=r");
  out = rig_show (rig, both, 1);
  g_assert_cmpuint (roi_count (out), ==, 1);
  g_assert_cmpuint (apart, >=, 1);
  gst_buffer_unref (out);
  rig_free (rig);
}

/* One warning names what is wrong, and what was said before stays. */
static void
test_nonsense (void)
{
  static const struct
  {
    const char *property;
    const char *text;
    const char *said;
  } cases[] = {
    {"phrase-thresholds", "red",
        "found \"red\" as entry 1, wanted PHRASE=VALUE"},
    {"phrase-thresholds", "red=0.3; blue", "found \"blue\" as entry 2"},
    {"phrase-thresholds", "red=high", "a number from 0 to 1 after '='"},
    {"phrase-thresholds", "red=0,5", "a number from 0 to 1"},
    {"phrase-thresholds", "red=", "a number from 0 to 1"},
    {"phrase-thresholds", "red=1.5", "a number from 0 to 1"},
    {"phrase-thresholds", "red=-0.5", "a number from 0 to 1"},
    {"phrase-thresholds", "red=nan", "a number from 0 to 1"},
    {"phrase-thresholds", "=0.5", "a phrase before '='"},
    {"phrase-thresholds", "red. blue=0.5", "one phrase"},
    {"phrase-thresholds", "red=0.1; RED =0.2", "each phrase once"},
    {"phrase-thresholds", "\"red=0.1", "a closing quote"},
    {"phrase-thresholds", "phrase-thresholds, red=(string)x",
        "a number from 0 to 1"},
    {"phrase-thresholds", "<1, 2>", "an array of structures"},
    {"phrase-thresholds", "<\"a, phrase=(string)red;\">",
        "phrase and threshold"},
    {"phrase-thresholds", "\xff\xfe=1", "UTF-8"},
    {"labels", "red=", "a label after '='"},
    {"labels", "red", "PHRASE=VALUE"},
    {"labels", "labels, red", "a structure"},
  };
  Rig *rig = rig_new ("red. blue.", CAPS);

  set (rig, "phrase-thresholds", "red=1");
  set (rig, "labels", "blue=sea");
  expect (rig, "sea");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *text = NULL;

    set (rig, cases[i].property, cases[i].text);
    rig_expect (rig, GST_MESSAGE_WARNING, cases[i].said);
    expect (rig, "sea");
    g_object_get (rig->element, cases[i].property, &text, NULL);
    g_assert_cmpstr (text, ==, cases[i].text);
    g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING), ==, 0);
  }
  g_assert_cmpuint (stat_of (rig->element, "frames"), ==,
      1 + G_N_ELEMENTS (cases));
  rig_free (rig);
}

/* One warning for each change, not for each frame. */
static void
test_strangers (void)
{
  GstElement *element = rig_element_new (NULL);
  Rig *rig;

  g_object_set (element, "labels", "green=grass; red=fire", "phrase-thresholds",
      "white=0.5", NULL);
  rig = rig_new_with_element (element);
  rig_set_caps (rig, CAPS);
  rig_drain (rig, GST_MESSAGE_ANY);
  set (rig, "prompt", "red. blue.");
  for (guint i = 0; i < 3; i++)
    expect (rig, "blue+fire");
  rig_expect (rig, GST_MESSAGE_WARNING, "phrase-thresholds names phrases that "
      "the prompt does not have: \"white\". labels names phrases that the "
      "prompt does not have: \"green\"");
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING), ==, 0);
  set (rig, "prompt", "red. green. white.");
  expect (rig, "fire");
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING), ==, 0);
  rig_free (rig);
}

static void
append (GValue * array, const char *field, const GValue * value,
    const char *phrase)
{
  GstStructure *structure = gst_structure_new ("entry", "phrase", G_TYPE_STRING,
      phrase, NULL);
  GValue entry = G_VALUE_INIT;

  gst_structure_set_value (structure, field, value);
  g_value_init (&entry, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&entry, structure);
  gst_value_array_append_and_take_value (array, &entry);
}

/* As GStreamer's own types, by value and as text. */
static void
test_structures (void)
{
  Rig *rig = rig_new ("red. blue.", CAPS);
  GValue value = G_VALUE_INIT;
  GValue number = G_VALUE_INIT;
  g_autofree gchar *text = NULL;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value, gst_structure_new ("phrase-thresholds", "red",
          G_TYPE_DOUBLE, 1.0, "blue", G_TYPE_FLOAT, 0.5f, NULL));
  g_object_set_property (G_OBJECT (rig->element), "phrase-thresholds", &value);
  g_value_take_boxed (&value, gst_structure_new ("labels", "blue",
          G_TYPE_STRING, "the sea", NULL));
  g_object_set_property (G_OBJECT (rig->element), "labels", &value);
  g_value_unset (&value);
  expect (rig, "the sea");

  g_value_init (&number, G_TYPE_DOUBLE);
  g_value_set_double (&number, 1.0);
  g_value_init (&value, GST_TYPE_ARRAY);
  append (&value, "threshold", &number, "Blue");
  text = gst_value_serialize (&value);
  set (rig, "phrase-thresholds", text);
  g_value_unset (&value);
  g_value_unset (&number);
  expect (rig, "red");
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING), ==, 0);
  rig_free (rig);
}

/* As gst-launch-1.0 takes it. */
static void
test_launch (void)
{
  g_autofree gchar *line = g_strdup_printf ("groundingdino name=d model=\"%s\" "
      "prompt=\"red. blue.\" phrase-thresholds=\"red=1; blue=0.25\" "
      "labels=\"blue=deep sea\"", rig_package ());
  GError *error = NULL;
  GstElement *element = gst_parse_launch (line, &error);
  Rig *rig;

  g_assert_no_error (error);
  rig = rig_new_with_element (element);
  rig_set_caps (rig, CAPS);
  expect (rig, "deep sea");
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/names/thresholds", test_thresholds);
  g_test_add_func ("/names/labels", test_labels);
  g_test_add_func ("/names/one-label", test_one_label);
  g_test_add_func ("/names/nonsense", test_nonsense);
  g_test_add_func ("/names/strangers", test_strangers);
  g_test_add_func ("/names/structures", test_structures);
  g_test_add_func ("/names/launch", test_launch);
  return rig_main_run ();
}
