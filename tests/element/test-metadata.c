/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Regions of interest: what is in them, when they are there, and what becomes
 * of them downstream. */
#include "rig.h"

#include <string.h>

#define CAPS "RGB,width=640,height=480"

static const Patch red_and_blue[] = {
  {"red", 100, 50, 200, 150}, {"blue", 400, 300, 100, 100}
};

static gdouble
number (const GstStructure * structure, const char *field)
{
  gdouble value = -1.0;

  g_assert_true (gst_structure_get_double (structure, field, &value));
  return value;
}

static void
check_params (GstBuffer * out, guint i)
{
  GstVideoRegionOfInterestMeta *roi = roi_of (out, red_and_blue[i].colour);
  GstStructure *params =
      gst_video_region_of_interest_meta_get_param (roi, "detection");
  guint64 revision;
  guint query;
  gint label_id;

  g_assert_nonnull (params);
  g_assert_cmpfloat_with_epsilon (number (params, "confidence"), 0.9, 1e-4);
  g_assert_cmpfloat_with_epsilon (number (params, "x_min"), roi->x / 640.0,
      1e-9);
  g_assert_cmpfloat_with_epsilon (number (params, "y_min"), roi->y / 480.0,
      1e-9);
  g_assert_cmpfloat_with_epsilon (number (params, "x_max"),
      (roi->x + roi->w) / 640.0, 1e-9);
  g_assert_cmpfloat_with_epsilon (number (params, "y_max"),
      (roi->y + roi->h) / 480.0, 1e-9);
  g_assert_cmpstr (gst_structure_get_string (params, "label"), ==,
      red_and_blue[i].colour);
  g_assert_true (gst_structure_get (params, "label_id", G_TYPE_INT, &label_id,
          "revision", G_TYPE_UINT64, &revision, "query", G_TYPE_UINT, &query,
          NULL));
  g_assert_cmpint (label_id, ==, (gint) i);
  g_assert_cmpuint (query, ==, i);
  g_assert_cmpuint (revision, >, 0);
}

static void
test_content (void)
{
  Rig *rig = rig_new ("red. blue.", CAPS);
  GstBuffer *out = rig_show (rig, red_and_blue, 2);
  guint i;

  g_assert_cmpuint (roi_count (out), ==, 2);
  for (i = 0; i < 2; i++) {
    assert_roi (out, &red_and_blue[i], 4);
    check_params (out, i);
  }
  g_assert_cmpint (roi_of (out, "red")->id, !=, roi_of (out, "blue")->id);
  gst_buffer_unref (out);
  g_assert_cmpuint (stat_of (rig->element, "detections"), ==, 2);
  rig_free (rig);
}

static void
test_nothing_found (void)
{
  Rig *rig = rig_new ("red. blue.", CAPS);
  GstBuffer *out = rig_show (rig, NULL, 0);

  g_assert_cmpuint (roi_count (out), ==, 0);
  gst_buffer_unref (out);
  g_assert_cmpuint (stat_of (rig->element, "inferred"), ==, 1);
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR),
      ==, 0);
  rig_free (rig);
}

static guint
boxes_with (Rig * rig, const char *property, const char *value,
    const char *back)
{
  GstBuffer *out;
  guint n;

  gst_util_set_object_arg (G_OBJECT (rig->element), property, value);
  out = rig_show (rig, red_and_blue, 2);
  n = roi_count (out);
  gst_buffer_unref (out);
  gst_util_set_object_arg (G_OBJECT (rig->element), property, back);
  return n;
}

/* Each acts on the next frame. The fake model's scores are 0.9. */
static void
test_settings_while_playing (void)
{
  Rig *rig = rig_new ("red. blue.", CAPS);

  g_assert_cmpuint (boxes_with (rig, "box-threshold", "0.95", "0.35"), ==, 0);
  g_assert_cmpuint (boxes_with (rig, "box-threshold", "0.35", "0.35"), ==, 2);
  g_assert_cmpuint (boxes_with (rig, "box-threshold", "1", "0.35"), ==, 0);
  g_assert_cmpuint (boxes_with (rig, "max-detections", "1", "300"), ==, 1);
  g_assert_cmpuint (boxes_with (rig, "size-threshold", "0.05", "1"), ==, 1);
  g_assert_cmpuint (boxes_with (rig, "size-threshold", "0.2", "1"), ==, 2);
  g_assert_cmpuint (boxes_with (rig, "metadata", "analytics", "analytics+roi"),
      ==, 0);
  g_object_set (rig->element, "prompt", "red. a red. blue.", NULL);
  g_assert_cmpuint (boxes_with (rig, "nms", "phrase", "phrase"), ==, 3);
  g_assert_cmpuint (boxes_with (rig, "nms", "all", "phrase"), ==, 2);
  g_assert_cmpuint (boxes_with (rig, "nms", "off", "phrase"), ==, 3);
  rig_free (rig);
}

/* A label longer than a quark should be is cut at a character, and whole in
 * the parameter. */
static void
test_long_label (void)
{
  g_autoptr (GString) label = g_string_new ("red ");
  g_autofree gchar *type = NULL;
  GstVideoRegionOfInterestMeta *roi;
  GstBuffer *out;
  Rig *rig;

  while (label->len < 400)
    g_string_append (label, "\xc3\xa9");
  rig = rig_new (label->str, CAPS);
  out = rig_show (rig, red_and_blue, 2);
  type = g_strndup (label->str, 254);
  roi = roi_of (out, type);
  g_assert_nonnull (roi);
  g_assert_cmpstr (gst_structure_get_string
      (gst_video_region_of_interest_meta_get_param (roi, "detection"),
          "label"), ==, label->str);
  gst_buffer_unref (out);
  rig_free (rig);
}

/* A phrase for each number, no two of the same tokens. */
static gchar *
label_number (guint n)
{
  return g_strdup_printf ("red %c%c%c%c", 'a' + n / 17576 % 26,
      'a' + n / 676 % 26, 'a' + n / 26 % 26, 'a' + n % 26);
}

static GQuark
quark_number (guint n)
{
  g_autofree gchar *label = label_number (n);

  return g_quark_try_string (label);
}

/* Prompts come from users without end; quarks never go. */
static void
test_label_flood (void)
{
  static const GdinoFakeOptions options = {
    .width = 32,
    .height = 32,
    .queries = 300,
    .text_tokens = 2048,
    .features = 1
  };
  const guint limit = 65536, each = 300;
  GstElement *element = rig_element_new ("red.");
  guint i, made = 0;
  Rig *rig;

  g_object_set (element, "model", rig_package_new (&options), "nms", 0, NULL);
  rig = rig_new_with_element (element);
  rig_set_caps (rig, "RGB,width=32,height=32");
  while (made < limit + each) {
    g_autoptr (GString) prompt = g_string_new (NULL);
    GstBuffer *out;

    for (i = 0; i < each; i++) {
      g_autofree gchar *label = label_number (made++);

      g_string_append_printf (prompt, "%s. ", label);
    }
    g_object_set (element, "prompt", prompt->str, NULL);
    rig_drain (rig, GST_MESSAGE_ANY);
    out = rig_show (rig, &(Patch) {
        "red", 0, 0, 32, 32}
        , 1);
    g_assert_cmpuint (roi_count (out), ==, each);
    gst_buffer_unref (out);
  }
  g_assert_cmpuint (quark_number (0), !=, 0);
  g_assert_cmpuint (quark_number (limit - each), !=, 0);
  g_assert_cmpuint (quark_number (made - 1), ==, 0);
  g_assert_cmpuint (g_quark_try_string ("object"), !=, 0);
  rig_free (rig);
}

/* The other branch of a tee has the same memory and none of our metadata. */
static void
test_shared_buffer (void)
{
  Rig *rig = rig_new ("red.", CAPS);
  GstVideoInfo info;
  GstBuffer *in, *out;

  rig_get_info (rig, &info);
  in = picture_new (&info, red_and_blue, 1);
  out = gst_harness_push_and_pull (rig->harness, gst_buffer_ref (in));
  g_assert_cmpuint (roi_count (out), ==, 1);
  g_assert_cmpuint (roi_count (in), ==, 0);
  g_assert_true (in != out);
  g_assert_true (gst_buffer_peek_memory (in, 0) ==
      gst_buffer_peek_memory (out, 0));
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  rig_free (rig);
}

static GstBuffer *
through (GstBuffer * buffer, const char *bin, const char *caps)
{
  GstHarness *harness = gst_harness_new_parse (bin);
  GstBuffer *out;

  gst_harness_set_src_caps_str (harness, caps);
  out = gst_harness_push_and_pull (harness, buffer);
  g_assert_nonnull (out);
  gst_harness_teardown (harness);
  return out;
}

#define DOWN "video/x-raw,format=RGB,width=640,height=480,framerate=25/1"

/* videoscale scales each box once, rounding down. */
static void
test_scaled_downstream (void)
{
  guint major, minor, micro, nano;
  Rig *rig = rig_new ("red. blue.", CAPS);
  GstBuffer *out = rig_show (rig, red_and_blue, 2);
  const GstVideoRegionOfInterestMeta before = *roi_of (out, "red");
  GstVideoRegionOfInterestMeta *after;

  out = through (out, "videoscale ! capsfilter "
      "caps=video/x-raw,width=320,height=240", DOWN);
  g_assert_cmpuint (roi_count (out), ==, 2);
  after = roi_of (out, "red");
  g_assert_cmpuint (after->x, ==, before.x / 2);
  g_assert_cmpuint (after->y, ==, before.y / 2);
  g_assert_cmpuint (after->w, ==, before.w / 2);
  g_assert_cmpuint (after->h, ==, before.h / 2);
  /* Where GStreamer's own transform loses the parameters, the label is left. */
  gst_version (&major, &minor, &micro, &nano);
  if (minor <= 26)
    g_assert_null (gst_video_region_of_interest_meta_get_param (after,
            "detection"));
  gst_buffer_unref (out);
  rig_free (rig);
}

/* What a filter behind us does to a box of 640 x 480, where GStreamer moves
 * boxes: from 1.28 on. Before, it drops them. */
typedef struct
{
  const char *bin;
  /* The new x and y as weighted sums of 1 and the old x, y, w and h. */
  gint x[5], y[5];
  gboolean turned;
} Move;

static gint
moved (const gint * weights, const GstVideoRegionOfInterestMeta * box)
{
  return weights[0] + weights[1] * (gint) box->x + weights[2] * (gint) box->y +
      weights[3] * (gint) box->w + weights[4] * (gint) box->h;
}

static void
check_moved (const Move * move)
{
  Rig *rig = rig_new ("red.", CAPS);
  GstBuffer *out = rig_show (rig, red_and_blue, 2);
  const GstVideoRegionOfInterestMeta before = *roi_of (out, "red");
  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  out = through (out, move->bin, DOWN);
  if (minor < 28) {
    g_assert_cmpuint (roi_count (out), ==, 0);
  } else {
    const GstVideoRegionOfInterestMeta *after = roi_of (out, "red");

    g_assert_nonnull (after);
    g_assert_cmpint (after->x, ==, moved (move->x, &before));
    g_assert_cmpint (after->y, ==, moved (move->y, &before));
    g_assert_cmpuint (after->w, ==, move->turned ? before.h : before.w);
    g_assert_cmpuint (after->h, ==, move->turned ? before.w : before.h);
  }
  gst_buffer_unref (out);
  rig_free (rig);
}

static void
test_cropped_downstream (void)
{
  static const Move crop = { "videocrop left=80 top=20",
    {-80, 1, 0, 0, 0}, {-20, 0, 1, 0, 0}, FALSE
  };

  check_moved (&crop);
}

static void
test_turned_downstream (void)
{
  static const Move turns[] = {
    {"videoflip video-direction=90r", {480, 0, -1, 0, -1}, {0, 1, 0, 0, 0},
        TRUE},
    {"videoflip video-direction=90l", {0, 0, 1, 0, 0}, {640, -1, 0, -1, 0},
        TRUE},
    {"videoflip video-direction=180", {640, -1, 0, -1, 0},
        {480, 0, -1, 0, -1}, FALSE},
    {"videoflip video-direction=horiz", {640, -1, 0, -1, 0}, {0, 0, 1, 0, 0},
        FALSE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (turns); i++)
    check_moved (&turns[i]);
}

/* videobox drops boxes before 1.28, too; of what it does later no more is asked
 * than that a box left is a moved one. */
static void
test_boxed_downstream (void)
{
  Rig *rig = rig_new ("red.", CAPS);
  GstBuffer *out = rig_show (rig, red_and_blue, 2);
  const GstVideoRegionOfInterestMeta before = *roi_of (out, "red");
  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  out = through (out, "videobox left=-20", DOWN);
  if (minor < 28)
    g_assert_cmpuint (roi_count (out), ==, 0);
  else if (roi_count (out) > 0)
    g_assert_cmpuint (roi_of (out, "red")->x, ==, before.x + 20);
  gst_buffer_unref (out);
  rig_free (rig);
}

/* What comes before the element is in its pixels: boxes are of what it sees. */
static void
test_scaled_upstream (void)
{
  g_autofree gchar *bin = g_strdup_printf ("videoscale ! "
      "video/x-raw,width=320,height=240 ! groundingdino model=\"%s\" "
      "prompt=\"red.\"", rig_package ());
  Rig *rig = rig_new ("red.", CAPS);
  const Patch half = { "red", red_and_blue[0].x / 2, red_and_blue[0].y / 2,
    red_and_blue[0].width / 2, red_and_blue[0].height / 2
  };
  GstVideoInfo info;
  GstBuffer *out;

  rig_get_info (rig, &info);
  out = through (picture_new (&info, red_and_blue, 2), bin, DOWN);
  assert_roi (out, &half, 4);
  gst_buffer_unref (out);
  rig_free (rig);
}

/* Two detectors in a row: each adds its own boxes. */
static void
test_two_in_a_row (void)
{
  Rig *first = rig_new ("red.", CAPS);
  Rig *second = rig_new ("blue.", CAPS);
  GstBuffer *out = rig_show (first, red_and_blue, 2);

  out = gst_harness_push_and_pull (second->harness, out);
  g_assert_cmpuint (roi_count (out), ==, 2);
  assert_roi (out, &red_and_blue[0], 4);
  assert_roi (out, &red_and_blue[1], 4);
  gst_buffer_unref (out);
  rig_free (second);
  rig_free (first);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/metadata/content", test_content);
  g_test_add_func ("/metadata/nothing-found", test_nothing_found);
  g_test_add_func ("/metadata/settings-while-playing",
      test_settings_while_playing);
  g_test_add_func ("/metadata/long-label", test_long_label);
  g_test_add_func ("/metadata/label-flood", test_label_flood);
  g_test_add_func ("/metadata/shared-buffer", test_shared_buffer);
  g_test_add_func ("/metadata/scaled-downstream", test_scaled_downstream);
  g_test_add_func ("/metadata/cropped-downstream", test_cropped_downstream);
  g_test_add_func ("/metadata/turned-downstream", test_turned_downstream);
  g_test_add_func ("/metadata/boxed-downstream", test_boxed_downstream);
  g_test_add_func ("/metadata/scaled-upstream", test_scaled_upstream);
  g_test_add_func ("/metadata/two-in-a-row", test_two_in_a_row);
  return rig_main_run ();
}
