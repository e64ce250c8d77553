/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Reading of /proc/cpuinfo, and the refusal of foreign machines. */

#include "cpu.h"

#include <gdino/error.h>
#include <string.h>
#include <sys/utsname.h>

static const char x86[] =
    "processor\t: 0\n"
    "model name\t: Some: CPU\n"
    "flags\t\t: fpu sse sse2 avx avx2 fma\n"
    "vmx flags\t: ept avx512f\n"
    "\nprocessor\t: 1\n" "flags\t\t: fpu sse sse2 avx avx2 fma avx512f\n";

static const char arm[] =
    "processor\t: 0\n"
    "Features\t: fp asimd aes sve\n"
    "processor\t: 1\n" "Features\t: fp asimd aes\n";

static void
check_missing (const char *text, const char *wanted, const char *expected)
{
  g_auto (GStrv) list = g_strsplit (wanted, " ", -1);
  g_auto (GStrv) missing = NULL;
  g_autofree char *found = NULL;

  missing = gdino_cpu_missing (text, (const char *const *) list);
  found = g_strjoinv (" ", missing);
  g_assert_cmpstr (found, ==, expected);
}

static void
test_x86 (void)
{
  check_missing (x86, "sse2 avx2 fma", "");
  check_missing (x86, "avx2 amx_tile fma avx9", "amx_tile avx9");
  /* Part of another name is not the feature. */
  check_missing (x86, "av fm", "av fm");
}

/* One processor has it, the other does not: code may run on either. */
static void
test_uneven (void)
{
  check_missing (x86, "avx512f", "avx512f");
  check_missing (arm, "asimd sve", "sve");
}

static void
test_nothing_known (void)
{
  check_missing ("", "sse2", "sse2");
  check_missing ("flags", "sse2", "sse2");
  check_missing ("flags:", "sse2", "sse2");
  check_missing ("bugs : sse2\n", "sse2", "sse2");
  check_missing ("", "", "");
}

static void
test_this_machine (void)
{
  static const char *const none[] = { NULL };
  static const char *const impossible[] = { "no_such_feature", NULL };
  g_autoptr (GError) error = NULL;
  struct utsname machine;

  g_assert_cmpint (uname (&machine), ==, 0);
  g_assert_true (gdino_cpu_check (machine.machine, none, &error));
  g_assert_no_error (error);
  g_assert_false (gdino_cpu_check (machine.machine, impossible, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE);
  g_assert_nonnull (strstr (error->message, "no_such_feature"));
}

static void
test_other_architecture (void)
{
  static const char *const none[] = { NULL };
  g_autoptr (GError) error = NULL;

  g_assert_false (gdino_cpu_check ("pdp11", none, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE);
  g_assert_nonnull (strstr (error->message, "pdp11"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/x86", test_x86);
  g_test_add_func ("/cpu/uneven", test_uneven);
  g_test_add_func ("/cpu/nothing-known", test_nothing_known);
  g_test_add_func ("/cpu/this-machine", test_this_machine);
  g_test_add_func ("/cpu/other-architecture", test_other_architecture);
  return g_test_run ();
}
