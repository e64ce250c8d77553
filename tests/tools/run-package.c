/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* run-package PACKAGE PROMPTS CANVASES OUTPUT [ROUNDS]: runs both graphs of a
 * package on the RGB bytes in the file CANVASES, 1 to B canvases one behind the
 * other, and writes the logits of all, then the boxes of all, as floats into
 * OUTPUT. PROMPTS has one prompt a line; the last counts for all canvases that
 * follow. Each round loads the engine anew and must give the same. Prints
 * libtorch's file and the resident memory in KiB after the rounds. */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "engine-private.h"
#include "package-private.h"

static void
fail (GError * error)
{
  fprintf (stderr, "run-package: %s\n", error->message);
  exit (1);
}

static gsize
resident_kib (void)
{
  g_autofree char *status = NULL;
  const char *line;

  g_file_get_contents ("/proc/self/status", &status, NULL, NULL);
  line = status ? strstr (status, "VmRSS:") : NULL;
  return line ? (gsize) g_ascii_strtoull (line + strlen ("VmRSS:"), NULL, 10)
      : 0;
}

typedef struct
{
  GdinoPackage *package;
  GPtrArray *prompts;           /* one for each canvas */
  const guint8 *canvases;
  gsize canvas_size;
  gsize n_logits, n_boxes;      /* of one canvas */
} Job;

/* Fills @result with logits, then boxes. */
static void
run_round (const Job * job, float *result)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoEngine) engine =
      gdino_engine_get (job->package, "auto", &error);
  g_autoptr (GdinoBatch) batch = gdino_batch_new (gdino_package_get_frame_graph
      (job->package));
  const guint n = job->prompts->len;
  const guint n_slots = gdino_package_get_batch (job->package);
  g_autofree GdinoEngineFrame *frames = g_new0 (GdinoEngineFrame, n);
  g_autofree float *logits = g_new (float, n_slots * job->n_logits);
  g_autofree float *boxes = g_new (float, n_slots * job->n_boxes);
  guint width, height;

  if (engine == NULL)
    fail (error);
  gdino_package_get_canvas (job->package, &width, &height);
  for (guint i = 0; i < n; i++) {
    frames[i].canvas = job->canvases + i * job->canvas_size;
    frames[i].stride = (gsize) width *3;
    frames[i].prompt = g_ptr_array_index (job->prompts, i);
    frames[i].text = gdino_engine_get_text (engine, frames[i].prompt, NULL,
        &error);
    if (frames[i].text == NULL)
      fail (error);
  }
  if (!gdino_engine_run_frames (engine, batch, frames, n, logits, boxes,
          &error))
    fail (error);
  memcpy (result, logits, n * job->n_logits * sizeof (float));
  memcpy (result + n * job->n_logits, boxes, n * job->n_boxes * sizeof (float));
  for (guint i = 0; i < n; i++)
    gdino_text_features_unref (frames[i].text);
}

static void
make_prompts (Job * job, const char *text, guint n)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  const guint n_lines = g_strv_length (lines);
  g_autoptr (GError) error = NULL;

  job->prompts = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gdino_prompt_unref);
  for (guint i = 0; i < n; i++) {
    GdinoPrompt *prompt =
        gdino_prompt_new (gdino_package_get_tokenizer (job->package),
        lines[MIN (i, n_lines - 1)],
        gdino_package_get_text_tokens (job->package), &error);

    if (prompt == NULL)
      fail (error);
    g_ptr_array_add (job->prompts, prompt);
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *canvases = NULL;
  g_autofree float *result = NULL;
  g_autofree float *again = NULL;
  guint width, height, rounds, n;
  gsize size = 0, n_bytes;
  Job job = { 0 };
  Dl_info info;

  if (argc < 5) {
    fprintf (stderr, "usage: run-package PACKAGE PROMPTS CANVASES OUTPUT "
        "[ROUNDS]\n");
    return 2;
  }
  job.package = gdino_package_open (argv[1], &error);
  if (job.package == NULL
      || !g_file_get_contents (argv[3], &canvases, &size, &error))
    fail (error);
  gdino_package_get_canvas (job.package, &width, &height);
  job.canvas_size = (gsize) width *height * 3;
  n = (guint) (size / job.canvas_size);
  if (n < 1 || n > gdino_package_get_batch (job.package)
      || size != n * job.canvas_size) {
    fprintf (stderr, "run-package: %s: found %" G_GSIZE_FORMAT
        " bytes, wanted 1 to %u times %" G_GSIZE_FORMAT "\n", argv[3], size,
        gdino_package_get_batch (job.package), job.canvas_size);
    return 1;
  }
  job.canvases = (const guint8 *) canvases;
  job.n_logits = (gsize) gdino_package_get_queries (job.package)
      * gdino_package_get_text_tokens (job.package);
  job.n_boxes = (gsize) gdino_package_get_queries (job.package) * 4;
  make_prompts (&job, argv[2], n);
  n_bytes = n * (job.n_logits + job.n_boxes) * sizeof (float);
  result = g_malloc0 (n_bytes);
  again = g_malloc0 (n_bytes);
  rounds = argc > 5 ? (guint) g_ascii_strtoull (argv[5], NULL, 10) : 1;
  run_round (&job, result);
  for (guint i = 1; i < rounds; i++) {
    run_round (&job, again);
    if (memcmp (result, again, n_bytes) != 0) {
      fprintf (stderr, "run-package: round %u differs from the first\n", i + 1);
      return 1;
    }
  }
  if (!g_file_set_contents (argv[4], (char *) result, (gssize) n_bytes, &error))
    fail (error);
  if (dladdr (dlsym (RTLD_DEFAULT, "aoti_torch_get_dim"), &info))
    printf ("%s\n", info.dli_fname);
  printf ("%" G_GSIZE_FORMAT "\n", resident_kib ());
  g_ptr_array_unref (job.prompts);
  gdino_package_unref (job.package);
  return 0;
}
