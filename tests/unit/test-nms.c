/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Suppression: literal cases, and the properties that define it. */

#include <glib.h>
#include <string.h>

#include "nms.h"

static GdinoCandidate
make (unsigned query, unsigned phrase, double score, double x, double y,
    double size)
{
  GdinoCandidate candidate = {
    .box = {(float) x, (float) y, (float) (x + size), (float) (y + size)},
    .score = (float) score,
    .query = query,
    .phrase = phrase,
    .group = phrase,
  };

  return candidate;
}

/* @wanted: the kept queries, in order. */
static void
assert_kept (const GdinoCandidate * input, size_t n, double iou,
    bool per_phrase, const char *wanted)
{
  g_autofree GdinoCandidate *work = g_memdup2 (input, n * sizeof *input);
  g_autoptr (GString) got = g_string_new ("");
  size_t kept;

  gdino_candidates_sort (work, n);
  kept = gdino_nms (work, n, (float) iou, per_phrase);
  for (size_t i = 0; i < kept; i++)
    g_string_append_printf (got, "%s%u", i > 0 ? " " : "", work[i].query);
  g_assert_cmpstr (got->str, ==, wanted);
}

/* Report OO-05: one car, found as car .60 and as truck .45. */
static void
test_two_names (void)
{
  const GdinoCandidate boxes[] = {
    make (0, 1, 0.45, 10, 10, 50),
    make (1, 0, 0.60, 10, 10, 50),
  };

  assert_kept (boxes, 2, 0.7, true, "1 0");
  assert_kept (boxes, 2, 0.7, false, "1");
}

static void
test_ties (void)
{
  const GdinoCandidate boxes[] = {
    make (7, 0, 0.5, 0, 0, 10),
    make (3, 0, 0.5, 0, 0, 10),
    make (5, 0, 0.5, 100, 0, 10),
    make (4, 0, 0.5, 0, 0, 10),
  };

  assert_kept (boxes, 4, 0.7, true, "3 5");
  assert_kept (boxes, 4, 1.0, true, "3 4 5 7");
}

/* Strictly above: an overlap of exactly the threshold stays. */
static void
test_threshold (void)
{
  const GdinoCandidate boxes[] = {
    make (0, 0, 0.9, 0, 0, 30),
    make (1, 0, 0.8, 10, 0, 30),        /* 600 of 1200 pixels */
    make (2, 0, 0.7, 30, 0, 30),        /* 300 of 1500 with query 1 */
  };

  assert_kept (boxes, 3, 0.5, true, "0 1 2");
  assert_kept (boxes, 3, 0.499, true, "0 2");
  assert_kept (boxes, 3, 0.15, true, "0 2");
  assert_kept (boxes, 3, 0, true, "0 2");
  assert_kept (boxes, 3, 1, false, "0 1 2");
}

/* What a suppressed box overlaps is not suppressed by it. */
static void
test_chain (void)
{
  const GdinoCandidate boxes[] = {
    make (0, 0, 0.9, 0, 0, 30),
    make (1, 0, 0.8, 15, 0, 30),
    make (2, 0, 0.7, 30, 0, 30),
    make (3, 0, 0.6, 45, 0, 30),
  };

  assert_kept (boxes, 4, 0.3, true, "0 2");
}

static void
test_no_area (void)
{
  const GdinoCandidate boxes[] = {
    make (0, 0, 0.9, 5, 5, 0),
    make (1, 0, 0.8, 5, 5, 0),
    make (2, 0, 0.7, 0, 0, 10),
  };

  assert_kept (boxes, 3, 0, false, "0 1 2");
}

static void
test_empty (void)
{
  gdino_candidates_sort (NULL, 0);
  g_assert_cmpuint (gdino_nms (NULL, 0, 0.5f, false), ==, 0);
}

static gboolean
compete (const GdinoCandidate * one, const GdinoCandidate * two, float iou,
    gboolean per_phrase)
{
  return (!per_phrase || one->phrase == two->phrase)
      && gdino_box_iou (one->box, two->box) > iou;
}

/* Greedy suppression is the only choice for which both hold: no two kept boxes
 * compete; each dropped box competes with a kept one before it. */
static void
test_definition (void)
{
  for (guint round = 0; round < 300; round++) {
    guint n = (guint) g_test_rand_int_range (0, 60);
    gboolean per_phrase = g_test_rand_bit ();
    float iou = (float) g_test_rand_double_range (0, 1);
    g_autofree GdinoCandidate *all = g_new (GdinoCandidate, n);
    g_autofree GdinoCandidate *work = NULL;
    size_t kept, next = 0;

    for (guint i = 0; i < n; i++)
      all[i] = make (i, (unsigned) g_test_rand_int_range (0, 3),
          g_test_rand_int_range (0, 8) / 8.0, g_test_rand_int_range (0, 40),
          g_test_rand_int_range (0, 40), g_test_rand_int_range (0, 30));
    gdino_candidates_sort (all, n);
    for (guint i = 1; i < n; i++)
      g_assert_true (all[i - 1].score > all[i].score
          || (all[i - 1].score == all[i].score
              && all[i - 1].query < all[i].query));

    work = g_memdup2 (all, n * sizeof *all);
    kept = gdino_nms (work, n, iou, per_phrase);
    g_assert_cmpuint (kept, <=, n);
    for (guint i = 0; i < n; i++) {
      gboolean is_kept = next < kept && work[next].query == all[i].query;
      gboolean beaten = FALSE;

      for (size_t k = 0; k < next; k++)
        beaten |= compete (&work[k], &all[i], iou, per_phrase);
      g_assert_true (is_kept != beaten);
      next += is_kept;
    }
    g_assert_cmpuint (next, ==, kept);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nms/two-names", test_two_names);
  g_test_add_func ("/nms/ties", test_ties);
  g_test_add_func ("/nms/threshold", test_threshold);
  g_test_add_func ("/nms/chain", test_chain);
  g_test_add_func ("/nms/no-area", test_no_area);
  g_test_add_func ("/nms/empty", test_empty);
  g_test_add_func ("/nms/definition", test_definition);
  return g_test_run ();
}
