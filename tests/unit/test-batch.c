/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Whole batches through detector and fake graphs, which look for the colours
 * that each frame's own prompt names. */

#include "batch.h"

#include <gdino/gdino.h>
#include <string.h>

#include "make-package.h"
#include "package-private.h"
#include "textcache.h"

#define WIDTH 64
#define HEIGHT 32
#define ROW (WIDTH * 3)
#define BATCH 3

typedef struct
{
  char *path;
  GdinoEngine *engine;
  GdinoDetector *detector;
  GdinoLetterbox letterbox;
  GdinoDecodeParams params;
  guint8 canvases[BATCH][ROW * HEIGHT];
  GdinoFrame frames[BATCH];
} Fixture;

/* A canvas with a field of one colour, 4 wide and high, at x = @place. */
static void
draw (guint8 * canvas, gsize stride, guint place, const guint8 colour[3])
{
  for (guint y = 0; y < HEIGHT; y++)
    memset (canvas + y * stride, 110, ROW);
  for (guint y = 8; y < 12; y++)
    for (guint x = place; x < place + 4; x++)
      memcpy (canvas + y * stride + x * 3, colour, 3);
}

static const guint8 red[3] = { 220, 20, 20 };
static const guint8 blue[3] = { 20, 20, 220 };

static GdinoPrompt *
make_prompt (Fixture * f, const char *text)
{
  g_autoptr (GError) error = NULL;
  GdinoPrompt *prompt = gdino_detector_make_prompt (f->detector, text, &error);

  g_assert_no_error (error);
  return prompt;
}

static void
set_up (Fixture * f, gconstpointer data)
{
  const GdinoFakeOptions options = {
    .width = WIDTH,
    .height = HEIGHT,
    .queries = 5,
    .text_tokens = 16,
    .batch = BATCH,
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPackage) package = NULL;

  f->path = gdino_fake_package_new (NULL, &options);
  package = gdino_package_open (f->path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (gdino_package_get_batch (package), ==, BATCH);
  f->engine = gdino_engine_get (package, "auto", &error);
  g_assert_no_error (error);
  f->detector = gdino_detector_new (f->engine);
  g_assert_true (gdino_letterbox_init (&f->letterbox, WIDTH, HEIGHT, 1, 1,
          WIDTH, HEIGHT, NULL));
  gdino_decode_params_init (&f->params);
  for (guint i = 0; i < BATCH; i++) {
    const GdinoFrame frame = { f->canvases[i], ROW, &f->letterbox, NULL };

    draw (f->canvases[i], ROW, 10 * i, red);
    f->frames[i] = frame;
  }
}

static void
tear_down (Fixture * f, gconstpointer data)
{
  gdino_detector_free (f->detector);
  gdino_engine_unref (f->engine);
  gdino_fake_package_remove (f->path);
  g_free (f->path);
  g_assert_cmpint (gdino_fake_get (live_tensors), ==, 0);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 0);
}

static void
detect (Fixture * f, guint n, GdinoDetections ** found, GdinoTimings * timings)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (gdino_detector_detect_batch (f->detector, f->frames, n,
          &f->params, found, timings, &error));
  g_assert_no_error (error);
}

/* One box of @label at @x, or no box for NULL. Releases @found. */
static void
check (GdinoDetections * found, const char *label, gint x)
{
  g_assert_nonnull (found);
  g_assert_cmpuint (gdino_detections_get_n (found), ==, label ? 1 : 0);
  if (label != NULL) {
    g_assert_cmpstr (gdino_detections_get_label (found, 0), ==, label);
    g_assert_cmpint (gdino_detections_get (found, 0)->x, ==, x);
    g_assert_cmpint (gdino_detections_get (found, 0)->y, ==, 8);
  }
  gdino_detections_unref (found);
}

/* Each frame has its own result, from one run; fewer frames than slots too. */
static void
test_one_prompt (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoPrompt) prompt = make_prompt (f, "red.");
  const gint32 runs = gdino_fake_get (frame_runs);

  for (guint i = 0; i < BATCH; i++)
    f->frames[i].prompt = prompt;
  for (guint n = 1; n <= BATCH; n++) {
    GdinoDetections *found[BATCH] = { NULL };
    GdinoTimings timings = { -1, -1, -1 };

    detect (f, n, found, &timings);
    for (guint i = 0; i < n; i++)
      check (found[i], "red", 10 * (gint) i);
    for (guint i = n; i < BATCH; i++)
      g_assert_null (found[i]);
    g_assert_cmpint (gdino_fake_get (frame_runs) - runs, ==, (gint32) n);
    g_assert_cmpint (timings.graph_us, >=, 0);
    g_assert_cmpint (timings.decode_us, >=, 0);
  }
  g_assert_cmpuint (gdino_engine_get_text_runs (f->engine), ==, 1);
}

/* Each frame with a prompt of its own, and prompts that move to other slots
 * from run to run. */
static void
test_own_prompts (Fixture * f, gconstpointer data)
{
  static const char *const texts[BATCH] = { "red.", "a blue box. Red ball.",
    "green."
  };
  GdinoPrompt *prompts[BATCH];

  for (guint i = 0; i < BATCH; i++)
    prompts[i] = make_prompt (f, texts[i]);
  for (guint turn = 0; turn < 2 * BATCH; turn++) {
    GdinoDetections *found[BATCH];

    for (guint i = 0; i < BATCH; i++)
      f->frames[i].prompt = prompts[(i + turn) % BATCH];
    detect (f, BATCH, found, NULL);
    for (guint i = 0; i < BATCH; i++) {
      const guint which = (i + turn) % BATCH;

      g_assert_true (gdino_detections_get_prompt (found[i]) == prompts[which]);
      check (found[i], which == 0 ? "red" : which == 1 ? "Red ball" : NULL,
          10 * (gint) i);
    }
  }
  g_assert_cmpuint (gdino_engine_get_text_runs (f->engine), ==, BATCH);
  for (guint i = 0; i < BATCH; i++)
    gdino_prompt_unref (prompts[i]);
}

/* Frames with an empty prompt leave their slot to the next. */
static void
test_empty_prompts (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoPrompt) prompt = make_prompt (f, "red.");
  g_autoptr (GdinoPrompt) empty = make_prompt (f, " . ");
  const gint32 runs = gdino_fake_get (frame_runs);
  GdinoTimings timings = { -1, -1, -1 };
  GdinoDetections *found[BATCH];

  f->frames[0].prompt = f->frames[1].prompt = empty;
  f->frames[2].prompt = prompt;
  detect (f, BATCH, found, NULL);
  g_assert_true (gdino_detections_get_prompt (found[0]) == empty);
  check (found[0], NULL, 0);
  check (found[1], NULL, 0);
  check (found[2], "red", 20);
  g_assert_cmpint (gdino_fake_get (frame_runs) - runs, ==, 1);

  f->frames[2].prompt = empty;
  detect (f, BATCH, found, &timings);
  for (guint i = 0; i < BATCH; i++)
    check (found[i], NULL, 0);
  g_assert_cmpint (gdino_fake_get (frame_runs) - runs, ==, 1);
  g_assert_cmpint (timings.text_us, ==, 0);
  g_assert_cmpint (timings.graph_us, ==, 0);
  g_assert_cmpint (timings.decode_us, ==, 0);
}

/* gdino_detector_detect() of a batch package, and rows with padding. */
static void
test_single (Fixture * f, gconstpointer data)
{
  const gsize stride = ROW + 7;
  g_autoptr (GdinoPrompt) prompt = make_prompt (f, "blue.");
  g_autofree guint8 *padded = g_malloc (stride * (HEIGHT - 1) + ROW);
  g_autoptr (GError) error = NULL;

  draw (padded, stride, 33, blue);
  check (gdino_detector_detect (f->detector, padded, stride, &f->letterbox,
          prompt, &f->params, NULL, &error), "blue", 33);
  g_assert_no_error (error);
}

static void
test_refused (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoPrompt) prompt = make_prompt (f, "red.");
  const gint32 runs = gdino_fake_get (frame_runs);
  const guint counts[] = { 0, BATCH + 1, G_MAXUINT };
  GdinoDetections *found[BATCH] = { NULL };
  GdinoTimings timings = { 7, 7, 7 };
  GdinoFrame more[BATCH + 1];

  for (guint i = 0; i < BATCH; i++)
    f->frames[i].prompt = prompt;
  for (guint i = 0; i < BATCH + 1; i++)
    more[i] = f->frames[0];
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (gdino_detector_detect_batch (f->detector, more, counts[i],
            &f->params, found, &timings, &error));
    g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT);
    g_assert_nonnull (strstr (error->message, "wanted 1 to 3"));
  }
  {
    g_autoptr (GError) error = NULL;

    /* One bad frame among good ones. */
    f->frames[2].stride = ROW - 1;
    g_assert_false (gdino_detector_detect_batch (f->detector, f->frames, BATCH,
            &f->params, found, &timings, &error));
    g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT);
    f->frames[2].stride = ROW;
  }
  for (guint i = 0; i < BATCH; i++)
    g_assert_null (found[i]);
  g_assert_cmpint (timings.graph_us, ==, 7);
  g_assert_cmpint (gdino_fake_get (frame_runs), ==, runs);
}

/* A run that fails leaves nothing behind, text or frame graph. */
static void
test_failures (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoPrompt) prompt = make_prompt (f, "red.");
  g_autoptr (GdinoPrompt) other = make_prompt (f, "blue.");
  GdinoDetections *found[BATCH] = { NULL };

  f->frames[0].prompt = f->frames[2].prompt = prompt;
  f->frames[1].prompt = other;
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;
    const gint code = i == 0 ? GDINO_ERROR_MEMORY : GDINO_ERROR_GRAPH;

    if (i == 0) {
      /* The first prompt's run has 3 inputs and 2 outputs. */
      gdino_fake_set (skip_allocations, 5);
      gdino_fake_set (fail_allocations, 1);
    } else {
      gdino_fake_set (fail_runs, 1);
    }
    g_assert_false (gdino_detector_detect_batch (f->detector, f->frames, BATCH,
            &f->params, found, NULL, &error));
    g_assert_error (error, GDINO_ERROR, code);
    g_test_message ("%s", error->message);
    for (guint k = 0; k < BATCH; k++)
      g_assert_null (found[k]);
  }
  detect (f, BATCH, found, NULL);
  check (found[0], "red", 0);
  check (found[1], NULL, 0);
  check (found[2], "red", 20);
}

/* What is said when memory runs out names the tensor and its size. */
static void
test_no_memory (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoPrompt) prompt = make_prompt (f, "red.");
  g_autofree char *wanted = g_strdup_printf ("input image: no memory for a "
      "tensor of %d bytes", BATCH * ROW * HEIGHT);
  GdinoDetections *found[BATCH];
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < BATCH; i++)
    f->frames[i].prompt = prompt;
  detect (f, BATCH, found, NULL);
  for (guint i = 0; i < BATCH; i++)
    gdino_detections_unref (found[i]);
  gdino_fake_set (fail_allocations, 1);
  g_assert_false (gdino_detector_detect_batch (f->detector, f->frames, BATCH,
          &f->params, found, NULL, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, wanted));
}

/* A graph for one frame reads the frame's own memory; a batch lays frames side
 * by side, and slots that nobody fills hold the first one's text. */
static void
test_layout (Fixture * f, gconstpointer data)
{
  const GdinoFakeOptions one = {.width = WIDTH,.height = HEIGHT,
    .text_tokens = 16
  };
  g_autofree char *path = gdino_fake_package_new (NULL, &one);
  g_autoptr (GdinoPackage) package = gdino_package_open (path, NULL);
  g_autoptr (GdinoBatch) single =
      gdino_batch_new (gdino_package_get_frame_graph (package));
  g_autoptr (GdinoBatch) batch = gdino_batch_new (gdino_package_get_frame_graph
      (gdino_engine_get_package (f->engine)));
  GdinoPrompt *prompts[2] = { make_prompt (f, "red."),
    make_prompt (f, "a cat. dog.")
  };
  GdinoEngineFrame frames[2];
  GdinoTensor in[GDINO_BATCH_N_INPUTS];
  const gsize text = 16 * 8;

  for (guint i = 0; i < 2; i++) {
    frames[i].canvas = f->canvases[i];
    frames[i].stride = ROW;
    frames[i].prompt = prompts[i];
    frames[i].text = gdino_engine_get_text (f->engine, prompts[i], NULL, NULL);
  }
  gdino_batch_fill (single, frames, 1, in);
  g_assert_true (in[0].data == frames[0].canvas);
  g_assert_true (in[1].data == frames[0].text->features);
  g_assert_true (in[4].data == gdino_prompt_get_block_mask (prompts[0]));

  gdino_batch_fill (batch, frames, 2, in);
  for (guint i = 0; i < 5; i++)
    g_assert_true ((gsize) in[i].data % 64 == 0);
  for (guint slot = 0; slot < BATCH; slot++) {
    const guint from = slot == 1 ? 1 : 0;

    if (slot < 2)
      g_assert_cmpmem ((guint8 *) in[0].data + slot * ROW * HEIGHT,
          ROW * HEIGHT, frames[slot].canvas, ROW * HEIGHT);
    g_assert_cmpmem ((float *) in[1].data + slot * text, text * 4,
        frames[from].text->features, text * 4);
    g_assert_cmpmem ((float *) in[2].data + slot * text, text * 4,
        frames[from].text->position, text * 4);
    g_assert_cmpmem ((guint8 *) in[3].data + slot * 16, 16,
        gdino_prompt_get_text_mask (prompts[from]), 16);
    g_assert_cmpmem ((guint8 *) in[4].data + slot * 256, 256,
        gdino_prompt_get_block_mask (prompts[from]), 256);
  }
  for (guint i = 0; i < 2; i++) {
    gdino_text_features_unref (frames[i].text);
    gdino_prompt_unref (prompts[i]);
  }
  gdino_fake_package_remove (path);
}

int
main (int argc, char **argv)
{
#define ADD(path, function) \
  g_test_add ("/batch/" path, Fixture, NULL, set_up, function, tear_down)
  g_test_init (&argc, &argv, NULL);
  gdino_fake_use_torch ();
  ADD ("one-prompt", test_one_prompt);
  ADD ("own-prompts", test_own_prompts);
  ADD ("empty-prompts", test_empty_prompts);
  ADD ("single", test_single);
  ADD ("refused", test_refused);
  ADD ("failures", test_failures);
  ADD ("no-memory", test_no_memory);
  ADD ("layout", test_layout);
  return g_test_run ();
}
