/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What was found in all, for people. */
#pragma once

#include <gdino/gdino.h>
#include <stdio.h>

G_BEGIN_DECLS

typedef struct _DetectSummary DetectSummary;

DetectSummary *detect_summary_new (void);

/** detect_summary_add: counts the result of one frame */
void detect_summary_add (DetectSummary * self, GdinoDetections * found);

/** detect_summary_add_time: adds what a run took, however many frames it had */
void detect_summary_add_time (DetectSummary * self,
    const GdinoTimings * timings);

/**
 * detect_summary_print:
 * @box_threshold: named when a phrase was never found
 * @seconds: time that passed, decoding and writing included
 */
void detect_summary_print (DetectSummary * self, FILE * stream,
    double box_threshold, double seconds);

/** detect_summary_free: @self (transfer full) (nullable) */
void detect_summary_free (DetectSummary * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DetectSummary, detect_summary_free)

G_END_DECLS
