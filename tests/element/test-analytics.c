/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* GstAnalyticsRelationMeta, where GStreamer has it: content, when it is there,
 * and what objectdetectionoverlay draws of it. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "rig.h"

#include <string.h>

#if HAVE_GST_ANALYTICS

#include <gst/analytics/analytics.h>

#define CAPS "RGB,width=640,height=480"

static const Patch red_and_blue[] = {
  {"red", 100, 50, 200, 150}, {"blue", 400, 300, 100, 100}
};

static guint
n_boxes (GstAnalyticsRelationMeta * meta)
{
  gpointer state = NULL;
  GstAnalyticsODMtd box;
  guint n = 0;

  while (gst_analytics_relation_meta_iterate (meta, &state,
          gst_analytics_od_mtd_get_mtd_type (), &box))
    n++;
  return n;
}

static gboolean
box_named (GstAnalyticsRelationMeta * meta, const char *label,
    GstAnalyticsODMtd * found)
{
  const GQuark type = g_quark_try_string (label);
  gpointer state = NULL;

  while (gst_analytics_relation_meta_iterate (meta, &state,
          gst_analytics_od_mtd_get_mtd_type (), found))
    if (gst_analytics_od_mtd_get_obj_type (found) == type)
      return TRUE;
  return FALSE;
}

/* Each region has a twin with the same id, place and score. */
static void
test_content (void)
{
  Rig *rig = rig_new ("red. blue.", CAPS);
  GstBuffer *out = rig_show (rig, red_and_blue, 2);
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta (out);
  guint i;

  g_assert_nonnull (meta);
  g_assert_cmpuint (n_boxes (meta), ==, 2);
  for (i = 0; i < 2; i++) {
    GstVideoRegionOfInterestMeta *roi = roi_of (out, red_and_blue[i].colour);
    GstAnalyticsODMtd box;
    gint x, y, w, h;
    gfloat score;

    g_assert_true (box_named (meta, red_and_blue[i].colour, &box));
    g_assert_true (gst_analytics_od_mtd_get_location (&box, &x, &y, &w, &h,
            &score));
    g_assert_cmpint (x, ==, (gint) roi->x);
    g_assert_cmpint (y, ==, (gint) roi->y);
    g_assert_cmpint (w, ==, (gint) roi->w);
    g_assert_cmpint (h, ==, (gint) roi->h);
    g_assert_cmpfloat_with_epsilon (score, 0.9, 1e-4);
    g_assert_cmpint (roi->id, ==, (gint) box.id);
  }
  gst_buffer_unref (out);
  rig_free (rig);
}

/* T2: an empty meta says "looked, found nothing", so that overlays clear. */
static void
test_empty (void)
{
  Rig *rig = rig_new ("red. blue.", CAPS);
  GstAnalyticsRelationMeta *meta;
  GstBuffer *out = rig_show (rig, NULL, 0);

  meta = gst_buffer_get_analytics_relation_meta (out);
  g_assert_nonnull (meta);
  g_assert_cmpuint (gst_analytics_relation_get_length (meta), ==, 0);
  gst_buffer_unref (out);

  g_object_set (rig->element, "prompt", "", NULL);
  out = rig_show (rig, red_and_blue, 2);
  meta = gst_buffer_get_analytics_relation_meta (out);
  g_assert_nonnull (meta);
  g_assert_cmpuint (gst_analytics_relation_get_length (meta), ==, 0);
  gst_buffer_unref (out);
  rig_free (rig);
}

/* T2, T3: frames that the interval skips carry no meta at all. */
static void
test_skipped (void)
{
  GstElement *element = rig_element_new ("red.");
  Rig *rig;
  guint i;

  g_object_set (element, "inference-interval", 3, NULL);
  rig = rig_new_with_element (element);
  rig_set_caps (rig, CAPS);
  for (i = 0; i < 7; i++) {
    GstBuffer *out = rig_show (rig, red_and_blue, 2);

    g_assert_cmpint (gst_buffer_get_analytics_relation_meta (out) != NULL, ==,
        i % 3 == 0);
    gst_buffer_unref (out);
  }
  rig_free (rig);
}

static void
test_flags (void)
{
  Rig *rig = rig_new ("red. blue.", CAPS);
  GstBuffer *out;

  gst_util_set_object_arg (G_OBJECT (rig->element), "metadata", "roi");
  out = rig_show (rig, red_and_blue, 2);
  g_assert_null (gst_buffer_get_analytics_relation_meta (out));
  g_assert_cmpuint (roi_count (out), ==, 2);
  gst_buffer_unref (out);
  gst_util_set_object_arg (G_OBJECT (rig->element), "metadata", "analytics");
  out = rig_show (rig, red_and_blue, 2);
  g_assert_nonnull (gst_buffer_get_analytics_relation_meta (out));
  g_assert_cmpuint (roi_count (out), ==, 0);
  gst_buffer_unref (out);
  rig_free (rig);
}

/* T5: with further phrases above the text threshold (here all, at 0) the box's
 * own label comes first in the classification. */
static void
test_classes (void)
{
  Rig *rig = rig_new ("red. blue. green.", CAPS);
  GstAnalyticsRelationMeta *meta;
  guint i;
  GstBuffer *out;

  g_object_set (rig->element, "text-threshold", 0.0f, NULL);
  out = rig_show (rig, red_and_blue, 2);
  meta = gst_buffer_get_analytics_relation_meta (out);
  g_assert_cmpuint (n_boxes (meta), ==, 2);
  for (i = 0; i < 2; i++) {
    GstAnalyticsODMtd box;
    GstAnalyticsClsMtd classes;

    g_assert_true (box_named (meta, red_and_blue[i].colour, &box));
    g_assert_true (gst_analytics_relation_meta_get_direct_related (meta, box.id,
            GST_ANALYTICS_REL_TYPE_RELATE_TO,
            gst_analytics_cls_mtd_get_mtd_type (), NULL, &classes));
    g_assert_cmpuint (gst_analytics_cls_mtd_get_length (&classes), ==, 3);
    g_assert_cmpstr (g_quark_to_string (gst_analytics_cls_mtd_get_quark
            (&classes, 0)), ==, red_and_blue[i].colour);
    g_assert_cmpfloat (gst_analytics_cls_mtd_get_level (&classes, 0), >, 0.8f);
    g_assert_cmpfloat (gst_analytics_cls_mtd_get_level (&classes, 1), <, 0.1f);
    g_assert_cmpint (roi_of (out, red_and_blue[i].colour)->id, ==,
        (gint) box.id);
  }
  gst_buffer_unref (out);
  rig_free (rig);
}

/* Two detectors in a row write into one meta, and ids stay apart. */
static void
test_two_in_a_row (void)
{
  Rig *first = rig_new ("red.", CAPS);
  Rig *second = rig_new ("blue.", CAPS);
  GstBuffer *out = rig_show (first, red_and_blue, 2);

  out = gst_harness_push_and_pull (second->harness, out);
  g_assert_cmpuint (gst_buffer_get_n_meta (out,
          GST_ANALYTICS_RELATION_META_API_TYPE), ==, 1);
  g_assert_cmpuint (n_boxes (gst_buffer_get_analytics_relation_meta (out)), ==,
      2);
  g_assert_cmpint (roi_of (out, "red")->id, !=, roi_of (out, "blue")->id);
  gst_buffer_unref (out);
  rig_free (second);
  rig_free (first);
}

/* Forty boxes: more than the room that a meta starts with. */
static void
test_many_boxes (void)
{
  static const GdinoFakeOptions options = {.queries = 100,.text_tokens = 256 };
  g_autoptr (GString) prompt = g_string_new (NULL);
  GstElement *element = rig_element_new (NULL);
  GstAnalyticsRelationMeta *meta;
  GstBuffer *out;
  Rig *rig;
  guint i;

  for (i = 0; i < 40; i++)
    g_string_append_printf (prompt, "red %c%c. ", 'a' + i / 26, 'a' + i % 26);
  g_object_set (element, "model", rig_package_new (&options), "prompt",
      prompt->str, "text-threshold", 0.0f, NULL);
  rig = rig_new_with_element (element);
  rig_set_caps (rig, CAPS);
  out = rig_show (rig, red_and_blue, 2);
  meta = gst_buffer_get_analytics_relation_meta (out);
  g_assert_cmpuint (n_boxes (meta), ==, 40);
  g_assert_cmpuint (gst_analytics_relation_get_length (meta), ==, 80);
  gst_buffer_unref (out);
  rig_free (rig);
}

#define DOWN "video/x-raw,format=RGB,width=640,height=480,framerate=25/1"

static GstHarness *
harness_for (const char *bin)
{
  GstHarness *harness = gst_harness_new_parse (bin);

  gst_harness_set_src_caps_str (harness, DOWN);
  return harness;
}

/* T4: scaling keeps the boxes; cropping only from 1.28 on. */
static void
test_downstream (void)
{
  GstHarness *scale = harness_for ("videoscale ! capsfilter "
      "caps=video/x-raw,width=320,height=240");
  GstHarness *crop = harness_for ("videocrop left=80 top=20");
  Rig *rig = rig_new ("red.", CAPS);
  GstBuffer *out = rig_show (rig, red_and_blue, 2);
  const GstVideoRegionOfInterestMeta before = *roi_of (out, "red");
  GstAnalyticsRelationMeta *meta;
  GstAnalyticsODMtd box;
  guint major, minor, micro, nano;
  gint x, y, w, h;
  gfloat score;

  gst_version (&major, &minor, &micro, &nano);
  out = gst_harness_push_and_pull (scale, out);
  meta = gst_buffer_get_analytics_relation_meta (out);
  g_assert_nonnull (meta);
  g_assert_cmpuint (n_boxes (meta), ==, 1);
  g_assert_true (box_named (meta, "red", &box));
  g_assert_true (gst_analytics_od_mtd_get_location (&box, &x, &y, &w, &h,
          &score));
  g_assert_cmpint (x, ==, (gint) before.x / 2);
  g_assert_cmpint (y, ==, (gint) before.y / 2);
  g_assert_cmpint (w, ==, (gint) before.w / 2);
  g_assert_cmpint (h, ==, (gint) before.h / 2);
  gst_buffer_unref (out);

  out = gst_harness_push_and_pull (crop, rig_show (rig, red_and_blue, 2));
  meta = gst_buffer_get_analytics_relation_meta (out);
  if (minor >= 28) {
    g_assert_true (box_named (meta, "red", &box));
    g_assert_true (gst_analytics_od_mtd_get_location (&box, &x, &y, &w, &h,
            &score));
    g_assert_cmpint (x, ==, (gint) before.x - 80);
  } else {
    g_assert_true (meta == NULL || n_boxes (meta) == 0);
  }
  gst_buffer_unref (out);
  gst_harness_teardown (scale);
  gst_harness_teardown (crop);
  rig_free (rig);
}

static gboolean
pixels_differ (GstBuffer * a, GstBuffer * b)
{
  GstMapInfo left, right;
  gboolean differ;

  g_assert_true (gst_buffer_map (a, &left, GST_MAP_READ));
  g_assert_true (gst_buffer_map (b, &right, GST_MAP_READ));
  g_assert_cmpuint (left.size, ==, right.size);
  differ = memcmp (left.data, right.data, left.size) != 0;
  gst_buffer_unmap (a, &left);
  gst_buffer_unmap (b, &right);
  return differ;
}

/* What the overlay makes of a frame: whether it drew anything. */
static gboolean
overlay_draws (GstHarness * overlay, Rig * rig, const Patch * patches, guint n)
{
  GstBuffer *ours = rig_show (rig, patches, n);
  GstBuffer *plain = gst_buffer_copy_deep (ours);
  GstBuffer *drawn = gst_harness_push_and_pull (overlay, ours);
  gboolean differ;

  g_assert_nonnull (drawn);
  differ = pixels_differ (plain, drawn);
  gst_buffer_unref (plain);
  gst_buffer_unref (drawn);
  return differ;
}

/* The overlay draws our boxes, and draws nothing once nothing is found or
 * looked for: it would else redraw the last boxes. */
static void
test_overlay (void)
{
  GstHarness *overlay;
  Rig *rig;

  if (!gst_registry_check_feature_version (gst_registry_get (),
          "objectdetectionoverlay", 1, 24, 0)) {
    g_test_skip ("objectdetectionoverlay is not installed");
    return;
  }
  rig = rig_new ("red. blue.", "BGRA,width=640,height=480");
  overlay = gst_harness_new ("objectdetectionoverlay");
  gst_harness_set_src_caps_str (overlay,
      "video/x-raw,format=BGRA,width=640,height=480,framerate=25/1");
  g_assert_true (overlay_draws (overlay, rig, red_and_blue, 2));
  g_assert_false (overlay_draws (overlay, rig, NULL, 0));
  g_assert_true (overlay_draws (overlay, rig, red_and_blue, 1));
  g_object_set (rig->element, "prompt", NULL, NULL);
  g_assert_false (overlay_draws (overlay, rig, red_and_blue, 2));
  gst_harness_teardown (overlay);
  rig_free (rig);
}

/* Skipped frames that repeat boxes have them in the meta, and stay drawn even
 * where something else on the way, such as a tracker, attaches a meta. */
static void
test_held (void)
{
  GstElement *element = rig_element_new ("red.");
  GstHarness *tracker = NULL;
  Rig *rig;

  if (gst_registry_check_feature_version (gst_registry_get (), "ioutracker", 1,
          28, 0)) {
    tracker = gst_harness_new ("ioutracker");
    gst_harness_set_src_caps_str (tracker, "video/x-raw,format=RGB,"
        "width=640,height=480,framerate=25/1");
  }
  g_object_set (element, "inference-interval", 4, "hold", (gint64) GST_SECOND,
      NULL);
  rig = rig_new_with_element (element);
  rig_set_caps (rig, CAPS);
  for (guint i = 0; i < 12; i++) {
    GstBuffer *out = rig_show_at (rig, red_and_blue, 2, i * GST_SECOND / 25);
    GstAnalyticsRelationMeta *meta =
        gst_buffer_get_analytics_relation_meta (out);
    GstAnalyticsODMtd box;
    gpointer state = NULL;

    g_assert_nonnull (meta);
    g_assert_true (gst_analytics_relation_meta_iterate (meta, &state,
            gst_analytics_od_mtd_get_mtd_type (), &box));
    if (tracker != NULL) {
      out = gst_harness_push_and_pull (tracker, out);
      meta = gst_buffer_get_analytics_relation_meta (out);
      state = NULL;
      /* The track goes on through frames that were not looked at. */
      g_assert_true (gst_analytics_relation_meta_iterate (meta, &state,
              gst_analytics_tracking_mtd_get_mtd_type (), &box));
    }
    gst_buffer_unref (out);
  }
  g_assert_cmpuint (stat_of (element, "inferred"), ==, 3);
  g_clear_pointer (&tracker, gst_harness_teardown);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/analytics/held", test_held);
  g_test_add_func ("/analytics/content", test_content);
  g_test_add_func ("/analytics/empty", test_empty);
  g_test_add_func ("/analytics/skipped", test_skipped);
  g_test_add_func ("/analytics/flags", test_flags);
  g_test_add_func ("/analytics/classes", test_classes);
  g_test_add_func ("/analytics/two-in-a-row", test_two_in_a_row);
  g_test_add_func ("/analytics/many-boxes", test_many_boxes);
  g_test_add_func ("/analytics/downstream", test_downstream);
  g_test_add_func ("/analytics/overlay", test_overlay);
  return rig_main_run ();
}

#else /* !HAVE_GST_ANALYTICS */

/* Without it: regions all the same, and the property is understood. */
static void
test_absent (void)
{
  g_test_skip ("built without gstreamer-analytics-1.0 (1.24 or newer)");
}

static void
test_flags (void)
{
  static const Patch patch = { "red", 100, 50, 200, 150 };
  Rig *rig = rig_new ("red.", "RGB,width=640,height=480");
  GstBuffer *out;

  gst_util_set_object_arg (G_OBJECT (rig->element), "metadata", "analytics");
  out = rig_show (rig, &patch, 1);
  g_assert_cmpuint (gst_buffer_get_n_meta (out,
          GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE), ==, 0);
  gst_buffer_unref (out);
  gst_util_set_object_arg (G_OBJECT (rig->element), "metadata",
      "analytics+roi");
  out = rig_show (rig, &patch, 1);
  g_assert_cmpuint (roi_count (out), ==, 1);
  gst_buffer_unref (out);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/analytics/absent", test_absent);
  g_test_add_func ("/analytics/flags", test_flags);
  return rig_main_run ();
}

#endif
