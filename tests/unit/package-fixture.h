/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* A fake package of its own for each test. */
#pragma once

#include <glib.h>

#include "make-package.h"

typedef struct
{
  char *path;
} Fixture;

static inline void
set_up (Fixture * f, gconstpointer data)
{
  f->path = gdino_fake_package_new (NULL, NULL);
}

static inline void
tear_down (Fixture * f, gconstpointer data)
{
  gdino_fake_package_remove (f->path);
  g_free (f->path);
}

static inline char *
inside (Fixture * f, const char *name)
{
  return g_build_filename (f->path, name, NULL);
}
