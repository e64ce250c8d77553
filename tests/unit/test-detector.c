/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The facade over the fake graphs, which find patches of the colours that a
 * prompt names. */

#include <gdino/gdino.h>
#include <math.h>
#include <string.h>

#include "make-package.h"

#define WIDTH 448
#define HEIGHT 256
#define ROW (WIDTH * 3)
#define GREY 110

typedef struct
{
  char *path;
  GdinoEngine *engine;
  GdinoDetector *detector;
  GdinoLetterbox letterbox;
  GdinoDecodeParams params;
  guint8 *canvas;
} Fixture;

static void
prepare (Fixture * self, const GdinoFakeOptions * options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPackage) package = NULL;

  self->path = gdino_fake_package_new (NULL, options);
  package = gdino_package_open (self->path, &error);
  g_assert_no_error (error);
  self->engine = gdino_engine_get (package, "auto", &error);
  g_assert_no_error (error);
  self->detector = gdino_detector_new (self->engine);
  g_assert_true (gdino_letterbox_init (&self->letterbox, 2 * WIDTH, 2 * HEIGHT,
          1, 1, WIDTH, HEIGHT, NULL));
  gdino_decode_params_init (&self->params);
  self->canvas = g_malloc (ROW * HEIGHT);
  memset (self->canvas, GREY, ROW * HEIGHT);
}

static void
clear (Fixture * self)
{
  gdino_detector_free (self->detector);
  gdino_engine_unref (self->engine);
  gdino_fake_package_remove (self->path);
  g_free (self->path);
  g_free (self->canvas);
}

static void
fill (guint8 * canvas, gsize stride, guint x, guint y, guint width,
    guint height, guint8 r, guint8 g, guint8 b)
{
  for (guint row = y; row < y + height; row++)
    for (guint column = x; column < x + width; column++) {
      guint8 *pixel = canvas + row * stride + column * 3;

      pixel[0] = r;
      pixel[1] = g;
      pixel[2] = b;
    }
}

static GdinoPrompt *
make_prompt (Fixture * self, const char *text)
{
  g_autoptr (GError) error = NULL;
  GdinoPrompt *prompt = gdino_detector_make_prompt (self->detector, text,
      &error);

  g_assert_no_error (error);
  return prompt;
}

static GdinoDetections *
detect (Fixture * self, GdinoPrompt * prompt, GdinoTimings * timings)
{
  g_autoptr (GError) error = NULL;
  GdinoDetections *found = gdino_detector_detect (self->detector, self->canvas,
      ROW, &self->letterbox, prompt, &self->params, timings, &error);

  g_assert_no_error (error);
  g_assert_nonnull (found);
  return found;
}

static void
assert_box (GdinoDetections * found, guint index, const char *label, gint x,
    gint y, gint width, gint height)
{
  const GdinoDetection *box;

  g_assert_cmpuint (index, <, gdino_detections_get_n (found));
  box = gdino_detections_get (found, index);
  g_assert_cmpstr (gdino_detections_get_label (found, index), ==, label);
  g_assert_cmpint (box->x, ==, x);
  g_assert_cmpint (box->y, ==, y);
  g_assert_cmpint (box->width, ==, width);
  g_assert_cmpint (box->height, ==, height);
  g_assert_cmpfloat_with_epsilon (box->score, 0.9, 1e-4);
}

/* Boxes come in frame pixels, each under the phrase that names it. */
static void
test_finds (void)
{
  Fixture f;
  g_autoptr (GdinoPrompt) prompt = NULL;
  g_autoptr (GdinoDetections) found = NULL;
  GdinoTimings timings = { -1, -1, -1 };

  prepare (&f, NULL);
  fill (f.canvas, ROW, 10, 20, 30, 40, 220, 20, 20);
  fill (f.canvas, ROW, 100, 120, 60, 50, 20, 20, 220);
  prompt = make_prompt (&f, "Blue box. a green ball. red car.");
  found = detect (&f, prompt, &timings);
  g_assert_cmpuint (gdino_detections_get_n (found), ==, 2);
  assert_box (found, 0, "Blue box", 200, 240, 120, 100);
  assert_box (found, 1, "red car", 20, 40, 60, 80);
  g_assert_true (gdino_detections_get_prompt (found) == prompt);
  g_assert_cmpint (timings.text_us, >=, 0);
  g_assert_cmpint (timings.graph_us, >=, 0);
  g_assert_cmpint (timings.decode_us, >=, 0);
  g_assert_true (gdino_detector_get_engine (f.detector) == f.engine);
  clear (&f);
}

/* Rows with padding give what packed rows give, and are read no further. */
static void
test_stride (void)
{
  const gsize strides[] = { ROW + 1, ROW + 4, 2 * ROW };
  Fixture f;
  g_autoptr (GdinoPrompt) prompt = NULL;

  prepare (&f, NULL);
  prompt = make_prompt (&f, "red.");
  for (guint i = 0; i < G_N_ELEMENTS (strides); i++) {
    gsize size = strides[i] * (HEIGHT - 1) + ROW;
    g_autofree guint8 *padded = g_malloc (size);
    g_autoptr (GdinoDetections) found = NULL;
    g_autoptr (GError) error = NULL;

    /* White padding would be seen by the fake graph. */
    memset (padded, 255, size);
    fill (padded, strides[i], 0, 0, WIDTH, HEIGHT, GREY, GREY, GREY);
    fill (padded, strides[i], 10, 20, 30, 40, 220, 20, 20);
    found = gdino_detector_detect (f.detector, padded, strides[i],
        &f.letterbox, prompt, &f.params, NULL, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (gdino_detections_get_n (found), ==, 1);
    assert_box (found, 0, "red", 20, 40, 60, 80);
  }
  clear (&f);
}

/* In any of its forms an empty prompt runs nothing and finds nothing. */
static void
test_empty_prompt (void)
{
  const char *texts[] = { NULL, "", "   ", ".", "...", " . ? \n" };
  Fixture f;
  gint32 text_runs = gdino_fake_get (text_runs);
  gint32 frame_runs = gdino_fake_get (frame_runs);

  prepare (&f, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GdinoPrompt) prompt = make_prompt (&f, texts[i]);
    g_autoptr (GdinoDetections) found = NULL;
    GdinoTimings timings = { -1, -1, -1 };

    found = detect (&f, prompt, &timings);
    g_assert_cmpuint (gdino_detections_get_n (found), ==, 0);
    g_assert_true (gdino_detections_get_prompt (found) == prompt);
    g_assert_cmpint (timings.text_us, ==, 0);
    g_assert_cmpint (timings.graph_us, ==, 0);
    g_assert_cmpint (timings.decode_us, ==, 0);
  }
  g_assert_cmpint (gdino_fake_get (text_runs), ==, text_runs);
  g_assert_cmpint (gdino_fake_get (frame_runs), ==, frame_runs);
  clear (&f);
}

/* The text graph runs once for a prompt, the frame graph for each frame. */
static void
test_text_runs_once (void)
{
  Fixture f;
  gint32 frame_runs = gdino_fake_get (frame_runs);

  prepare (&f, NULL);
  for (guint i = 0; i < 6; i++) {
    g_autoptr (GdinoPrompt) prompt = make_prompt (&f, i % 2 ? "red." : "blue.");
    g_autoptr (GdinoDetections) found = NULL;
    GdinoTimings timings;

    found = detect (&f, prompt, &timings);
    if (i >= 2)
      g_assert_cmpint (timings.text_us, ==, 0);
  }
  g_assert_cmpuint (gdino_engine_get_text_runs (f.engine), ==, 2);
  g_assert_cmpint (gdino_fake_get (frame_runs) - frame_runs, ==, 6);
  clear (&f);
}

/* Refused without running anything, the timings untouched. */
static void
assert_refused (Fixture * self, const guint8 * canvas, gsize stride,
    const GdinoLetterbox * letterbox, GdinoPrompt * prompt,
    const GdinoDecodeParams * params, const char *named)
{
  g_autoptr (GError) error = NULL;
  GdinoTimings timings = { 7, 7, 7 };
  gint32 runs = gdino_fake_get (frame_runs);

  g_assert_null (gdino_detector_detect (self->detector, canvas, stride,
          letterbox, prompt, params, &timings, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, named));
  g_assert_cmpint (timings.text_us + timings.graph_us + timings.decode_us, ==,
      21);
  g_assert_cmpint (gdino_fake_get (frame_runs), ==, runs);
  g_assert_null (gdino_detector_detect (self->detector, canvas, stride,
          letterbox, prompt, params, NULL, NULL));
}

static void
test_refused (void)
{
  Fixture f;
  g_autoptr (GdinoPrompt) prompt = NULL;
  g_autoptr (GdinoPrompt) longer = NULL;
  g_autoptr (GdinoPrompt) empty = NULL;
  GdinoLetterbox box;
  GdinoDecodeParams params;

  prepare (&f, NULL);
  prompt = make_prompt (&f, "red.");
  empty = make_prompt (&f, "");
  longer = gdino_prompt_new (gdino_package_get_tokenizer
      (gdino_engine_get_package (f.engine)), "red.", 128, NULL);
  g_assert_nonnull (longer);

  assert_refused (&f, f.canvas, ROW - 1, &f.letterbox, prompt, &f.params,
      "stride is 1343 bytes");
  assert_refused (&f, f.canvas, ROW, &f.letterbox, longer, &f.params,
      "prompt is made for 128 tokens, the package has 64");

  g_assert_true (gdino_letterbox_init (&box, 640, 480, 1, 1, 640, 640, NULL));
  assert_refused (&f, f.canvas, ROW, &box, prompt, &f.params,
      "canvas of 640x640");
  assert_refused (&f, f.canvas, ROW, &box, empty, &f.params,
      "canvas of 640x640");
  box = f.letterbox;
  box.width = 0;
  assert_refused (&f, f.canvas, ROW, &box, prompt, &f.params, "not inside");
  box = f.letterbox;
  box.x = 1;
  assert_refused (&f, f.canvas, ROW, &box, prompt, &f.params, "not inside");
  box = f.letterbox;
  box.y = G_MAXUINT;
  assert_refused (&f, f.canvas, ROW, &box, prompt, &f.params, "not inside");
  box = f.letterbox;
  box.frame_height = 0;
  assert_refused (&f, f.canvas, ROW, &box, prompt, &f.params, "not inside");

  params = f.params;
  params.box_threshold = NAN;
  assert_refused (&f, f.canvas, ROW, &f.letterbox, prompt, &params,
      "box_threshold");
  clear (&f);
}

/* A failing graph is an error that leaves the detector fit for the next frame;
 * NaN is no error, but counted. */
static void
test_graph_failures (void)
{
  Fixture f;
  g_autoptr (GdinoPrompt) prompt = NULL;
  g_autoptr (GdinoDetections) found = NULL;
  g_autoptr (GError) error = NULL;

  prepare (&f, NULL);
  fill (f.canvas, ROW, 10, 20, 30, 40, 220, 20, 20);
  prompt = make_prompt (&f, "red.");
  gdino_fake_set (fail_runs, 1);
  g_assert_null (gdino_detector_detect (f.detector, f.canvas, ROW,
          &f.letterbox, prompt, &f.params, NULL, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_GRAPH);
  found = detect (&f, prompt, NULL);
  g_assert_cmpuint (gdino_detections_get_n (found), ==, 1);
  clear (&f);
}

static void
test_not_a_number (void)
{
  const struct
  {
    const char *fault;
    guint invalid;
  } cases[] = { {"nan", 20}, {"nan-box", 1} };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GdinoFakeOptions options = {.frame_fault = cases[i].fault };
    Fixture f;
    g_autoptr (GdinoPrompt) prompt = NULL;
    g_autoptr (GdinoDetections) found = NULL;

    prepare (&f, &options);
    fill (f.canvas, ROW, 10, 20, 30, 40, 220, 20, 20);
    prompt = make_prompt (&f, "red.");
    found = detect (&f, prompt, NULL);
    g_assert_cmpuint (gdino_detections_get_n (found), ==, 0);
    g_assert_cmpuint (gdino_detections_get_stats (found)->n_invalid, ==,
        cases[i].invalid);
    clear (&f);
  }
}

/* Nothing is left when detector and engine are gone, in either order. */
static void
test_lifetime (void)
{
  Fixture f;
  GdinoDetections *found;
  g_autoptr (GdinoPrompt) prompt = NULL;

  prepare (&f, NULL);
  fill (f.canvas, ROW, 10, 20, 30, 40, 220, 20, 20);
  prompt = make_prompt (&f, "red.");
  gdino_engine_unref (f.engine);
  found = detect (&f, prompt, NULL);
  gdino_engine_ref (f.engine);
  clear (&f);
  assert_box (found, 0, "red", 20, 40, 60, 80);
  gdino_detections_unref (found);
  gdino_detector_free (NULL);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 0);
  g_assert_cmpint (gdino_fake_get (live_tensors), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gdino_fake_use_torch ();
  g_test_add_func ("/detector/finds", test_finds);
  g_test_add_func ("/detector/stride", test_stride);
  g_test_add_func ("/detector/empty-prompt", test_empty_prompt);
  g_test_add_func ("/detector/text-runs-once", test_text_runs_once);
  g_test_add_func ("/detector/refused", test_refused);
  g_test_add_func ("/detector/graph-failures", test_graph_failures);
  g_test_add_func ("/detector/not-a-number", test_not_a_number);
  g_test_add_func ("/detector/lifetime", test_lifetime);
  return g_test_run ();
}
