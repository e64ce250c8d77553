/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The engine over the fake libtorch: sharing, turns, text cache, failures. */

#include <gdino/error.h>
#include <glib/gstdio.h>
#include <string.h>

#include "batch.h"
#include "engine-private.h"
#include "make-package.h"
#include "package-private.h"
#include "turn.h"

#define WIDTH 64
#define HEIGHT 32
#define QUERIES 4
#define TOKENS 16
#define RED 0
#define BLUE 2

typedef struct
{
  char *path;
  GdinoPackage *package;
} Fixture;

static const GdinoFakeOptions small = {
  .width = WIDTH,
  .height = HEIGHT,
  .queries = QUERIES,
  .text_tokens = TOKENS,
};

static GdinoPackage *
open_package (const char *path)
{
  g_autoptr (GError) error = NULL;
  GdinoPackage *package = gdino_package_open (path, &error);

  g_assert_no_error (error);
  return package;
}

static void
set_up_with (Fixture * f, const GdinoFakeOptions * options)
{
  f->path = gdino_fake_package_new (NULL, options);
  f->package = open_package (f->path);
}

static void
set_up (Fixture * f, gconstpointer data)
{
  set_up_with (f, &small);
}

static void
tear_down (Fixture * f, gconstpointer data)
{
  gdino_package_unref (f->package);
  gdino_fake_package_remove (f->path);
  g_free (f->path);
  g_assert_cmpint (gdino_fake_get (live_tensors), ==, 0);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 0);
}

static GdinoEngine *
get_engine (GdinoPackage * package)
{
  g_autoptr (GError) error = NULL;
  GdinoEngine *engine = gdino_engine_get (package, "auto", &error);

  g_assert_no_error (error);
  g_assert_nonnull (engine);
  return engine;
}

static GdinoPrompt *
make_prompt (GdinoPackage * package, const char *text)
{
  g_autoptr (GError) error = NULL;
  GdinoPrompt *prompt = gdino_prompt_new (gdino_package_get_tokenizer (package),
      text, gdino_package_get_text_tokens (package), &error);

  g_assert_no_error (error);
  return prompt;
}

static GdinoTextFeatures *
get_text (GdinoEngine * engine, GdinoPrompt * prompt, gint64 * elapsed)
{
  g_autoptr (GError) error = NULL;
  GdinoTextFeatures *text =
      gdino_engine_get_text (engine, prompt, elapsed, &error);

  g_assert_no_error (error);
  return text;
}

static void
test_share (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoEngine) one = get_engine (f->package);
  g_autoptr (GdinoPackage) again = open_package (f->path);
  g_autoptr (GdinoEngine) two = gdino_engine_get (again, "cpu", NULL);
  int created = gdino_fake_get (created_containers);

  g_assert_true (one == two);
  g_assert_true (gdino_engine_get_package (one) == f->package);
  g_assert_cmpstr (gdino_engine_get_device (one), ==, "cpu");
  g_clear_pointer (&one, gdino_engine_unref);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 2);
  g_clear_pointer (&two, gdino_engine_unref);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 0);
  one = get_engine (f->package);
  g_assert_cmpint (gdino_fake_get (created_containers), ==, created + 2);
}

static void
test_other_package (Fixture * f, gconstpointer data)
{
  Fixture g;

  set_up_with (&g, &small);
  {
    g_autoptr (GdinoEngine) one = get_engine (f->package);
    g_autoptr (GdinoEngine) two = get_engine (g.package);

    g_assert_true (one != two);
  }
  tear_down (&g, NULL);
}

static gpointer
get_in_thread (gpointer data)
{
  return get_engine (data);
}

static void
test_load_once (Fixture * f, gconstpointer data)
{
  GThread *threads[8];
  GdinoEngine *engines[8];
  int created = gdino_fake_get (created_containers);

  gdino_fake_set (create_delay_us, 20000);
  for (guint i = 0; i < 8; i++)
    threads[i] = g_thread_new ("get", get_in_thread, f->package);
  for (guint i = 0; i < 8; i++)
    engines[i] = g_thread_join (threads[i]);
  gdino_fake_set (create_delay_us, 0);
  g_assert_cmpint (gdino_fake_get (created_containers), ==, created + 2);
  for (guint i = 0; i < 8; i++) {
    g_assert_true (engines[i] == engines[0]);
    if (i > 0)
      gdino_engine_unref (engines[i]);
  }
  gdino_engine_unref (engines[0]);
}

static gpointer
churn (gpointer data)
{
  for (guint i = 0; i < 100; i++) {
    g_autoptr (GdinoEngine) engine = get_engine (data);

    g_assert_true (gdino_engine_get_package (engine) == data);
  }
  return NULL;
}

static void
test_churn (Fixture * f, gconstpointer data)
{
  GThread *threads[4];

  for (guint i = 0; i < 4; i++)
    threads[i] = g_thread_new ("churn", churn, f->package);
  for (guint i = 0; i < 4; i++)
    g_thread_join (threads[i]);
}

static gpointer
fail_in_thread (gpointer data)
{
  GError *error = NULL;

  g_assert_null (gdino_engine_get (data, "auto", &error));
  return error;
}

static void
test_load_fails (Fixture * f, gconstpointer data)
{
  GdinoFakeOptions options = small;
  GThread *threads[4];
  Fixture g;

  options.frame_fault = "create";
  set_up_with (&g, &options);
  gdino_fake_set (create_delay_us, 10000);
  for (guint i = 0; i < 4; i++)
    threads[i] = g_thread_new ("fail", fail_in_thread, g.package);
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GError) error = g_thread_join (threads[i]);

    g_assert_error (error, GDINO_ERROR, GDINO_ERROR_GRAPH);
    g_assert_nonnull (strstr (error->message, g.path));
    g_assert_nonnull (strstr (error->message, "creation fails on demand"));
  }
  gdino_fake_set (create_delay_us, 0);
  tear_down (&g, NULL);
}

static void
test_devices (Fixture * f, gconstpointer data)
{
  static const struct
  {
    const char *device;
    GdinoError code;
  } cases[] = {
    {"", GDINO_ERROR_INVALID_ARGUMENT},
    {"gpu", GDINO_ERROR_INVALID_ARGUMENT},
    {"cpu:0", GDINO_ERROR_INVALID_ARGUMENT},
    {"cuda:", GDINO_ERROR_INVALID_ARGUMENT},
    {"cuda:-1", GDINO_ERROR_INVALID_ARGUMENT},
    {"cuda:1x", GDINO_ERROR_INVALID_ARGUMENT},
    {"cuda:64", GDINO_ERROR_INVALID_ARGUMENT},
    {"cuda:99999999999999999999", GDINO_ERROR_INVALID_ARGUMENT},
    {"cuda", GDINO_ERROR_INCOMPATIBLE},
    {"cuda:1", GDINO_ERROR_INCOMPATIBLE},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (gdino_engine_get (f->package, cases[i].device, &error));
    g_assert_error (error, GDINO_ERROR, (gint) cases[i].code);
    g_assert_nonnull (strstr (error->message, cases[i].device));
  }
}

static void
test_text_cache (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoEngine) engine = get_engine (f->package);
  g_autoptr (GdinoPrompt) red = make_prompt (f->package, "red. car.");
  g_autoptr (GdinoPrompt) same = make_prompt (f->package, " RED . Car");
  g_autoptr (GdinoTextFeatures) first = NULL;
  g_autoptr (GdinoTextFeatures) second = NULL;
  gint64 elapsed = -1;

  first = get_text (engine, red, &elapsed);
  g_assert_cmpint (elapsed, >, 0);
  second = get_text (engine, same, &elapsed);
  g_assert_cmpint (elapsed, ==, 0);
  g_assert_true (first == second);
  g_assert_cmpuint (gdino_engine_get_text_runs (engine), ==, 1);
}

/* The cache holds 64 prompts; the one not used for longest leaves. */
static void
test_text_cache_limit (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoEngine) engine = get_engine (f->package);
  g_autoptr (GdinoPrompt) kept = make_prompt (f->package, "red");

  gdino_text_features_unref (get_text (engine, kept, NULL));
  for (char a = 'a'; a <= 'd'; a++) {
    for (char b = 'b'; b <= 'r'; b++) {
      g_autofree char *words = g_strdup_printf ("%c x%c", a, b);
      g_autoptr (GdinoPrompt) prompt = make_prompt (f->package, words);

      gdino_text_features_unref (get_text (engine, prompt, NULL));
      gdino_text_features_unref (get_text (engine, kept, NULL));
    }
  }
  g_assert_cmpuint (gdino_engine_get_text_runs (engine), ==, 1 + 4 * 17);
  {
    g_autoptr (GdinoPrompt) newest = make_prompt (f->package, "d xr");
    g_autoptr (GdinoPrompt) oldest = make_prompt (f->package, "a xb");

    gdino_text_features_unref (get_text (engine, newest, NULL));
    g_assert_cmpuint (gdino_engine_get_text_runs (engine), ==, 69);
    gdino_text_features_unref (get_text (engine, oldest, NULL));
    g_assert_cmpuint (gdino_engine_get_text_runs (engine), ==, 70);
  }
}

/* One frame whose rows touch. */
static gboolean
run_one (GdinoEngine * engine, const guint8 * canvas, GdinoTextFeatures * text,
    GdinoPrompt * prompt, float *logits, float *boxes, GError ** error)
{
  const GdinoEngineFrame frame = { canvas, WIDTH * 3, text, prompt };
  g_autoptr (GdinoBatch) batch = gdino_batch_new (gdino_package_get_frame_graph
      (gdino_engine_get_package (engine)));

  return gdino_engine_run_frames (engine, batch, &frame, 1, logits, boxes,
      error);
}

static gboolean
run_frame (GdinoEngine * engine, GdinoPrompt * prompt, guint8 first_byte,
    float *boxes, GError ** error)
{
  g_autoptr (GdinoTextFeatures) text =
      gdino_engine_get_text (engine, prompt, NULL, error);
  g_autofree guint8 *canvas = g_malloc0 (WIDTH * HEIGHT * 3 + 1);
  float logits[QUERIES * TOKENS];

  if (text == NULL)
    return FALSE;
  /* Deliberately odd: alignment is the backend's business. */
  canvas[1] = first_byte;
  for (guint y = 8; y < 16; y++)
    for (guint x = 16; x < 48; x++)
      canvas[1 + (y * WIDTH + x) * 3] = 255;
  return run_one (engine, canvas + 1, text, prompt, logits, boxes, error);
}

static void
test_frame (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoEngine) engine = get_engine (f->package);
  g_autoptr (GdinoPrompt) prompt = make_prompt (f->package, "cat. a red box");
  g_autoptr (GError) error = NULL;
  float boxes[QUERIES * 4];

  g_assert_true (run_frame (engine, prompt, 0, boxes, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat_with_epsilon (boxes[4], 0.5, 1e-6);
  g_assert_cmpfloat_with_epsilon (boxes[5], 12.0 / HEIGHT, 1e-6);
  g_assert_cmpfloat_with_epsilon (boxes[6], 0.5, 1e-6);
  g_assert_cmpfloat_with_epsilon (boxes[7], 8.0 / HEIGHT, 1e-6);
}

static void
test_prompt_of_other_length (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoEngine) engine = get_engine (f->package);
  g_autoptr (GdinoPrompt) good = make_prompt (f->package, "red");
  g_autoptr (GdinoPrompt) other = NULL;
  g_autoptr (GdinoTextFeatures) text = get_text (engine, good, NULL);
  g_autoptr (GError) error = NULL;

  other = gdino_prompt_new (gdino_package_get_tokenizer (f->package), "red",
      TOKENS / 2, NULL);
  g_assert_null (gdino_engine_get_text (engine, other, NULL, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_false (run_one (engine, NULL, text, other, NULL, NULL, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT);
}

static void
test_run_fails_once (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoEngine) engine = get_engine (f->package);
  g_autoptr (GdinoPrompt) prompt = make_prompt (f->package, "red");
  g_autoptr (GError) error = NULL;
  float boxes[QUERIES * 4];

  gdino_fake_set (fail_runs, 1);
  g_assert_false (run_frame (engine, prompt, 0, boxes, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_GRAPH);
  g_assert_nonnull (strstr (error->message, "frame graph"));
  g_assert_nonnull (strstr (error->message, "this run fails on demand"));
  g_clear_error (&error);
  g_assert_true (run_frame (engine, prompt, 0, boxes, &error));
  g_assert_no_error (error);
}

/* A failed text run is not kept: the prompt may work next time. */
static void
test_text_fails_once (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoEngine) engine = get_engine (f->package);
  g_autoptr (GdinoPrompt) prompt = make_prompt (f->package, "red");
  g_autoptr (GError) error = NULL;

  gdino_fake_set (fail_allocations, 1);
  g_assert_null (gdino_engine_get_text (engine, prompt, NULL, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "input_ids"));
  gdino_text_features_unref (get_text (engine, prompt, NULL));
}

typedef struct
{
  GdinoTurn *turn;
  guint8 *order;
  guint *count;                 /* guarded by the turn */
  guint8 number;
} Waiter;

static gpointer
wait_in_thread (gpointer data)
{
  Waiter *self = data;

  gdino_turn_enter (self->turn);
  self->order[(*self->count)++] = self->number;
  gdino_turn_leave (self->turn);
  return NULL;
}

static guint64
tickets_drawn (GdinoTurn * turn)
{
  guint64 next;

  g_mutex_lock (&turn->mutex);
  next = turn->next;
  g_mutex_unlock (&turn->mutex);
  return next;
}

typedef struct
{
  GdinoEngine *engine;
  GdinoPrompt *prompt;
  guint8 number;
  guint runs;
} Runner;

static gpointer
run_in_thread (gpointer data)
{
  Runner *runner = data;
  float boxes[QUERIES * 4];

  for (guint i = 0; i < runner->runs; i++) {
    g_autoptr (GError) error = NULL;

    g_assert_true (run_frame (runner->engine, runner->prompt, runner->number,
            boxes, &error));
    g_assert_no_error (error);
  }
  return NULL;
}

/* Threads that come one after the other while a run is on get their turns in
 * that order. Each comes when the one before has drawn its ticket. */
static void
test_turn_order (void)
{
  static Waiter waiters[6];
  static guint8 order[6];
  GThread *threads[6];
  guint count = 0;
  GdinoTurn turn;

  gdino_turn_init (&turn);
  gdino_turn_enter (&turn);
  for (guint8 i = 0; i < 6; i++) {
    const Waiter waiter = { &turn, order, &count, i };

    waiters[i] = waiter;
    threads[i] = g_thread_new ("turn", wait_in_thread, &waiters[i]);
    while (tickets_drawn (&turn) < 2u + i)
      g_usleep (100);
  }
  g_assert_cmpuint (count, ==, 0);
  gdino_turn_leave (&turn);
  for (guint i = 0; i < 6; i++)
    g_thread_join (threads[i]);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpuint (order[i], ==, i);
  gdino_turn_clear (&turn);
}

/* A stream that runs without pause does not keep another from running. */
static void
test_fairness (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoEngine) engine = get_engine (f->package);
  g_autoptr (GdinoPrompt) prompt = make_prompt (f->package, "cat");
  FakeControl *control = gdino_fake_control ();
  int first = gdino_fake_get (frame_runs);
  Runner runners[2] = { {engine, prompt, 1, 20}, {engine, prompt, 2, 20} };
  GThread *threads[2];
  guint changes = 0;

  gdino_text_features_unref (get_text (engine, prompt, NULL));
  gdino_fake_set (delay_us, 3000);
  gdino_fake_set (most_running, 0);
  for (guint i = 0; i < 2; i++)
    threads[i] = g_thread_new ("fair", run_in_thread, &runners[i]);
  for (guint i = 0; i < 2; i++)
    g_thread_join (threads[i]);
  gdino_fake_set (delay_us, 0);
  /* Runs never overlap. */
  g_assert_cmpint (gdino_fake_get (most_running), ==, 1);
  for (int i = 1; i < 40; i++)
    changes += control->order[first + i] != control->order[first + i - 1];
  g_assert_cmpuint (changes, >=, 10);
}

/* Many threads ask for one new prompt: one run. */
static void
test_text_once (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoEngine) engine = get_engine (f->package);
  g_autoptr (GdinoPrompt) prompt = make_prompt (f->package, "blue dog");
  Runner runners[6];
  GThread *threads[6];

  gdino_fake_set (text_delay_us, 20000);
  for (guint8 i = 0; i < 6; i++) {
    const Runner runner = { engine, prompt, i, 1 };

    runners[i] = runner;
    threads[i] = g_thread_new ("text", run_in_thread, &runners[i]);
  }
  for (guint i = 0; i < 6; i++)
    g_thread_join (threads[i]);
  gdino_fake_set (text_delay_us, 0);
  g_assert_cmpuint (gdino_engine_get_text_runs (engine), ==, 1);
}

/* Whether code of @file as it is now, not of one that lay there before, is in
 * the process. */
static gboolean
is_mapped (const char *folder, const char *file)
{
  g_autofree char *maps = NULL;
  g_autofree char *ending = g_strdup_printf (" %s/%s", folder, file);
  g_auto (GStrv) lines = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  lines = g_strsplit (maps, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_suffix (lines[i], ending))
      return TRUE;
  return FALSE;
}

/* A package compiled anew into the same folder is used, not the graphs that
 * the process has open from the old one. */
static void
test_recompiled (Fixture * f, gconstpointer data)
{
  GdinoFakeOptions options = small;
  g_autofree char *other = NULL;
  static const char *const files[] = { "text.so", "frame.so", "manifest.json" };

  gdino_engine_unref (get_engine (f->package));
  options.queries = 7;
  other = gdino_fake_package_new (NULL, &options);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *from = g_build_filename (other, files[i], NULL);
    g_autofree char *to = g_build_filename (f->path, files[i], NULL);

    g_assert_cmpint (g_rename (from, to), ==, 0);
  }
  gdino_fake_package_remove (other);
  g_assert_false (is_mapped (f->path, "frame.so"));
  {
    g_autoptr (GdinoPackage) package = open_package (f->path);
    g_autoptr (GdinoEngine) engine = get_engine (package);
    g_autoptr (GdinoPrompt) prompt = make_prompt (package, "red");
    g_autoptr (GdinoTextFeatures) text = get_text (engine, prompt, NULL);
    g_autofree guint8 *canvas = g_malloc0 (WIDTH * HEIGHT * 3);
    g_autoptr (GError) error = NULL;
    float logits[7 * TOKENS], boxes[7 * 4];

    g_assert_true (run_one (engine, canvas, text, prompt, logits, boxes,
            &error));
    g_assert_no_error (error);
    g_assert_true (is_mapped (f->path, "frame.so"));
    g_assert_true (is_mapped (f->path, "text.so"));
  }
}

/* 50 rounds of another package each: everything of the old one is gone. */
static void
test_rounds (Fixture * f, gconstpointer data)
{
  for (guint i = 0; i < 50; i++) {
    GdinoFakeOptions options = small;
    Fixture g;
    float boxes[QUERIES * 4];

    options.text_tokens = TOKENS - i % 3;
    set_up_with (&g, &options);
    {
      g_autoptr (GdinoEngine) engine = get_engine (g.package);
      g_autoptr (GdinoPrompt) prompt = make_prompt (g.package, "red");
      g_autoptr (GError) error = NULL;

      g_assert_true (run_frame (engine, prompt, 0, boxes, &error));
      g_assert_no_error (error);
    }
    tear_down (&g, NULL);
  }
}

int
main (int argc, char **argv)
{
#define ADD(path, function) \
  g_test_add ("/engine/" path, Fixture, NULL, set_up, function, tear_down)
  g_test_init (&argc, &argv, NULL);
  gdino_fake_use_torch ();
  ADD ("share", test_share);
  ADD ("other-package", test_other_package);
  ADD ("load-once", test_load_once);
  ADD ("churn", test_churn);
  ADD ("load-fails", test_load_fails);
  ADD ("devices", test_devices);
  ADD ("text-cache", test_text_cache);
  ADD ("text-cache-limit", test_text_cache_limit);
  ADD ("text-once", test_text_once);
  ADD ("frame", test_frame);
  ADD ("prompt-of-other-length", test_prompt_of_other_length);
  ADD ("run-fails-once", test_run_fails_once);
  ADD ("text-fails-once", test_text_fails_once);
  g_test_add_func ("/engine/turn-order", test_turn_order);
  ADD ("fairness", test_fairness);
  ADD ("recompiled", test_recompiled);
  ADD ("rounds", test_rounds);
  return g_test_run ();
}
