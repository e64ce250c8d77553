/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What it costs to change the prompt, and to use a package twice: runs of the
 * text graph, loads of graphs, memory. */

#include <gdino/gdino.h>
#include <string.h>

#include "make-package.h"
#include "memory-use.h"

#define WIDTH 64
#define HEIGHT 32
#define ROW (WIDTH * 3)
#define CHANGES 1000
#define KEPT 16                 /* prompts that cost nothing when used again */

typedef struct
{
  char *path;
  GdinoEngine *engine;
  GdinoDetector *detector;
  GdinoLetterbox letterbox;
  GdinoDecodeParams params;
  guint8 canvas[ROW * HEIGHT];
} Fixture;

static void
set_up (Fixture * f, gconstpointer data)
{
  const GdinoFakeOptions options = {.width = WIDTH,.height = HEIGHT,
    .batch = (guint) GPOINTER_TO_SIZE (data)
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPackage) package = NULL;

  f->path = gdino_fake_package_new (NULL, &options);
  package = gdino_package_open (f->path, &error);
  g_assert_no_error (error);
  f->engine = gdino_engine_get (package, "auto", &error);
  g_assert_no_error (error);
  f->detector = gdino_detector_new (f->engine);
  g_assert_true (gdino_letterbox_init (&f->letterbox, WIDTH, HEIGHT, 1, 1,
          WIDTH, HEIGHT, NULL));
  gdino_decode_params_init (&f->params);
  memset (f->canvas, 110, sizeof f->canvas);
}

static void
tear_down (Fixture * f, gconstpointer data)
{
  gdino_detector_free (f->detector);
  gdino_engine_unref (f->engine);
  gdino_fake_package_remove (f->path);
  g_free (f->path);
}

/* One frame with prompt number @n, below 26^3; its tokens are its own. */
static void
use_prompt (Fixture * f, GdinoDetector * detector, guint n)
{
  g_autofree char *text = g_strdup_printf ("red %c%c%c. blue.",
      'a' + n / 676 % 26, 'a' + n / 26 % 26, 'a' + n % 26);
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPrompt) prompt =
      gdino_detector_make_prompt (detector, text, &error);
  g_autoptr (GdinoDetections) found = NULL;

  g_assert_no_error (error);
  found = gdino_detector_detect (detector, f->canvas, ROW, &f->letterbox,
      prompt, &f->params, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (found);
}

/* A thousand new prompts: a run of the text graph each, and nothing else. */
static void
test_new_prompts (Fixture * f, gconstpointer data)
{
  const gint32 created = gdino_fake_get (created_containers);
  const gint32 tensors = gdino_fake_get (live_tensors);
  const guint warm = 200;
  gsize before;

  /* Until the cache of prompts is full memory grows. */
  for (guint i = 0; i < warm; i++)
    use_prompt (f, f->detector, i);
  before = bytes_in_use ();
  for (guint i = warm; i < warm + CHANGES; i++)
    use_prompt (f, f->detector, i);
  g_test_message ("%" G_GSIZE_FORMAT " bytes in use before, %" G_GSIZE_FORMAT
      " after", before, bytes_in_use ());
  /* Nothing is that small: an allocation kept at each change would show. */
  if (can_count ())
    g_assert_cmpuint (bytes_in_use (), <, before + 8 * CHANGES);
  g_assert_cmpuint (gdino_engine_get_text_runs (f->engine), ==, warm + CHANGES);
  g_assert_cmpint (gdino_fake_get (created_containers), ==, created);
  g_assert_cmpint (gdino_fake_get (live_tensors), ==, tensors);
}

/* A thousand changes among prompts that were used lately: no run at all. */
static void
test_known_prompts (Fixture * f, gconstpointer data)
{
  const gint32 created = gdino_fake_get (created_containers);
  const gint32 runs = gdino_fake_get (text_runs);
  gsize before;

  for (guint i = 0; i < 2 * KEPT; i++)
    use_prompt (f, f->detector, i % KEPT);
  before = bytes_in_use ();
  for (guint i = 0; i < CHANGES; i++)
    use_prompt (f, f->detector, i % KEPT);
  if (can_count ())
    g_assert_cmpuint (bytes_in_use (), <, before + 8 * CHANGES);
  g_assert_cmpint (gdino_fake_get (text_runs) - runs, ==, KEPT);
  g_assert_cmpint (gdino_fake_get (created_containers), ==, created);
}

/* How many mappings of code the process has of a file. */
static guint
count_code (const char *folder, const char *file)
{
  g_autofree char *maps = NULL;
  g_autofree char *ending = g_strdup_printf (" %s/%s", folder, file);
  g_auto (GStrv) lines = NULL;
  guint n = 0;

  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  lines = g_strsplit (maps, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    n += g_str_has_suffix (lines[i], ending)
        && strstr (lines[i], " r-xp ") != NULL ? 1 : 0;
  return n;
}

/* Several users of a package: one set of graphs, of code and of weights, and
 * prompts that one of them has used are known to all. */
static void
test_shared (Fixture * f, gconstpointer data)
{
  const gint32 created = gdino_fake_get (created_containers);
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPackage) again = gdino_package_open (f->path, &error);
  g_autoptr (GdinoEngine) engine = gdino_engine_get (again, "cpu", &error);
  g_autoptr (GdinoDetector) other = gdino_detector_new (engine);

  g_assert_no_error (error);
  g_assert_true (engine == f->engine);
  g_assert_cmpint (gdino_fake_get (created_containers), ==, created);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 2);
  use_prompt (f, f->detector, 1);
  use_prompt (f, other, 1);
  g_assert_cmpuint (gdino_engine_get_text_runs (engine), ==, 1);
  g_assert_cmpuint (count_code (f->path, "frame.so"), ==, 1);
  g_assert_cmpuint (count_code (f->path, "text.so"), ==, 1);
}

int
main (int argc, char **argv)
{
#define ADD(path, batch, function) \
  g_test_add ("/prompt-changes/" path, Fixture, GSIZE_TO_POINTER (batch), \
      set_up, function, tear_down)
  g_test_init (&argc, &argv, NULL);
  gdino_fake_use_torch ();
  ADD ("new-prompts", 1, test_new_prompts);
  ADD ("new-prompts-of-batches", 3, test_new_prompts);
  ADD ("known-prompts", 1, test_known_prompts);
  ADD ("known-prompts-of-batches", 3, test_known_prompts);
  ADD ("shared", 1, test_shared);
  return g_test_run ();
}
