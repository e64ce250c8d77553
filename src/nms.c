/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Order and suppression of candidates. No allocation, no GLib. */

#include "nms.h"

#include <stdlib.h>

static int
compare (const void *a, const void *b)
{
  const GdinoCandidate *one = a;
  const GdinoCandidate *two = b;

  if (one->score != two->score)
    return one->score > two->score ? -1 : 1;
  return (one->query > two->query) - (one->query < two->query);
}

void
gdino_candidates_sort (GdinoCandidate * candidates, size_t n)
{
  if (n > 1)
    qsort (candidates, n, sizeof *candidates, compare);
}

/* Boxes without a common area have an IoU of 0, which suppresses nothing; most
 * pairs are such. */
static bool
are_apart (const GdinoBox * a, const GdinoBox * b)
{
  return a->x0 >= b->x1 || b->x0 >= a->x1 || a->y0 >= b->y1 || b->y0 >= a->y1;
}

size_t
gdino_nms (GdinoCandidate * candidates, size_t n, float iou_threshold,
    bool per_group)
{
  size_t kept = 0;

  for (size_t i = 0; i < n; i++) {
    const GdinoCandidate candidate = candidates[i];
    bool suppressed = false;

    for (size_t k = 0; k < kept && !suppressed; k++) {
      if ((per_group && candidates[k].group != candidate.group)
          || (!(iou_threshold < 0)
              && are_apart (&candidates[k].box, &candidate.box)))
        continue;
      suppressed =
          gdino_box_iou (candidates[k].box, candidate.box) > iou_threshold;
    }
    if (!suppressed)
      candidates[kept++] = candidate;
  }

  return kept;
}
