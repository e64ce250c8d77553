/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "heap.h"

#include <malloc.h>

/* The largest that glibc takes: what is larger has pages of its own. */
#define MMAP_THRESHOLD (32 * 1024 * 1024)
#define KEPT (256 * 1024 * 1024)

void
gdino_heap_keep (void)
{
#ifdef __GLIBC__
  static const char *const settings[] = { "MALLOC_TRIM_THRESHOLD_",
    "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"
  };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    if (g_getenv (settings[i]) != NULL)
      return;
  mallopt (M_MMAP_THRESHOLD, MMAP_THRESHOLD);
  mallopt (M_TRIM_THRESHOLD, KEPT);
#endif
}

void
gdino_heap_release (void)
{
#ifdef __GLIBC__
  malloc_trim (0);
#endif
}
