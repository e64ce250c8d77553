/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "bench-common.h"

#include <stdlib.h>
#include <string.h>

void
bench_args_read (BenchArgs * args, int argc, char **argv)
{
  args->quick = FALSE;
  args->json = NULL;
  for (int i = 1; i < argc; i++) {
    if (strcmp (argv[i], "--quick") == 0) {
      args->quick = TRUE;
    } else if (strcmp (argv[i], "--json") == 0 && i + 1 < argc) {
      args->json = argv[++i];
    } else {
      g_printerr ("usage: %s [--quick] [--json FILE]\n", argv[0]);
      exit (2);
    }
  }
}

static int
compare (const void *a, const void *b)
{
  const double *one = a;
  const double *two = b;

  return (*one > *two) - (*one < *two);
}

BenchTimes
bench_times (double *ms, guint n)
{
  BenchTimes times;

  qsort (ms, n, sizeof *ms, compare);
  times.p10 = ms[n / 10];
  times.median = n % 2 ? ms[n / 2] : (ms[n / 2 - 1] + ms[n / 2]) / 2;
  times.p90 = ms[n - 1 - n / 10];
  return times;
}

void
bench_json_add (GString * json, const char *name, BenchTimes times)
{
  g_string_append_printf (json, "%s\n    {\"name\": \"%s\", \"median\": %.4f, "
      "\"p10\": %.4f, \"p90\": %.4f}", json->len > 0 ? "," : "", name,
      times.median, times.p10, times.p90);
}

void
bench_target (const char *text, double found, double limit)
{
  g_print ("{\"text\": \"%s\", \"found\": %.4f, \"limit\": %.4f}\n", text,
      found, limit);
}

void
bench_json_write (const BenchArgs * args, const GString * json)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strdup_printf ("{\n  \"times_ms\": [%s\n  ]\n}\n",
      json->str);

  if (args->json != NULL && !g_file_set_contents (args->json, text, -1, &error)) {
    g_printerr ("%s\n", error->message);
    exit (1);
  }
}
