/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What goes wrong says so once, names what it is, and can be put right. */
#include "rig.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define CAPS "RGB,width=160,height=120"

/* The start fails within a second, with one error that names @text. */
static void
fail_to_start (Rig * rig, const char *text)
{
  const gint64 begin = g_get_monotonic_time ();

  g_assert_cmpint (gst_element_set_state (rig->element, GST_STATE_PLAYING), ==,
      GST_STATE_CHANGE_FAILURE);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, G_USEC_PER_SEC);
  rig_expect (rig, GST_MESSAGE_ERROR, text);
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING),
      ==, 0);
  gst_element_set_state (rig->element, GST_STATE_NULL);
}

static void
start (Rig * rig)
{
  g_assert_cmpint (gst_element_set_state (rig->element, GST_STATE_PLAYING), ==,
      GST_STATE_CHANGE_SUCCESS);
}

/* The same, and it works with the good package afterwards. */
static void
expect_no_start (const char *model, const char *text)
{
  Rig *rig = rig_new_off_bench (rig_element_new ("red."));

  g_object_set (rig->element, "model", model, NULL);
  fail_to_start (rig, text);
  g_object_set (rig->element, "model", rig_package (), NULL);
  start (rig);
  rig_free (rig);
}

static void
test_no_model (void)
{
  g_autofree gchar *file =
      g_build_filename (rig_package (), "manifest.json", NULL);
  g_autofree gchar *folder = g_dir_make_tmp ("gdino-empty-XXXXXX", NULL);

  expect_no_start (NULL, "\"model\" is not set");
  expect_no_start ("", "\"model\" is not set");
  expect_no_start ("/does/not/exist", "/does/not/exist");
  expect_no_start (file, file);
  expect_no_start (folder, folder);
  g_rmdir (folder);
}

/* Root may read everything, so it becomes somebody else for the moment. */
static void
test_unreadable (void)
{
  static const GdinoFakeOptions options = { 0 };
  const char *package = rig_package_new (&options);
  const gboolean root = geteuid () == 0;
  Rig *rig = rig_new_off_bench (rig_element_new ("red."));

  g_assert_cmpint (g_chmod (package, 0), ==, 0);
  g_object_set (rig->element, "model", package, NULL);
  if (root)
    g_assert_cmpint (seteuid (65534), ==, 0);
  fail_to_start (rig, package);
  if (root)
    g_assert_cmpint (seteuid (0), ==, 0);
  g_assert_cmpint (g_chmod (package, 0700), ==, 0);
  start (rig);
  rig_free (rig);
}

static void
test_truncated (void)
{
  static const gsize lengths[] = { 0, 1024, 4000, 1 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (lengths); i++) {
    static const GdinoFakeOptions options = { 0 };
    const char *package = rig_package_new (&options);
    g_autofree gchar *file = g_build_filename (package, "frame.so", NULL);
    g_autofree gchar *data = NULL;
    gsize length, keep;

    g_assert_true (g_file_get_contents (file, &data, &length, NULL));
    keep = lengths[i] == 1 ? length - 1 : lengths[i];
    g_assert_true (g_file_set_contents (file, data, (gssize) keep, NULL));
    expect_no_start (package, "frame.so");
  }
}

static void
test_edited_manifest (void)
{
  static const char *const edits[][3] = {
    {"\"format\": 1", "\"format\": 7", "format"},
    {"\"width\": 448", "\"width\": 4480000", "width"},
    {"\"format\": 1", "\"format\": ", "manifest.json"},
    {"\"queries\": 20", "\"queries\": 21", "frame"},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (edits); i++) {
    static const GdinoFakeOptions options = { 0 };
    const char *package = rig_package_new (&options);

    gdino_fake_package_edit (package, edits[i][0], edits[i][1]);
    expect_no_start (package, edits[i][2]);
  }
}

static void
test_incompatible (void)
{
  static const struct
  {
    GdinoFakeOptions options;
    const char *names;
  } cases[] = {
    {{.torch_version = "2.6.0"}, "2.6"},
    {{.arch = "vax"}, "vax"},
    {{.cpu_features = "[\"avx9000\"]"}, "avx9000"},
    {{.frame_fault = "create"}, "frame.so"},
    {{.frame_fault = "output-count"}, "frame"},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++)
    expect_no_start (rig_package_new (&cases[i].options), cases[i].names);
}

static void
test_device (void)
{
  static const char *const bad[] = { "cuda", "cuda:0", "gpu", "" };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (bad); i++) {
    Rig *rig = rig_new_off_bench (rig_element_new ("red."));

    g_object_set (rig->element, "device", bad[i], NULL);
    g_assert_cmpint (gst_element_set_state (rig->element, GST_STATE_PLAYING),
        ==, GST_STATE_CHANGE_FAILURE);
    rig_expect (rig, GST_MESSAGE_ERROR, bad[i]);
    g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR), ==, 0);
    rig_free (rig);
  }
}

/* A package for CUDA where there is no GPU: said at the start, in a sentence,
 * and never run on the CPU; it works once there is one. */
static void
test_cuda_package (void)
{
  static const GdinoFakeOptions options = {.device = "cuda" };
  static const Patch patch = { "red", 10, 10, 40, 40 };
  const char *package = rig_package_new (&options);
  static const char *const devices[] = { "auto", "cuda", "cuda:0", "cuda:1" };
  Rig *rig = rig_new_off_bench (rig_element_new ("red."));
  const gint created = gdino_fake_get (created_containers);
  guint i;

  g_object_set (rig->element, "model", package, NULL);
  gdino_fake_set (cuda_devices, 0);
  for (i = 0; i < G_N_ELEMENTS (devices); i++) {
    g_object_set (rig->element, "device", devices[i], NULL);
    fail_to_start (rig, "this package is for CUDA, but there is no CUDA "
        "device");
  }
  g_object_set (rig->element, "device", "cpu", NULL);
  fail_to_start (rig, "cuda");
  g_assert_cmpint (gdino_fake_get (created_containers), ==, created);
  rig_free (rig);

  gdino_fake_set (cuda_devices, 1);
  {
    GstElement *element = rig_element_new ("red.");
    GstBuffer *out;

    g_object_set (element, "model", package, NULL);
    rig = rig_new_with_element (element);
    rig_set_caps (rig, CAPS);
    out = rig_show (rig, &patch, 1);
    assert_roi (out, &patch, 2);
    gst_buffer_unref (out);
    rig_free (rig);
  }
  gdino_fake_set (cuda_devices, 0);
}

/* In a process of its own, where no libtorch has been opened yet and meson's
 * library path does not lead to the fakes. A libtorch that the system has is of
 * another version. */
static void
test_no_torch (void)
{
  Rig *rig;

  if (!g_test_subprocess ()) {
    g_autofree gchar *path = g_strdup (g_getenv ("LD_LIBRARY_PATH"));

    g_unsetenv ("LD_LIBRARY_PATH");
    g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    if (path != NULL)
      g_setenv ("LD_LIBRARY_PATH", path, TRUE);
    g_test_trap_assert_passed ();
    return;
  }
  g_setenv ("GDINO_TORCH_LIB_DIR", "/no/such/torch", TRUE);
  rig = rig_new_off_bench (rig_element_new ("red."));
  g_assert_cmpint (gst_element_set_state (rig->element, GST_STATE_PLAYING), ==,
      GST_STATE_CHANGE_FAILURE);
  rig_expect (rig, GST_MESSAGE_ERROR, "torch");
  rig_free (rig);
}

/* Takes one error of that kind that names all of @texts. */
static void
expect_lack (Rig * rig, const char *const *texts)
{
  GstMessage *message = rig_pop (rig, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (message);
  gst_message_parse_error (message, &error, NULL);
  gst_message_unref (message);
  g_test_message ("%s", error->message);
  g_assert_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT);
  for (; *texts != NULL; texts++)
    g_assert_nonnull (strstr (error->message, *texts));
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING),
      ==, 0);
}

static void
show_red (Rig * rig)
{
  static const Patch patch = { "red", 10, 10, 40, 40 };
  GstBuffer *out = rig_show (rig, &patch, 1);

  assert_roi (out, &patch, 2);
  gst_buffer_unref (out);
}

/* No memory for the graphs: need and free amount are said; others go on, and so
 * does this one when there is memory again. */
static void
test_no_memory_at_load (void)
{
  static const char *const devices[] = { "cpu", "cuda" };
  static const char *const texts[][4] = {
    {"out of memory", "MiB are needed to load it",
        "MiB are free on the machine", NULL},
    {"out of memory", "MiB are needed to load it",
        "; 5 MiB are free on the device", NULL},
  };
  Rig *other = rig_new ("red.", CAPS);
  guint i;

  gdino_fake_set (cuda_devices, 1);
  for (i = 0; i < G_N_ELEMENTS (devices); i++) {
    const GdinoFakeOptions options = {.device = devices[i],.queries = 7 };
    Rig *rig = rig_new_off_bench (rig_element_new ("red."));

    g_object_set (rig->element, "model", rig_package_new (&options), NULL);
    gdino_fake_set (fail_creations, 1);
    g_assert_cmpint (gst_element_set_state (rig->element, GST_STATE_PLAYING),
        ==, GST_STATE_CHANGE_FAILURE);
    gdino_fake_set (fail_creations, 0);
    expect_lack (rig, texts[i]);
    show_red (other);
    gst_element_set_state (rig->element, GST_STATE_NULL);
    start (rig);
    rig_free (rig);
  }
  gdino_fake_set (cuda_devices, 0);
  rig_free (other);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 0);
}

/* The fifth run fails, by itself or for lack of memory: one error, flow stops,
 * others go on; after NULL all is well again. */
static void
test_run_fails (void)
{
  static const char *const texts[] = { "no memory for a tensor of",
    "MiB are free on the machine", NULL
  };
  const GdinoFakeOptions options = {.queries = 7 };
  guint i, j;

  for (i = 0; i < 2; i++) {
    GstElement *element = rig_element_new ("red.");
    Rig *other = rig_new ("red.", CAPS);
    GstVideoInfo info;
    Rig *rig;

    g_object_set (element, "model", rig_package_new (&options), NULL);
    rig = rig_new_with_element (element);
    rig_set_caps (rig, CAPS);
    rig_get_info (rig, &info);
    for (j = 0; j < 4; j++)
      show_red (rig);
    if (i == 0)
      gdino_fake_set (fail_runs, 1);
    else
      gdino_fake_set (fail_allocations, 1);
    g_assert_cmpint (gst_harness_push (rig->harness, picture_new (&info, NULL,
                0)), ==, GST_FLOW_ERROR);
    if (i == 0)
      rig_expect (rig, GST_MESSAGE_ERROR, "fails on demand");
    else
      expect_lack (rig, texts);
    g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR), ==, 0);
    g_assert_cmpuint (gst_harness_buffers_received (rig->harness), ==, 4);
    show_red (other);

    rig_restart (rig, CAPS);
    show_red (rig);
    show_red (other);
    g_assert_cmpuint (rig_drain (other, GST_MESSAGE_ERROR), ==, 0);
    rig_free (other);
    rig_free (rig);
  }
}

static void
test_wrong_output (void)
{
  static const char *const faults[] = {
    "run", "run-late", "output-shape", "output-rank", "output-dtype",
    "output-null"
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (faults); i++) {
    const GdinoFakeOptions options = {.frame_fault = faults[i] };
    GstElement *element = rig_element_new ("red.");
    GstVideoInfo info;
    Rig *rig;

    g_object_set (element, "model", rig_package_new (&options), NULL);
    rig = rig_new_with_element (element);
    rig_set_caps (rig, CAPS);
    rig_get_info (rig, &info);
    g_assert_cmpint (gst_harness_push (rig->harness, picture_new (&info, NULL,
                0)), ==, GST_FLOW_ERROR);
    rig_expect (rig, GST_MESSAGE_ERROR, "frame");
    g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR), ==, 0);
    rig_free (rig);
  }
}

/* Half precision gone wrong: no boxes, a count, and one warning a start. */
static void
test_not_numbers (void)
{
  static const Patch patches[] = {
    {"red", 10, 10, 40, 40}, {"blue", 80, 60, 40, 40}
  };
  static const char *const faults[] = { "nan", "nan-box" };
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (faults); i++) {
    const GdinoFakeOptions options = {.frame_fault = faults[i] };
    GstElement *element = rig_element_new ("red. blue.");
    Rig *rig;

    g_object_set (element, "model", rig_package_new (&options), NULL);
    rig = rig_new_with_element (element);
    rig_set_caps (rig, CAPS);
    for (j = 0; j < 3; j++) {
      GstBuffer *out = rig_show (rig, patches, 2);

      g_assert_null (roi_of (out, "red"));
      g_assert_cmpuint (roi_count (out), ==, i);
      gst_buffer_unref (out);
    }
    rig_expect (rig, GST_MESSAGE_WARNING, "not numbers");
    g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR),
        ==, 0);
    g_assert_cmpuint (stat_of (element, "invalid"), ==, i == 0 ? 60 : 3);
    rig_free (rig);
  }
}

/* gst-launch-1.0 tells its caller, whatever is wrong with the model. */
static void
test_exit_status (void)
{
  static const GdinoFakeOptions options = { 0 };
  g_autofree gchar *tool = rig_tool ("gst-launch-1.0");
  g_autofree gchar *file =
      g_build_filename (rig_package (), "manifest.json", NULL);
  g_autofree gchar *folder = g_dir_make_tmp ("gdino-empty-XXXXXX", NULL);
  g_autofree gchar *manifest = NULL;
  const char *damaged = rig_package_new (&options);
  const char *models[] = { "/does/not/exist", folder, file, damaged, "", NULL };
  guint i;

  if (tool == NULL) {
    g_rmdir (folder);
    return;
  }
  /* Root may read everything, so this one cannot be read by anybody. */
  manifest = g_build_filename (damaged, "manifest.json", NULL);
  g_assert_cmpint (g_unlink (manifest), ==, 0);
  for (i = 0; i < G_N_ELEMENTS (models); i++) {
    g_autofree gchar *errors = NULL;
    g_autofree gchar *model = g_strdup_printf ("model=%s", models[i]);
    gchar *argv[] = { tool, (gchar *) "videotestsrc", (gchar *) "!",
      (gchar *) "groundingdino", models[i] == NULL ? (gchar *) "prompt=cat" :
          model, (gchar *) "!", (gchar *) "fakesink", NULL
    };
    gint status;

    g_assert_true (g_spawn_sync (NULL, argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL,
            NULL, NULL, NULL, &errors, &status, NULL));
    g_assert_cmpint (status, !=, 0);
    if (models[i] == NULL)
      g_assert_nonnull (strstr (errors, "\"model\" is not set"));
    else if (*models[i] != '\0')        /* that is a syntax error to it */
      g_assert_nonnull (strstr (errors, models[i]));
  }
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/errors/no-model", test_no_model);
  g_test_add_func ("/errors/unreadable", test_unreadable);
  g_test_add_func ("/errors/truncated", test_truncated);
  g_test_add_func ("/errors/edited-manifest", test_edited_manifest);
  g_test_add_func ("/errors/incompatible", test_incompatible);
  g_test_add_func ("/errors/device", test_device);
  g_test_add_func ("/errors/cuda-package", test_cuda_package);
  g_test_add_func ("/errors/no-torch", test_no_torch);
  g_test_add_func ("/errors/no-memory-at-load", test_no_memory_at_load);
  g_test_add_func ("/errors/run-fails", test_run_fails);
  g_test_add_func ("/errors/wrong-output", test_wrong_output);
  g_test_add_func ("/errors/not-numbers", test_not_numbers);
  g_test_add_func ("/errors/exit-status", test_exit_status);
  return rig_main_run ();
}
