/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Any bytes as a probe.json: refused with a message, or a probe within its
 * limits that can judge any numbers; the bytes themselves are taken as such. */

#include <gdino/error.h>
#include <stdint.h>
#include <string.h>

#include "probe-private.h"

#define T 32
#define Q 5

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static const char vocabulary[] =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n.\n?\nred\nthing\na\nblue\nbox\ncat\n";

static void
check_probe (GdinoProbe * probe)
{
  const guint n = gdino_probe_get_n_detections (probe);
  double score, box, share;

  g_assert_cmpuint (n, >=, 1);
  g_assert_cmpuint (n, <=, GDINO_PROBE_MAX_DETECTIONS);
  gdino_probe_get_tolerance (probe, &score, &box, &share);
  g_assert_true (score > 0 && score <= 1 && box > 0 && box <= 1);
  g_assert_true (share > 0 && share <= 1);
  g_assert_cmpuint (gdino_prompt_get_n_phrases (probe->prompt), >=, 1);
  g_assert_null (gdino_prompt_get_dropped (probe->prompt)[0]);
  for (guint i = 0; i < n; i++) {
    const GdinoProbeDetection *detection = gdino_probe_get_detection (probe, i);
    const GdinoPhrase *phrase =
        gdino_prompt_get_phrase (probe->prompt, probe->phrases[i]);

    g_assert_cmpstr (detection->phrase, ==, phrase->text);
    g_assert_true (detection->score >= 0 && detection->score <= 1);
  }
}

static void
check_judgement (const GdinoProbe * probe, const uint8_t * data, size_t size)
{
  GdinoProbeReport report = {.missing = -1,.highest_allowed = 1 };
  float numbers[Q * (T + 4)] = { 0 };

  memcpy (numbers, data, MIN (size, sizeof numbers));
  gdino_probe_judge (probe, numbers, numbers + Q * T, Q, &report);
  g_assert_cmpuint (report.n_pictures, ==, 1);
  g_assert_cmpuint (report.n_found, <=, probe->n_detections);
  g_assert_cmpint (report.missing < 0, ==,
      report.n_found == probe->n_detections);
  g_assert_cmpint (report.missing, <, (gint) probe->n_detections);
  g_assert_true (report.score_difference <= probe->score);
  g_assert_true (report.box_difference <= probe->box);
  g_assert_true (report.highest_score >= 0 && report.highest_score <= 1);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  static GdinoTokenizer *tokenizer;
  g_autoptr (GdinoProbe) probe = NULL;
  g_autoptr (GError) error = NULL;

  if (tokenizer == NULL)
    tokenizer =
        gdino_tokenizer_new_from_data (vocabulary, strlen (vocabulary), NULL);
  probe = gdino_probe_parse ((const char *) data, size, tokenizer, T, &error);
  if (probe != NULL) {
    g_assert_no_error (error);
    check_probe (probe);
    check_judgement (probe, data, size);
  } else {
    g_assert_true (error->domain == GDINO_ERROR);
    g_assert_true (error->code == GDINO_ERROR_CORRUPT
        || error->code == GDINO_ERROR_INCOMPATIBLE);
    g_assert_cmpuint (strlen (error->message), >, 0);
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
  }
  return 0;
}
