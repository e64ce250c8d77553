/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "aoti/heap.h"

#include "memory-use.h"

#define BLOCK (4 * 1024 * 1024)
#define N 12

/* Bytes that were freed and that the process still has. */
static gsize
kept (void)
{
#if defined(__GLIBC__) && \
    (__GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 33))
  const struct mallinfo2 info = mallinfo2 ();

  return info.fordblks;
#else
  return 0;
#endif
}

static void
use_and_free (void)
{
  char *blocks[N];

  for (guint i = 0; i < N; i++)
    blocks[i] = g_malloc0 (BLOCK);
  for (guint i = 0; i < N; i++)
    g_free (blocks[i]);
}

static void
test_kept_and_released (void)
{
  if (!can_count ()) {
    g_test_skip ("this malloc() tells nothing of what it keeps");
    return;
  }
  use_and_free ();
  g_assert_cmpuint (kept (), <, N * BLOCK);
  gdino_heap_keep ();
  use_and_free ();
  g_assert_cmpuint (kept (), >=, N * BLOCK);
  gdino_heap_release ();
  use_and_free ();
  g_assert_cmpuint (kept (), >=, N * BLOCK);
}

/* The user's word counts. */
static void
test_settings_of_the_user (void)
{
  if (!g_test_subprocess ()) {
    g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    g_test_trap_assert_passed ();
    return;
  }
  g_setenv ("GLIBC_TUNABLES", "glibc.malloc.arena_max=4", TRUE);
  gdino_heap_keep ();
  if (can_count ()) {
    use_and_free ();
    g_assert_cmpuint (kept (), <, N * BLOCK);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/heap/settings-of-the-user", test_settings_of_the_user);
  g_test_add_func ("/heap/kept-and-released", test_kept_and_released);
  return g_test_run ();
}
