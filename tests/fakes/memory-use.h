/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* How much memory the process holds, for tests that it does not grow. */
#pragma once

#include <glib.h>
#include <malloc.h>

/* Bytes handed out by malloc() and not returned, large blocks included. */
static inline gsize
bytes_in_use (void)
{
#if defined(__GLIBC__) && \
    (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33))
  const struct mallinfo2 info = mallinfo2 ();

  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

static inline gboolean
can_count (void)
{
  const gsize before = bytes_in_use ();
  g_autofree char *block = g_malloc0 (1 << 20);

  /* Sanitizers have an allocator of their own, of which this tells nothing. */
  return block[before % 2] == 0 && bytes_in_use () >= before + (1 << 20);
}
