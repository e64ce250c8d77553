/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* How long the decoding of 900 queries with 256 tokens takes: few and many
 * phrases, few and many boxes above the threshold. Numbers for people and for
 * tools/bench; no test. */

#include <gdino/gdino.h>

#include "bench-common.h"
#include "decode.h"
#include "make-package.h"

#define QUERIES 900
#define TOKENS 256
#define LIMIT_MS 0.3

typedef struct
{
  const char *name;
  guint phrases;
  guint boxes;                  /* above the threshold */
} Case;

static const Case cases[] = {
  {"10 phrases, 8 boxes", 10, 8},
  {"10 phrases, 300 boxes", 10, 300},
  {"80 phrases, 8 boxes", 80, 8},
  {"80 phrases, 300 boxes", 80, 300},
};

/* Two word pieces and a period each. */
static GdinoPrompt *
make_prompt (GdinoPackage * package, guint n)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  GdinoPrompt *prompt;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%c%c. ", 'a' + i / 26, 'a' + i % 26);
  prompt = gdino_prompt_new (gdino_package_get_tokenizer (package), text->str,
      TOKENS, &error);
  if (prompt == NULL)
    g_error ("%s", error->message);
  if (gdino_prompt_get_n_phrases (prompt) != n)
    g_error ("found %u phrases, wanted %u",
        gdino_prompt_get_n_phrases (prompt), n);
  return prompt;
}

/* Logits as networks give them: most far below the threshold, -inf behind the
 * prompt; boxes of all sizes, over the whole canvas. */
static void
make_outputs (GdinoPrompt * prompt, guint n_boxes, GRand * random,
    float *logits, float *boxes)
{
  const guint n = gdino_prompt_get_n_phrases (prompt);
  const guint end = gdino_prompt_get_phrase (prompt, n - 1)->token_end;

  for (guint q = 0; q < QUERIES; q++) {
    float *row = logits + (gsize) q * TOKENS;
    const GdinoPhrase *phrase =
        gdino_prompt_get_phrase (prompt, (guint) g_rand_int_range (random, 0,
            (gint32) n));

    for (guint t = 0; t < TOKENS; t++)
      row[t] = t <= end ? (float) g_rand_double_range (random, -7, -3)
          : -G_MAXFLOAT * 2;
    if ((guint64) q * n_boxes / QUERIES
        != (guint64) (q + 1) * n_boxes / QUERIES)
      row[phrase->token_start] = (float) g_rand_double_range (random, 0, 2);
    boxes[q * 4 + 0] = (float) g_rand_double (random);
    boxes[q * 4 + 1] = (float) g_rand_double (random);
    boxes[q * 4 + 2] = (float) g_rand_double_range (random, 0.02, 0.4);
    boxes[q * 4 + 3] = (float) g_rand_double_range (random, 0.02, 0.4);
  }
}

/* Milliseconds of one call, the release of its result included. */
static double
decode_once (GdinoPrompt * prompt, const float *logits, const float *boxes)
{
  GdinoDecodeParams params;
  GdinoLetterbox letterbox;
  GdinoDetections *found;
  gint64 begin;

  gdino_decode_params_init (&params);
  if (!gdino_letterbox_init (&letterbox, 1920, 1080, 1, 1, 960, 544, NULL))
    g_assert_not_reached ();
  begin = g_get_monotonic_time ();
  found = gdino_decode (logits, boxes, QUERIES, prompt, &letterbox, &params);
  if (gdino_detections_get_n (found) == 0)
    g_error ("found no boxes, wanted some");
  gdino_detections_unref (found);
  return (double) (g_get_monotonic_time () - begin) / 1000;
}

int
main (int argc, char **argv)
{
  const GdinoFakeOptions options = {
    .queries = QUERIES,.text_tokens = TOKENS
  };
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPackage) package = NULL;
  g_autoptr (GString) json = g_string_new (NULL);
  g_autofree float *logits = g_new (float, QUERIES * TOKENS);
  g_autofree float *boxes = g_new (float, QUERIES * 4);
  GRand *random = g_rand_new_with_seed (1);
  double ms[1000];
  double slowest = 0;
  BenchArgs args;
  guint rounds;

  bench_args_read (&args, argc, argv);
  g_setenv ("GDINO_FAKES_DIR", FAKES_DIR, FALSE);
  path = gdino_fake_package_new (NULL, &options);
  package = gdino_package_open (path, &error);
  if (package == NULL)
    g_error ("%s", error->message);
  rounds = args.quick ? 10 : G_N_ELEMENTS (ms);
  g_print ("decoding %d x %d    median     p10     p90  ms\n", QUERIES, TOKENS);
  for (guint c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_autoptr (GdinoPrompt) prompt = make_prompt (package, cases[c].phrases);
    BenchTimes times;

    make_outputs (prompt, cases[c].boxes, random, logits, boxes);
    for (guint i = 0; i < rounds; i++)
      ms[i] = decode_once (prompt, logits, boxes);
    times = bench_times (ms, rounds);
    g_print ("%-22s %7.3f %7.3f %7.3f\n", cases[c].name, times.median,
        times.p10, times.p90);
    bench_json_add (json, cases[c].name, times);
    slowest = MAX (slowest, times.median);
  }
  bench_target ("decoding of 900 x 256 logits, slowest case, ms", slowest,
      LIMIT_MS);
  bench_json_write (&args, json);
  g_rand_free (random);
  gdino_fake_package_remove (path);
  return 0;
}
