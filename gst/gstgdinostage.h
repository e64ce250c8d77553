/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* How long one stage of the work takes: mean of all, percentiles of late. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Percentiles are those of so many of the last times. */
#define GST_GDINO_STAGE_WINDOW 256

/**
 * GstGdinoStage:
 * @n: times added
 * @last: the newest, in nanoseconds
 * @total: sum of all
 *
 * Plain data of fixed size; the owner locks.
 */

typedef struct
{
  guint64 n;
  GstClockTime last;
  GstClockTime total;
  GstClockTime recent[GST_GDINO_STAGE_WINDOW];
} GstGdinoStage;

/** gst_gdino_stage_add: @time: nanoseconds of one more run */
void gst_gdino_stage_add (GstGdinoStage * self, GstClockTime time);

/** gst_gdino_stage_get_mean: Returns: nanoseconds, 0 without any */
GstClockTime gst_gdino_stage_get_mean (const GstGdinoStage * self);

/**
 * gst_gdino_stage_describe:
 * @structure: gets the fields NAME-time (the newest), NAME-mean, NAME-p50,
 *   NAME-p90 and NAME-p99, uint64 in nanoseconds: nearest-rank percentiles of the
 *   last %GST_GDINO_STAGE_WINDOW times; all 0 without any
 * @name: NAME
 */
void gst_gdino_stage_describe (const GstGdinoStage * self,
    GstStructure * structure, const gchar * name);

G_END_DECLS
