/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Counters of one run of the element, and the latency worked out from them.
 * Plain values; the element locks. */
#pragma once

#include <gdino/gdino.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstGdinoStats:
 * @frames: frames that came in
 * @inferred: frames that the model ran on
 * @skipped: frames passed because of inference-interval
 * @idle: frames passed because the prompt was empty
 * @detections: boxes reported
 * @invalid: proposals dropped because of NaN or a degenerate box
 * @best_score: of the last frame the model ran on, reported or not, 0..1
 * @convert_time: of the last such frame, from buffer to canvas
 * @text_time: of the last run of the text graph
 * @graph_time: of the last such frame, in the frame graph
 * @last_time: of the last such frame, all in all
 * @total_time: sum of @last_time
 * @peak: highest @last_time of late
 * @latency: what a live pipeline is told
 */
typedef struct
{
  guint64 frames;
  guint64 inferred;
  guint64 skipped;
  guint64 idle;
  guint64 detections;
  guint64 invalid;
  gdouble best_score;
  GstClockTime convert_time;
  GstClockTime text_time;
  GstClockTime graph_time;
  GstClockTime last_time;
  GstClockTime total_time;
  GstClockTime peak;
  GstClockTime latency;
} GstGdinoStats;

/** gst_gdino_stats_init: @self starts from nothing */
void gst_gdino_stats_init (GstGdinoStats * self);

/**
 * gst_gdino_stats_add:
 * @found: what the model reported
 * @timings: where its time went
 * @convert_time: from buffer to canvas
 * @whole_time: of all work on the frame
 *
 * Returns: %TRUE when @latency changed
 */
gboolean gst_gdino_stats_add (GstGdinoStats * self, GdinoDetections * found,
    const GdinoTimings * timings, GstClockTime convert_time,
    GstClockTime whole_time);

/**
 * gst_gdino_stats_to_structure:
 * @revision: of the prompt in use, 0 for none
 * @text_runs: of the engine, all its users together
 *
 * Returns: (transfer full): value of the property stats
 */
GstStructure *gst_gdino_stats_to_structure (const GstGdinoStats * self,
    guint64 revision, guint64 text_runs);

G_END_DECLS
