/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Greedy non-maximum suppression with a fixed order. Plain C11. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "boxes.h"

/* A box that passed the thresholds. No field is NaN. */
typedef struct
{
  GdinoBox box;                 /* clipped, frame pixels, not rounded */
  float score;
  unsigned query;               /* counted on from pass to pass */
  unsigned phrase;
  unsigned group;               /* of the phrase */
  unsigned first_class;         /* in a list of the decoder's, which it counts */
  unsigned n_classes;           /* 0 while they are not known */
} GdinoCandidate;

/* Sorts by score, best first; equal scores by query, lowest first. Queries
 * must differ, so the order is the same everywhere. */
void gdino_candidates_sort (GdinoCandidate * candidates, size_t n);

/* Keeps each of the sorted @candidates that no better kept one overlaps by more
 * than @iou_threshold; with @per_group only boxes of one group compete.
 * Moves the kept ones to the front, in order. Returns their number. */
size_t gdino_nms (GdinoCandidate * candidates, size_t n, float iou_threshold,
    bool per_group);
