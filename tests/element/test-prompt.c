/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Prompts: when they take effect, what is said about them, what is refused. */
#include "rig.h"

#include <glib/gstdio.h>
#include <string.h>

#define CAPS "RGB,width=160,height=120"

static const Patch red_and_blue[] = {
  {"red", 10, 10, 40, 40}, {"blue", 80, 60, 40, 40}
};

static void
expect_labels (Rig * rig, gboolean red, gboolean blue)
{
  GstBuffer *out = rig_show (rig, red_and_blue, 2);

  g_assert_cmpint (roi_of (out, "red") != NULL, ==, red);
  g_assert_cmpint (roi_of (out, "blue") != NULL, ==, blue);
  g_assert_cmpuint (roi_count (out), ==, (guint) red + (guint) blue);
  gst_buffer_unref (out);
}

static void
set (Rig * rig, const char *prompt)
{
  g_object_set (rig->element, "prompt", prompt, NULL);
}

/* Each new prompt costs one run of the text graph, one seen before none. */
static void
test_next_frame (void)
{
  Rig *rig = rig_new ("red.", CAPS);
  guint64 before;

  expect_labels (rig, TRUE, FALSE);
  before = stat_of (rig->element, "text-runs");
  set (rig, "blue.");
  expect_labels (rig, FALSE, TRUE);
  set (rig, "a blue. a red.");
  gst_buffer_unref (rig_show (rig, red_and_blue, 2));
  g_assert_cmpuint (stat_of (rig->element, "text-runs"), ==, before + 2);
  set (rig, "red.");
  expect_labels (rig, TRUE, FALSE);
  set (rig, "  RED");
  gst_buffer_unref (rig_show (rig, red_and_blue, 2));
  g_assert_cmpuint (stat_of (rig->element, "text-runs"), ==, before + 2);
  rig_free (rig);
}

static guint
n_strings (const GstStructure * structure, const char *field)
{
  return gst_value_array_get_size (gst_structure_get_value (structure, field));
}

static const char *
string_at (const GstStructure * structure, const char *field, guint i)
{
  return g_value_get_string (gst_value_array_get_value (gst_structure_get_value
          (structure, field), i));
}

/* The message says what became of the prompt, the event which frames are its,
 * and each region carries the same revision. */
static void
test_revision (void)
{
  Rig *rig = rig_new (NULL, CAPS);
  const GstStructure *said;
  GstMessage *message;
  GstEvent *event;
  GstBuffer *out;
  guint64 revision = 0, told = 0, carried = 0;
  guint used, tokens;

  rig_drain (rig, GST_MESSAGE_ANY);
  gst_buffer_unref (rig_show (rig, red_and_blue, 2));
  set (rig, "A Red. blue? qq");
  message = rig_pop_named (rig, "groundingdino-prompt");
  g_assert_nonnull (message);
  said = gst_message_get_structure (message);
  g_assert_true (gst_structure_has_name (said, "groundingdino-prompt"));
  g_assert_true (gst_structure_get (said, "revision", G_TYPE_UINT64, &revision,
          "tokens-used", G_TYPE_UINT, &used, "tokens", G_TYPE_UINT, &tokens,
          NULL));
  g_assert_cmpstr (gst_structure_get_string (said, "prompt"), ==,
      "A Red. blue? qq");
  g_assert_cmpuint (tokens, ==, 64);
  g_assert_cmpuint (used, ==, 10);
  g_assert_cmpuint (n_strings (said, "phrases"), ==, 3);
  g_assert_cmpstr (string_at (said, "phrases", 0), ==, "A Red");
  g_assert_cmpstr (string_at (said, "phrases", 1), ==, "blue");
  g_assert_cmpuint (n_strings (said, "dropped"), ==, 0);
  g_assert_cmpuint (n_strings (said, "unknown-words"), ==, 0);
  gst_message_unref (message);

  while ((event = gst_harness_try_pull_event (rig->harness)) != NULL)
    gst_event_unref (event);
  out = rig_show (rig, red_and_blue, 2);
  event = gst_harness_try_pull_event (rig->harness);
  g_assert_nonnull (event);
  g_assert_true (gst_event_has_name (event, "groundingdino-prompt"));
  g_assert_true (gst_structure_get_uint64 (gst_event_get_structure (event),
          "revision", &told));
  gst_event_unref (event);
  g_assert_true (gst_structure_get_uint64
      (gst_video_region_of_interest_meta_get_param (roi_of (out, "A Red"),
              "detection"), "revision", &carried));
  g_assert_cmpuint (told, ==, revision);
  g_assert_cmpuint (carried, ==, revision);
  g_assert_cmpuint (stat_of (rig->element, "revision"), ==, revision);
  gst_buffer_unref (out);

  gst_buffer_unref (rig_show (rig, red_and_blue, 2));
  g_assert_null (gst_harness_try_pull_event (rig->harness));
  rig_free (rig);
}

/* Six ways to say nothing: frames pass, the model does not run, one warning. */
static void
test_empty (void)
{
  static const char *const empty[] = { NULL, "", "   ", ".", "...", " . ?\n" };
  guint i, j;

  for (i = 0; i < G_N_ELEMENTS (empty); i++) {
    Rig *rig = rig_new (empty[i], CAPS);

    for (j = 0; j < 5; j++)
      expect_labels (rig, FALSE, FALSE);
    rig_expect (rig, GST_MESSAGE_WARNING, "prompt is empty");
    g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR),
        ==, 0);
    g_assert_cmpuint (stat_of (rig->element, "idle"), ==, 5);
    g_assert_cmpuint (stat_of (rig->element, "inferred"), ==, 0);
    g_assert_cmpuint (stat_of (rig->element, "text-runs"), ==, 0);

    set (rig, "red.");
    expect_labels (rig, TRUE, FALSE);
    set (rig, empty[i]);
    expect_labels (rig, FALSE, FALSE);
    rig_expect (rig, GST_MESSAGE_WARNING, "prompt is empty");
    rig_free (rig);
  }
}

/* Eight tokens: [CLS] red . blue . green . [SEP] fits, white does not. */
static Rig *
small_rig (const char *prompt)
{
  static const GdinoFakeOptions options = {.text_tokens = 8 };
  static const char *package = NULL;
  GstElement *element = rig_element_new (prompt);
  Rig *rig;

  if (package == NULL)
    package = rig_package_new (&options);
  g_object_set (element, "model", package, NULL);
  rig = rig_new_with_element (element);
  return rig;
}

static void
test_dropped (void)
{
  Rig *rig = small_rig ("red. blue. green. white. black cat.");
  GstMessage *message = rig_pop_named (rig, "groundingdino-prompt");
  const GstStructure *said = gst_message_get_structure (message);

  g_assert_cmpuint (n_strings (said, "phrases"), ==, 3);
  g_assert_cmpuint (n_strings (said, "dropped"), ==, 2);
  g_assert_cmpstr (string_at (said, "dropped", 0), ==, "white");
  g_assert_cmpstr (string_at (said, "dropped", 1), ==, "black cat");
  gst_message_unref (message);
  rig_expect (rig, GST_MESSAGE_WARNING, "\"white\", \"black cat\"");
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING), ==, 0);
  rig_set_caps (rig, CAPS);
  expect_labels (rig, TRUE, TRUE);
  rig_free (rig);
}

static void
test_unknown (void)
{
  Rig *rig = rig_new ("red. \xe7\x8a\xac\xe7\x8c\xab cat. 42.", CAPS);

  rig_expect (rig, GST_MESSAGE_WARNING, "3 of the prompt's tokens");
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING), ==, 0);
  expect_labels (rig, TRUE, FALSE);
  rig_free (rig);
}

/* Labels are what the user typed, whatever the tokens lose. */
static void
test_label_text (void)
{
  Rig *rig = rig_new (" Red  CAF\xc3\x89 . BLUE, dog", CAPS);
  GstBuffer *out = rig_show (rig, red_and_blue, 2);

  g_assert_nonnull (roi_of (out, "Red  CAF\xc3\x89"));
  g_assert_nonnull (roi_of (out, "BLUE, dog"));
  gst_buffer_unref (out);
  rig_free (rig);
}

/* What cannot be used is refused with a warning, and the one before stays. */
static void
test_refused (void)
{
  static const char *const bad[] = {
    "red a b c d e f g.", "blue \xff\xfe.", "blue. \xc3"
  };
  Rig *rig = small_rig ("red.");
  guint i;

  rig_set_caps (rig, CAPS);
  expect_labels (rig, TRUE, FALSE);
  for (i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree gchar *last = NULL;

    set (rig, bad[i]);
    rig_expect (rig, GST_MESSAGE_WARNING, i == 0 ? "8" : "UTF-8");
    g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR
            | GST_MESSAGE_ELEMENT), ==, 0);
    expect_labels (rig, TRUE, FALSE);
    g_object_get (rig->element, "prompt", &last, NULL);
    g_assert_cmpstr (last, ==, bad[i]);
  }
  set (rig, "blue.");
  expect_labels (rig, FALSE, TRUE);
  rig_free (rig);
}

/* With no prompt before it, an unusable one keeps the element from starting. */
static void
test_refused_at_start (void)
{
  Rig *rig = rig_new_off_bench (rig_element_new ("red \xff."));

  g_assert_cmpint (gst_element_set_state (rig->element, GST_STATE_PLAYING), ==,
      GST_STATE_CHANGE_FAILURE);
  rig_expect (rig, GST_MESSAGE_ERROR, "UTF-8");
  set (rig, "red.");
  gst_element_set_state (rig->element, GST_STATE_NULL);
  g_assert_cmpint (gst_element_set_state (rig->element, GST_STATE_PLAYING), ==,
      GST_STATE_CHANGE_SUCCESS);
  rig_free (rig);
}

/* A hundred thousand characters, in one word, in one phrase, in many. */
static void
test_very_long (void)
{
  static const char *const parts[] = { "x", "red ", "red. ", "cat dog. " };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (parts); i++) {
    g_autoptr (GString) text = g_string_new ("blue. ");
    Rig *rig = rig_new ("red.", CAPS);
    const gint64 begin = g_get_monotonic_time ();

    while (text->len < 100000)
      g_string_append (text, parts[i]);
    set (rig, text->str);
    gst_buffer_unref (rig_show (rig, red_and_blue, 2));
    g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR), ==, 0);
    g_assert_cmpint (g_get_monotonic_time () - begin, <, 30 * G_USEC_PER_SEC);
    rig_free (rig);
  }
}

/* Files. */
static Rig *
rig_with_file (const char *prompt, const char *path)
{
  GstElement *element = rig_element_new (prompt);

  g_object_set (element, "prompt-path", path, NULL);
  return rig_new_with_element (element);
}

static gchar *
write_file (const char *data, gssize length)
{
  gchar *path = NULL;
  gint fd = g_file_open_tmp ("prompt-XXXXXX.txt", &path, NULL);

  g_assert_cmpint (fd, >=, 0);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path, data, length, NULL));
  return path;
}

static void
test_file (void)
{
  g_autofree gchar *path =
      write_file ("\xef\xbb\xbf" "red\r\n\n  blue? white.\n", -1);
  Rig *rig = rig_with_file (NULL, path);
  GstMessage *message = rig_pop_named (rig, "groundingdino-prompt");

  g_assert_cmpstr (gst_structure_get_string (gst_message_get_structure
          (message), "prompt"), ==, "red. blue? white.");
  gst_message_unref (message);
  rig_set_caps (rig, CAPS);
  expect_labels (rig, TRUE, TRUE);
  set (rig, "blue.");
  expect_labels (rig, FALSE, TRUE);
  rig_free (rig);

  /* The property prompt goes first, but not when it says nothing. */
  rig = rig_with_file ("blue.", path);
  rig_set_caps (rig, CAPS);
  expect_labels (rig, FALSE, TRUE);
  rig_free (rig);
  rig = rig_with_file ("", path);
  rig_set_caps (rig, CAPS);
  expect_labels (rig, TRUE, TRUE);
  rig_free (rig);
  g_unlink (path);
}

static void
expect_bad_file (const char *path, const char *reason)
{
  Rig *rig = rig_new_off_bench (rig_element_new (NULL));
  GstMessage *message;
  GError *error = NULL;

  g_object_set (rig->element, "prompt-path", path, NULL);
  g_assert_cmpint (gst_element_set_state (rig->element, GST_STATE_PAUSED), ==,
      GST_STATE_CHANGE_FAILURE);
  message = rig_pop (rig, GST_MESSAGE_ERROR);
  g_assert_nonnull (message);
  gst_message_parse_error (message, &error, NULL);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_nonnull (strstr (error->message, reason));
  g_error_free (error);
  gst_message_unref (message);
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR), ==, 0);
  rig_free (rig);
}

static void
test_bad_files (void)
{
  g_autofree gchar *bytes = write_file ("red. \xff\xfe", -1);
  g_autofree gchar *nul = write_file ("red.\0blue.", 10);
  g_autofree gchar *big_data = g_strnfill (1024 * 1024 + 1, 'a');
  g_autofree gchar *big = write_file (big_data, -1);

  expect_bad_file ("/does/not/exist.txt", "No such file");
  expect_bad_file (g_get_tmp_dir (), "folder");
  expect_bad_file ("/dev/zero", "special file");
  expect_bad_file (bytes, "UTF-8");
  expect_bad_file (nul, "UTF-8");
  expect_bad_file (big, "1048577");
  g_unlink (bytes);
  g_unlink (nul);
  g_unlink (big);
}

/* Every third frame, but a new prompt does not wait its turn. */
static void
test_interval (void)
{
  GstElement *element = rig_element_new ("red.");
  Rig *rig;
  guint i;

  g_object_set (element, "inference-interval", 3, NULL);
  rig = rig_new_with_element (element);
  rig_set_caps (rig, CAPS);
  for (i = 0; i < 7; i++)
    expect_labels (rig, i % 3 == 0, FALSE);
  g_assert_cmpuint (stat_of (element, "inferred"), ==, 3);
  g_assert_cmpuint (stat_of (element, "skipped"), ==, 4);
  set (rig, "blue.");
  expect_labels (rig, FALSE, TRUE);
  expect_labels (rig, FALSE, FALSE);
  g_object_set (element, "inference-interval", 1, NULL);
  expect_labels (rig, FALSE, TRUE);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/prompt/next-frame", test_next_frame);
  g_test_add_func ("/prompt/revision", test_revision);
  g_test_add_func ("/prompt/empty", test_empty);
  g_test_add_func ("/prompt/dropped", test_dropped);
  g_test_add_func ("/prompt/unknown", test_unknown);
  g_test_add_func ("/prompt/label-text", test_label_text);
  g_test_add_func ("/prompt/refused", test_refused);
  g_test_add_func ("/prompt/refused-at-start", test_refused_at_start);
  g_test_add_func ("/prompt/very-long", test_very_long);
  g_test_add_func ("/prompt/file", test_file);
  g_test_add_func ("/prompt/bad-files", test_bad_files);
  g_test_add_func ("/prompt/interval", test_interval);
  return rig_main_run ();
}
