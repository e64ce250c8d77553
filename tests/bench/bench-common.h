/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Lists of measured milliseconds, and what is said of them. GLib only. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS typedef struct
{
  double p10, median, p90;
} BenchTimes;

/* What a program was asked for on its command line. */
typedef struct
{
  gboolean quick;               /* few rounds: shows that the program works */
  char *json;                   /* (nullable) file for all numbers */
} BenchArgs;

/* Reads "--quick" and "--json FILE"; ends the program on anything else. */
void bench_args_read (BenchArgs * args, int argc, char **argv);

/* Sorts @ms, which has @n >= 1 times in milliseconds. */
BenchTimes bench_times (double *ms, guint n);

/* Appends an object to the list in @json. */
void bench_json_add (GString * json, const char *name, BenchTimes times);

/* Prints a target, and what was found, as the line of JSON that tools/bench
 * takes. */
void bench_target (const char *text, double found, double limit);

/* Writes "{"times_ms": [...]}" of what bench_json_add() collected. */
void bench_json_write (const BenchArgs * args, const GString * json);

G_END_DECLS
