/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* run-package PACKAGE PROMPT CANVAS OUTPUT [ROUNDS]: runs both graphs of a
 * package on the RGB bytes in the file CANVAS and writes logits, then boxes, as
 * floats into OUTPUT. Each round loads the engine anew and must give the same.
 * Prints libtorch's file and the resident memory in KiB after the rounds. */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine-private.h"

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

/* Fills @result with logits, then boxes. */
static void
run_round (GdinoPackage * package, GdinoPrompt * prompt, const guint8 * canvas,
    float *result)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoEngine) engine = gdino_engine_get (package, "auto", &error);
  g_autoptr (GdinoTextFeatures) text = NULL;
  const gsize n_logits = (gsize) gdino_package_get_queries (package)
      * gdino_package_get_text_tokens (package);

  if (engine != NULL)
    text = gdino_engine_get_text (engine, prompt, NULL, &error);
  if (text == NULL || !gdino_engine_run_frame (engine, canvas, text, prompt,
          result, result + n_logits, &error))
    fail (error);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPackage) package = NULL;
  g_autoptr (GdinoPrompt) prompt = NULL;
  g_autofree char *canvas = NULL;
  g_autofree float *result = NULL;
  g_autofree float *again = NULL;
  guint width, height, rounds;
  gsize size = 0, n_bytes;
  Dl_info info;

  if (argc < 5) {
    fprintf (stderr, "usage: run-package PACKAGE PROMPT CANVAS OUTPUT "
        "[ROUNDS]\n");
    return 2;
  }
  package = gdino_package_open (argv[1], &error);
  if (package == NULL)
    fail (error);
  prompt = gdino_prompt_new (gdino_package_get_tokenizer (package), argv[2],
      gdino_package_get_text_tokens (package), &error);
  if (prompt == NULL || !g_file_get_contents (argv[3], &canvas, &size, &error))
    fail (error);
  gdino_package_get_canvas (package, &width, &height);
  if (size != (gsize) width * height * 3) {
    fprintf (stderr, "run-package: %s: found %" G_GSIZE_FORMAT
        " bytes, wanted %u\n", argv[3], size, width * height * 3);
    return 1;
  }
  n_bytes = (gsize) gdino_package_get_queries (package)
      * (gdino_package_get_text_tokens (package) + 4) * sizeof (float);
  result = g_malloc0 (n_bytes);
  again = g_malloc0 (n_bytes);
  rounds = argc > 5 ? (guint) g_ascii_strtoull (argv[5], NULL, 10) : 1;
  run_round (package, prompt, (guint8 *) canvas, result);
  for (guint i = 1; i < rounds; i++) {
    run_round (package, prompt, (guint8 *) canvas, again);
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
  return 0;
}
