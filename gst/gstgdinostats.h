/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Counters of one run of the element, and the latency worked out from them.
 * Plain values; the element locks. */
#pragma once

#include <gdino/gdino.h>
#include <gst/gst.h>

#include "gstgdinorun.h"
#include "gstgdinostage.h"

G_BEGIN_DECLS

/**
 * GstGdinoStats:
 * @frames: frames that came in
 * @inferred: frames that the model ran on
 * @skipped: frames passed because of inference-interval
 * @late: frames passed because downstream finds us late
 * @busy: frames passed because the model was at work on another
 * @idle: frames passed because the prompt was empty
 * @held: frames that left with the boxes of an earlier buffer
 * @detections: boxes found
 * @invalid: proposals dropped because of NaN or a degenerate box
 * @best_score: of the last frame the model ran on, reported or not, 0..1
 * @convert: from buffer to canvas
 * @text: runs of the text graph for this element
 * @graph: runs of the frame graph
 * @decode: from logits to boxes
 * @whole: frames the model ran on, all in all
 * @peak: highest time of a frame of late
 * @latency: what a live pipeline is told
 */

typedef struct
{
  guint64 frames;
  guint64 inferred;
  guint64 skipped;
  guint64 late;
  guint64 busy;
  guint64 idle;
  guint64 held;
  guint64 detections;
  guint64 invalid;
  gdouble best_score;
  GstGdinoStage convert;
  GstGdinoStage text;
  GstGdinoStage graph;
  GstGdinoStage decode;
  GstGdinoStage whole;
  GstClockTime peak;
  GstClockTime latency;
} GstGdinoStats;

/** gst_gdino_stats_init: @self starts from nothing */
void gst_gdino_stats_init (GstGdinoStats * self);

/**
 * gst_gdino_stats_add:
 * @found: what the model reported
 * @times: where its time went
 *
 * Returns: %TRUE when @latency changed
 */
gboolean gst_gdino_stats_add (GstGdinoStats * self, GdinoDetections * found,
    const GstGdinoTimes * times);

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
