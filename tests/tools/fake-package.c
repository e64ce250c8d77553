/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Makes a package of the fake graphs and prints its path:
 *   fake-package FOLDER [FRAME-FAULT [TEXT-TOKENS]]
 * Faults are those of tests/fakes/fake-model.c, or "none". */

#include <stdlib.h>
#include <string.h>

#include "make-package.h"

int
main (int argc, char **argv)
{
  GdinoFakeOptions options = { 0 };
  g_autofree char *path = NULL;

  if (argc < 2 || argc > 4) {
    g_printerr ("fake-package FOLDER [FRAME-FAULT [TEXT-TOKENS]]\n");
    return 2;
  }
  if (argc > 2 && strcmp (argv[2], "none") != 0)
    options.frame_fault = argv[2];
  if (argc > 3)
    options.text_tokens = (guint) atoi (argv[3]);
  path = gdino_fake_package_new (argv[1], &options);
  g_print ("%s\n", path);
  return 0;
}
