/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinostats.h"

#include <string.h>

/* The peak loses a sixteenth with each frame. The latency told is a quarter
 * above it, and only told anew when the peak outgrows it or falls below half. */
#define PEAK_DECAY 16
#define HEADROOM 4

void
gst_gdino_stats_init (GstGdinoStats * self)
{
  memset (self, 0, sizeof *self);
}

static gboolean
update_latency (GstGdinoStats * self)
{
  self->peak = MAX (self->whole.last, self->peak - self->peak / PEAK_DECAY);
  if (self->peak <= self->latency && self->peak >= self->latency / 2)
    return FALSE;
  self->latency = self->peak + self->peak / HEADROOM;
  return TRUE;
}

gboolean
gst_gdino_stats_add (GstGdinoStats * self, GdinoDetections * found,
    const GstGdinoTimes * times)
{
  const GdinoDecodeStats *decode = gdino_detections_get_stats (found);

  self->inferred++;
  self->detections += gdino_detections_get_n (found);
  self->invalid += decode->n_invalid;
  self->best_score = decode->best_score;
  gst_gdino_stage_add (&self->convert, times->convert);
  if (times->text > 0)
    gst_gdino_stage_add (&self->text, times->text);
  gst_gdino_stage_add (&self->graph, times->graph);
  gst_gdino_stage_add (&self->decode, times->decode);
  gst_gdino_stage_add (&self->whole, times->whole);
  return update_latency (self);
}

GstStructure *
gst_gdino_stats_to_structure (const GstGdinoStats * self, guint64 revision,
    guint64 text_runs)
{
  GstStructure *structure = gst_structure_new ("groundingdino-stats",
      "frames", G_TYPE_UINT64, self->frames,
      "inferred", G_TYPE_UINT64, self->inferred,
      "passed", G_TYPE_UINT64,
      self->skipped + self->late + self->busy + self->idle,
      "skipped", G_TYPE_UINT64, self->skipped,
      "late", G_TYPE_UINT64, self->late,
      "busy", G_TYPE_UINT64, self->busy,
      "idle", G_TYPE_UINT64, self->idle,
      "held", G_TYPE_UINT64, self->held,
      "detections", G_TYPE_UINT64, self->detections,
      "invalid", G_TYPE_UINT64, self->invalid,
      "best-score", G_TYPE_DOUBLE, self->best_score,
      "revision", G_TYPE_UINT64, revision,
      "text-runs", G_TYPE_UINT64, text_runs,
      "last-time", G_TYPE_UINT64, self->whole.last,
      "mean-time", G_TYPE_UINT64, gst_gdino_stage_get_mean (&self->whole),
      "latency", G_TYPE_UINT64, self->latency, NULL);

  gst_gdino_stage_describe (&self->convert, structure, "convert");
  gst_gdino_stage_describe (&self->text, structure, "text");
  gst_gdino_stage_describe (&self->graph, structure, "graph");
  gst_gdino_stage_describe (&self->decode, structure, "decode");
  gst_gdino_stage_describe (&self->whole, structure, "whole");
  return structure;
}
