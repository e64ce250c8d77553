/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Makes a package of the fake graphs and prints its path:
 *   fake-package FOLDER [FRAME-FAULT [TEXT-TOKENS [BATCH [PROBE]]]]
 * Faults are those of tests/fakes/fake-model.c, or "none"; PROBE is a file whose
 * content becomes probe.json. */

#include <stdlib.h>
#include <string.h>

#include "make-package.h"

int
main (int argc, char **argv)
{
  GdinoFakeOptions options = { 0 };
  g_autofree char *path = NULL;
  g_autofree char *probe = NULL;

  if (argc < 2 || argc > 6
      || (argc > 5 && !g_file_get_contents (argv[5], &probe, NULL, NULL))) {
    g_printerr ("fake-package FOLDER [FRAME-FAULT [TEXT-TOKENS [BATCH "
        "[PROBE]]]]\n");
    return 2;
  }
  if (argc > 2 && strcmp (argv[2], "none") != 0)
    options.frame_fault = argv[2];
  if (argc > 3)
    options.text_tokens = (guint) atoi (argv[3]);
  if (argc > 4)
    options.batch = (guint) atoi (argv[4]);
  options.probe = probe;
  path = gdino_fake_package_new (argv[1], &options);
  g_print ("%s\n", path);
  return 0;
}
