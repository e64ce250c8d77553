/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Probes: the file, the picture, and the rules by which a package passes. */

#include <gdino/gdino.h>
#include <math.h>
#include <string.h>

#include "make-package.h"
#include "package-private.h"
#include "probe-private.h"

/* Digests of the picture made with numpy by the formula of
 * docs/model-package.md. */
static void
test_picture (void)
{
  static const struct
  {
    guint width, height;
    const char *sha256;
  } cases[] = {
    {448, 256,
        "662a6fa60f8727f7cedbb13077968b0ca43c830adb58776ef8397eca946fa02e"},
    {33, 47,
        "0da11ecc263be274b1b3272d6acecbfe04ef10c251ad566a25dc56e24071e269"},
    {1, 1, "709e80c88487a2411e1ee4dfb9f22a861492d20c4765150c0c794abd70f8147c"},
    {2048, 32,
        "bffd91ef9de32f887d2bb485a5298535dd6f343b35bb956da682ac4925480248"},
    {1, 5, "c35d33b0a7e1b19121e287408b0111aff0955001f407c13d20f811a4b80a0ee1"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gsize size = (gsize) cases[i].width * cases[i].height * 3;
    g_autofree guint8 *canvas = g_malloc0 (size);
    g_autofree char *digest = NULL;

    gdino_probe_draw (canvas, cases[i].width, cases[i].height);
    digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, canvas, size);
    g_assert_cmpstr (digest, ==, cases[i].sha256);
  }
}

#define PROMPT "Red thing. a blue box. white."

/* The fake graph gives a phrase the bounding box of its colour, score 0.9; in
 * 448 x 256 pixels of the picture the colours lie as numpy says. */
#define RED "{\"phrase\": \"Red thing\", \"score\": 0.9, " \
    "\"box\": [0.5993304, 0.375, 0.8013393, 0.75]}"
#define BLUE "{\"phrase\": \"a blue box\", \"score\": 0.9, " \
    "\"box\": [0.3973214, 0.375, 0.7946429, 0.75]}"

static char *
probe_text (const char *tolerance, const char *detections)
{
  return g_strdup_printf ("{\"prompt\": \"" PROMPT "\", \"image\": "
      "{\"generator\": \"gradient-1\"}, \"tolerance\": {%s}, \"detections\": "
      "[%s]}", tolerance, detections);
}

#define CLOSE "\"score\": 1e-3, \"box\": 1e-3"

typedef struct
{
  const char *from;             /* what to replace in a sound probe */
  const char *to;
  GdinoError code;
  const char *what;             /* the message must hold this */
} Edit;

#define BAD GDINO_ERROR_CORRUPT
#define OTHER GDINO_ERROR_INCOMPATIBLE

static const Edit edits[] = {
  {"{\"prompt\"", "[{\"prompt\"", BAD, "JSON"},
  {"\"prompt\": ", "\"text\": ", BAD, "prompt: found nothing"},
  {PROMPT, ".", BAD, "wanted at least one phrase"},
  {PROMPT, "red. blue. green. a cat. a dog. a ball. car. box", BAD,
      "to fit 16 text tokens"},
  {"gradient-1", "gradient-2", OTHER,
      "image.generator: found \"gradient-2\", wanted \"gradient-1\""},
  {"\"image\"", "\"picture\"", BAD, "image: found nothing"},
  {"\"score\": 1e-3", "\"score\": 0", BAD, "tolerance.score: found 0"},
  {"\"box\": 1e-3", "\"box\": 1.5", BAD, "tolerance.box: found 1.5"},
  {"\"box\": 1e-3", "\"box\": 1e-3, \"share\": 0", BAD, "tolerance.share"},
  {"[" RED "," BLUE "]", "[]", BAD, "detections: found [], wanted an array"},
  {"[" RED, "[7", BAD, "detections[0]: found 7, wanted an object"},
  {"\"a blue box\"", "\"blue\"", BAD,
      "detections[1].phrase: found \"blue\", wanted a phrase of the prompt"},
  {"\"phrase\": \"Red thing\"", "\"phrase\": 1", BAD, "detections[0].phrase"},
  {"\"score\": 0.9", "\"score\": 1.1", BAD, "detections[0].score: found 1.1"},
  {"0.5993304, ", "", BAD, "detections[0].box: found"},
  {"0.5993304, ", "\"0\", ", BAD, "detections[0].box[0]: found \"0\""},
};

static GdinoProbe *
parse (const char *text, GError ** error)
{
  const GdinoFakeOptions options = {.text_tokens = 16 };
  g_autofree char *path = gdino_fake_package_new (NULL, &options);
  g_autoptr (GdinoPackage) package = gdino_package_open (path, NULL);
  GdinoProbe *probe = gdino_probe_parse (text, strlen (text),
      gdino_package_get_tokenizer (package), 16, error);

  gdino_fake_package_remove (path);
  return probe;
}

static void
test_bad_files (void)
{
  g_autofree char *sound = probe_text (CLOSE, RED "," BLUE);
  g_autoptr (GError) none = NULL;

  gdino_probe_free (parse (sound, &none));
  g_assert_no_error (none);
  for (guint i = 0; i < G_N_ELEMENTS (edits); i++) {
    const char *found = strstr (sound, edits[i].from);
    g_autofree char *text = NULL;
    g_autoptr (GError) error = NULL;

    g_assert_nonnull (found);
    text = g_strdup_printf ("%.*s%s%s", (int) (found - sound), sound,
        edits[i].to, found + strlen (edits[i].from));
    g_assert_null (parse (text, &error));
    g_assert_error (error, GDINO_ERROR, (gint) edits[i].code);
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, edits[i].what));
  }
}

typedef struct
{
  const char *name;
  const char *fault;            /* of the fake frame graph */
  guint batch;
  const char *tolerance;        /* NULL: a package without a probe */
  const char *detections;
  gboolean passed;
  guint n_found;
  gint missing;
} Run;

/* A box and a score a little off, and far off. */
#define RED_NEAR "{\"phrase\": \"Red thing\", \"score\": 0.8996, " \
    "\"box\": [0.5993304, 0.3756, 0.8013393, 0.75]}"
#define RED_FAR "{\"phrase\": \"Red thing\", \"score\": 0.9, " \
    "\"box\": [0.5993304, 0.375, 0.8013393, 0.7]}"
#define RED_WEAK "{\"phrase\": \"Red thing\", \"score\": 0.85, " \
    "\"box\": [0.5993304, 0.375, 0.8013393, 0.75]}"

static const Run runs[] = {
  {"equal", NULL, 0, CLOSE, RED "," BLUE, TRUE, 2, -1},
  {"other-order", NULL, 0, CLOSE, BLUE "," RED, TRUE, 2, -1},
  {"near", NULL, 0, CLOSE, RED_NEAR, TRUE, 1, -1},
  {"box-differs", NULL, 0, CLOSE, RED_FAR "," BLUE, FALSE, 1, 0},
  {"wide-tolerance", NULL, 0, "\"score\": 1e-3, \"box\": 0.06",
      RED_FAR "," BLUE, TRUE, 2, -1},
  {"half-is-enough", NULL, 0, CLOSE ", \"share\": 0.5", BLUE "," RED_FAR, TRUE,
      1, 1},
  {"more-than-half", NULL, 0, CLOSE ", \"share\": 0.51", BLUE "," RED_FAR,
      FALSE, 1, 1},
  {"score-too-high", NULL, 0, "\"score\": 1e-3, \"box\": 1, \"share\": 0.1",
      RED_WEAK "," BLUE, FALSE, 1, 0},
  {"nothing-found", "nothing", 0, CLOSE, RED "," BLUE, FALSE, 0, 0},
  {"not-numbers", "nan", 0, "\"score\": 1, \"box\": 1", RED, FALSE, 0, 0},
  {"one-box-no-number", "nan-box", 0, CLOSE, BLUE, FALSE, 1, -1},
  {"batch", NULL, 3, CLOSE, RED "," BLUE, TRUE, 2, -1},
  {"last-of-batch", "last-slot", 3, CLOSE, RED "," BLUE, FALSE, 0, 0},
  {"no-probe", NULL, 0, NULL, NULL, TRUE, 0, -1},
  {"no-probe-batch", NULL, 2, NULL, NULL, TRUE, 0, -1},
  {"no-probe-not-numbers", "nan", 0, NULL, NULL, FALSE, 0, -1},
  {"no-probe-box-outside", "far-box", 0, NULL, NULL, FALSE, 0, -1},
};

static void
test_run (gconstpointer data)
{
  const Run *run = data;
  g_autofree char *text =
      run->tolerance ? probe_text (run->tolerance, run->detections) : NULL;
  const GdinoFakeOptions options = {
    .text_tokens = 16,
    .frame_fault = run->fault,
    .batch = run->batch,
    .probe = text,
  };
  g_autofree char *path = gdino_fake_package_new (NULL, &options);
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPackage) package = gdino_package_open (path, &error);
  g_autoptr (GdinoEngine) engine = NULL;
  g_autoptr (GdinoProbe) probe = NULL;
  GdinoProbeReport report;

  g_assert_no_error (error);
  engine = gdino_engine_get (package, "auto", &error);
  g_assert_no_error (error);
  probe = gdino_probe_new (package, &error);
  g_assert_no_error (error);
  g_assert_true (gdino_probe_run (probe, engine, &report, &error));
  g_assert_no_error (error);
  g_test_message ("found %u of %u, score %g, box %g, missing %d (%g, %g), "
      "highest %g of %g, %u invalid", report.n_found, report.n_detections,
      report.score_difference, report.box_difference, report.missing,
      report.missing_score_difference, report.missing_box_difference,
      report.highest_score, report.highest_allowed, report.n_invalid);
  g_assert_cmpint (report.passed, ==, run->passed);
  g_assert_cmpuint (report.n_found, ==, run->n_found);
  g_assert_cmpint (report.missing, ==, run->missing);
  g_assert_cmpuint (report.n_pictures, ==, MAX (run->batch, 1));
  g_assert_cmpuint (report.n_detections, ==,
      gdino_probe_get_n_detections (probe));
  gdino_fake_package_remove (path);
}

/* The numbers that are shown to people. */
static void
test_report (void)
{
  g_autofree char *text = probe_text (CLOSE, RED_NEAR "," RED_FAR);
  const GdinoFakeOptions options = {.text_tokens = 16,.probe = text };
  g_autofree char *path = gdino_fake_package_new (NULL, &options);
  g_autoptr (GdinoPackage) package = gdino_package_open (path, NULL);
  g_autoptr (GdinoEngine) engine = gdino_engine_get (package, "cpu", NULL);
  g_autoptr (GdinoProbe) probe = gdino_probe_new (package, NULL);
  g_autoptr (GError) error = NULL;
  GdinoProbeReport report;
  double score, box, share;

  g_assert_cmpstr (gdino_probe_get_prompt (probe), ==, PROMPT);
  gdino_probe_get_tolerance (probe, &score, &box, &share);
  g_assert_cmpfloat (score, ==, 1e-3);
  g_assert_cmpfloat (box, ==, 1e-3);
  g_assert_cmpfloat (share, ==, 1);
  g_assert_cmpstr (gdino_probe_get_detection (probe, 1)->phrase, ==,
      "Red thing");
  g_assert_cmpfloat (gdino_probe_get_detection (probe, 1)->box[3], ==, 0.7);

  g_assert_true (gdino_probe_run (probe, engine, &report, &error));
  g_assert_false (report.passed);
  g_assert_cmpuint (report.n_needed, ==, 2);
  g_assert_cmpfloat_with_epsilon (report.score_difference, 4e-4, 1e-6);
  g_assert_cmpfloat_with_epsilon (report.box_difference, 6e-4, 1e-6);
  g_assert_cmpint (report.missing, ==, 1);
  g_assert_cmpfloat_with_epsilon (report.missing_score_difference, 0, 1e-6);
  g_assert_cmpfloat_with_epsilon (report.missing_box_difference, 0.05, 1e-6);
  g_assert_cmpfloat_with_epsilon (report.highest_score, 0.9, 1e-6);
  g_assert_cmpfloat_with_epsilon (report.highest_allowed, 0.9006, 1e-9);

  gdino_fake_set (fail_runs, 1);
  report.n_found = 77;
  g_assert_false (gdino_probe_run (probe, engine, &report, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_GRAPH);
  g_assert_cmpuint (report.n_found, ==, 77);
  gdino_fake_package_remove (path);
}

/* What is wrong with the file is told with its name. */
static void
test_bad_package (void)
{
  const GdinoFakeOptions options = {.probe = "{}" };
  g_autofree char *path = gdino_fake_package_new (NULL, &options);
  g_autofree char *file = g_build_filename (path, "probe.json", NULL);
  g_autoptr (GdinoPackage) package = gdino_package_open (path, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (gdino_probe_new (package, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT);
  g_assert_true (g_str_has_prefix (error->message, file));
  gdino_fake_package_remove (path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gdino_fake_use_torch ();
  g_test_add_func ("/probe/picture", test_picture);
  g_test_add_func ("/probe/bad-files", test_bad_files);
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++) {
    g_autofree char *path = g_strdup_printf ("/probe/run/%s", runs[i].name);

    g_test_add_data_func (path, &runs[i], test_run);
  }
  g_test_add_func ("/probe/report", test_report);
  g_test_add_func ("/probe/bad-package", test_bad_package);
  return g_test_run ();
}
