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
  self->peak = MAX (self->last_time, self->peak - self->peak / PEAK_DECAY);
  if (self->peak <= self->latency && self->peak >= self->latency / 2)
    return FALSE;
  self->latency = self->peak + self->peak / HEADROOM;
  return TRUE;
}

gboolean
gst_gdino_stats_add (GstGdinoStats * self, GdinoDetections * found,
    const GdinoTimings * timings, GstClockTime convert_time,
    GstClockTime whole_time)
{
  const GdinoDecodeStats *decode = gdino_detections_get_stats (found);

  self->inferred++;
  self->detections += gdino_detections_get_n (found);
  self->invalid += decode->n_invalid;
  self->best_score = decode->best_score;
  self->convert_time = convert_time;
  if (timings->text_us > 0)
    self->text_time = (GstClockTime) timings->text_us * GST_USECOND;
  self->graph_time = (GstClockTime) timings->graph_us * GST_USECOND;
  self->last_time = whole_time;
  self->total_time += whole_time;
  return update_latency (self);
}

GstStructure *
gst_gdino_stats_to_structure (const GstGdinoStats * self, guint64 revision,
    guint64 text_runs)
{
  const GstClockTime mean =
      self->inferred == 0 ? 0 : self->total_time / self->inferred;

  return gst_structure_new ("groundingdino-stats",
      "frames", G_TYPE_UINT64, self->frames,
      "inferred", G_TYPE_UINT64, self->inferred,
      "skipped", G_TYPE_UINT64, self->skipped,
      "idle", G_TYPE_UINT64, self->idle,
      "detections", G_TYPE_UINT64, self->detections,
      "invalid", G_TYPE_UINT64, self->invalid,
      "best-score", G_TYPE_DOUBLE, self->best_score,
      "revision", G_TYPE_UINT64, revision,
      "text-runs", G_TYPE_UINT64, text_runs,
      "convert-time", G_TYPE_UINT64, self->convert_time,
      "text-time", G_TYPE_UINT64, self->text_time,
      "graph-time", G_TYPE_UINT64, self->graph_time,
      "last-time", G_TYPE_UINT64, self->last_time,
      "mean-time", G_TYPE_UINT64, mean,
      "latency", G_TYPE_UINT64, self->latency, NULL);
}
