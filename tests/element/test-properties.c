/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Ranges, defaults, what may change when, and what gst-inspect-1.0 shows. */
#include "rig.h"

#include <math.h>
#include <string.h>

static const struct
{
  const char *name;
  gboolean playing;             /* may change while playing */
} writable[] = {
  {"model", FALSE}, {"prompt", TRUE}, {"prompt-path", FALSE},
  {"device", FALSE}, {"box-threshold", TRUE}, {"text-threshold", TRUE},
  {"phrase-thresholds", TRUE}, {"labels", TRUE}, {"max-passes", TRUE},
  {"nms", TRUE}, {"iou-threshold", TRUE}, {"max-detections", TRUE},
  {"size-threshold", TRUE}, {"inference-interval", TRUE}, {"mode", FALSE},
  {"hold", TRUE}, {"qos", TRUE}, {"metadata", TRUE},
};

static void
test_list (void)
{
  GstElement *element = rig_element_new (NULL);
  guint i, n, own = 0;
  GParamSpec **list =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (element), &n);

  for (i = 0; i < n; i++) {
    const gchar *blurb = g_param_spec_get_blurb (list[i]);

    if (list[i]->owner_type != G_OBJECT_TYPE (element))
      continue;
    own++;
    g_assert_nonnull (blurb);
    g_assert_cmpuint (strlen (blurb), >=, 20);
    g_assert_true (g_ascii_isupper (blurb[0]));
  }
  g_assert_cmpuint (own, ==, G_N_ELEMENTS (writable) + 1);
  for (i = 0; i < G_N_ELEMENTS (writable); i++) {
    GParamSpec *spec =
        g_object_class_find_property (G_OBJECT_GET_CLASS (element),
        writable[i].name);

    g_assert_nonnull (spec);
    g_assert_true (spec->flags & G_PARAM_READWRITE);
    g_assert_cmpint (!!(spec->flags & GST_PARAM_MUTABLE_PLAYING), ==,
        writable[i].playing);
    g_assert_cmpint (!!(spec->flags & GST_PARAM_MUTABLE_READY), ==,
        !writable[i].playing);
  }
  g_free (list);
  gst_object_unref (element);
}

static void
test_defaults (void)
{
  GstElement *element = gst_element_factory_make ("groundingdino", NULL);
  g_autofree gchar *model = NULL, *prompt = NULL, *path = NULL, *device = NULL;
  gfloat box, text, iou, size;
  gint nms, mode;
  gint64 hold;
  guint most, interval, metadata;
  gboolean qos;

  g_object_get (element, "model", &model, "prompt", &prompt, "prompt-path",
      &path, "device", &device, "box-threshold", &box, "text-threshold", &text,
      "iou-threshold", &iou, "size-threshold", &size, "nms", &nms,
      "max-detections", &most, "inference-interval", &interval, "metadata",
      &metadata, "mode", &mode, "hold", &hold, "qos", &qos, NULL);
  g_assert_null (model);
  g_assert_null (prompt);
  g_assert_null (path);
  g_assert_cmpstr (device, ==, "auto");
  g_assert_cmpfloat_with_epsilon (box, 0.35, 1e-6);
  g_assert_cmpfloat_with_epsilon (text, 0.25, 1e-6);
  g_assert_cmpfloat_with_epsilon (iou, 0.7, 1e-6);
  g_assert_cmpfloat_with_epsilon (size, 1.0, 1e-6);
  g_assert_cmpint (nms, ==, 1);
  g_assert_cmpuint (most, ==, 300);
  g_assert_cmpuint (interval, ==, 1);
  g_assert_cmpuint (metadata, ==, 3);
  g_assert_cmpint (mode, ==, 0);
  g_assert_cmpint (hold, ==, -1);
  g_assert_false (qos);
  gst_object_unref (element);
}

static void
test_round_trip (void)
{
  GstElement *element = rig_element_new ("first.");
  g_autofree gchar *prompt = NULL;
  gfloat box;
  gint nms;
  guint metadata;

  gst_util_set_object_arg (G_OBJECT (element), "nms", "all");
  gst_util_set_object_arg (G_OBJECT (element), "metadata", "roi");
  gst_util_set_object_arg (G_OBJECT (element), "box-threshold", "0.5");
  g_object_set (element, "prompt", "second. third.", NULL);
  g_object_get (element, "nms", &nms, "metadata", &metadata, "box-threshold",
      &box, "prompt", &prompt, NULL);
  g_assert_cmpint (nms, ==, 2);
  g_assert_cmpuint (metadata, ==, 2);
  g_assert_cmpfloat_with_epsilon (box, 0.5, 1e-6);
  g_assert_cmpstr (prompt, ==, "second. third.");
  gst_object_unref (element);
}

static void
count_refusal (const gchar * domain, GLogLevelFlags level, const gchar * text,
    gpointer count)
{
  g_test_message ("%s", text);
  g_assert_nonnull (strstr (text, "out of range for property"));
  (*(guint *) count)++;
}

/* GObject refuses what is out of range, and names property and value. */
static void
test_out_of_range (void)
{
  static const char *const floats[] = {
    "box-threshold", "text-threshold", "iou-threshold", "size-threshold"
  };
  static const gfloat bad[] = { 1.5f, -0.1f, INFINITY, NAN };
  const GLogLevelFlags fatal = g_log_set_always_fatal (G_LOG_FATAL_MASK);
  GstElement *element = rig_element_new (NULL);
  guint i, j, interval, most, handler, refused = 0;
  gfloat before, after;

  handler = g_log_set_handler ("GLib-GObject", G_LOG_LEVEL_CRITICAL
      | G_LOG_LEVEL_WARNING, count_refusal, &refused);
  for (i = 0; i < G_N_ELEMENTS (floats); i++) {
    for (j = 0; j < G_N_ELEMENTS (bad); j++) {
      g_object_get (element, floats[i], &before, NULL);
      g_object_set (element, floats[i], bad[j], NULL);
      g_object_get (element, floats[i], &after, NULL);
      g_assert_cmpfloat (before, ==, after);
    }
  }
  g_assert_cmpuint (refused, ==, G_N_ELEMENTS (floats) * G_N_ELEMENTS (bad));
  g_object_set (element, "inference-interval", 0, NULL);
  g_object_set (element, "max-detections", 0, NULL);
  g_object_set (element, "nms", 7, NULL);
  g_assert_cmpuint (refused, ==,
      G_N_ELEMENTS (floats) * G_N_ELEMENTS (bad) + 3);
  g_object_get (element, "inference-interval", &interval, "max-detections",
      &most, NULL);
  g_assert_cmpuint (interval, ==, 1);
  g_assert_cmpuint (most, ==, 300);
  g_log_remove_handler ("GLib-GObject", handler);
  gst_object_unref (element);
  g_log_set_always_fatal (fatal);
}

/* A threshold never set is the package's; one set is the user's. */
static void
test_package_thresholds (void)
{
  static const GdinoFakeOptions options = { 0 };
  const char *package = rig_package_new (&options);
  GstElement *element = rig_element_new ("red.");
  gfloat box, text;

  gdino_fake_package_edit (package, "\"box_threshold\": 0.35",
      "\"box_threshold\": 0.5");
  g_object_set (element, "model", package, "text-threshold", 0.3f, NULL);
  gst_element_set_state (element, GST_STATE_PAUSED);
  g_object_get (element, "box-threshold", &box, "text-threshold", &text, NULL);
  g_assert_cmpfloat_with_epsilon (box, 0.5, 1e-6);
  g_assert_cmpfloat_with_epsilon (text, 0.3, 1e-6);
  gst_element_set_state (element, GST_STATE_NULL);

  g_object_set (element, "model", rig_package (), NULL);
  gst_element_set_state (element, GST_STATE_PAUSED);
  g_object_get (element, "box-threshold", &box, "text-threshold", &text, NULL);
  g_assert_cmpfloat_with_epsilon (box, 0.35, 1e-6);
  g_assert_cmpfloat_with_epsilon (text, 0.3, 1e-6);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

static void
test_metadata_strings (void)
{
  GstElement *element = rig_element_new ("red.");

  g_assert_cmpstr (gst_element_get_metadata (element,
          GST_ELEMENT_METADATA_KLASS), ==, "Filter/Analyzer/Video");
  g_assert_cmpstr (gst_plugin_feature_get_plugin_name (GST_PLUGIN_FEATURE
          (gst_element_get_factory (element))), ==, "gdino");
  gst_object_unref (element);
}

/* Text from "Element Properties" on, without blanks at the ends of lines and
 * without empty lines, of which newer versions print more. */
static gchar *
properties_part (const gchar * text)
{
  const gchar *start = strstr (text, "Element Properties:");
  GString *part = g_string_new (NULL);
  g_auto (GStrv) lines = NULL;
  guint i;

  g_assert_nonnull (start);
  lines = g_strsplit (start, "\n", -1);
  for (i = 0; lines[i] != NULL; i++)
    if (*g_strchomp (lines[i]) != '\0')
      g_string_append_printf (part, "%s\n", lines[i]);
  return g_string_free (part, FALSE);
}

/* From "Element Properties" on, gst-inspect-1.0 prints what is committed in
 * tests/inspect.txt: a change there is one that users see. */
static void
test_inspect (void)
{
  g_autofree gchar *tool = rig_tool ("gst-inspect-1.0");
  g_autofree gchar *path = g_build_filename (g_getenv ("GDINO_SOURCE_DIR"),
      "tests", "inspect.txt", NULL);
  g_autofree gchar *file = NULL, *output = NULL, *want = NULL, *got = NULL;
  gchar *argv[] = { tool, (gchar *) "--no-colors", (gchar *) "groundingdino",
    NULL
  };
  gint status;

  if (tool == NULL)
    return;
  g_assert_true (g_spawn_sync (NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL,
          &output, NULL, &status, NULL));
  g_assert_cmpint (status, ==, 0);
  g_assert_true (g_file_get_contents (path, &file, NULL, NULL));
  got = properties_part (output);
  want = properties_part (file);
  g_assert_cmpstr (got, ==, want);
}

/* The plugin keeps OpenMP's threads from spinning for long, but not against the
 * user's word. */
static void
test_waiting (void)
{
  GstElement *element = rig_element_new (NULL);

  if (g_test_subprocess ()) {
    g_assert_cmpstr (g_getenv ("OMP_WAIT_POLICY"), ==, "active");
    g_assert_null (g_getenv ("GOMP_SPINCOUNT"));
  } else {
    g_assert_null (g_getenv ("OMP_WAIT_POLICY"));
    g_assert_cmpstr (g_getenv ("GOMP_SPINCOUNT"), ==, "2000");
    g_unsetenv ("GOMP_SPINCOUNT");
    g_setenv ("OMP_WAIT_POLICY", "active", TRUE);
    g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    g_test_trap_assert_passed ();
    g_unsetenv ("OMP_WAIT_POLICY");
  }
  gst_object_unref (element);
}

int
main (int argc, char **argv)
{
  /* "active" is what test_waiting gives its second self. */
  if (g_strcmp0 (g_getenv ("OMP_WAIT_POLICY"), "active") != 0)
    g_unsetenv ("OMP_WAIT_POLICY");
  g_unsetenv ("GOMP_SPINCOUNT");
  rig_main_init (&argc, &argv);
  g_test_add_func ("/properties/waiting", test_waiting);
  g_test_add_func ("/properties/list", test_list);
  g_test_add_func ("/properties/defaults", test_defaults);
  g_test_add_func ("/properties/round-trip", test_round_trip);
  g_test_add_func ("/properties/out-of-range", test_out_of_range);
  g_test_add_func ("/properties/package-thresholds", test_package_thresholds);
  g_test_add_func ("/properties/metadata-strings", test_metadata_strings);
  g_test_add_func ("/properties/inspect", test_inspect);
  return rig_main_run ();
}
