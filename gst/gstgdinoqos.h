/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Which frames come too late to be worth a run of the model. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstGdinoQos:
 * @earliest: running time before which a frame would be shown too late;
 *   %GST_CLOCK_TIME_NONE while nobody has said
 * @proportion: how much too slow downstream finds us, 1 for just right
 *
 * Plain data; the owner locks.
 */

typedef struct
{
  GstClockTime earliest;
  gdouble proportion;
} GstGdinoQos;

/** gst_gdino_qos_init: nothing is known, nothing is late; also after a flush and for a new segment */
void gst_gdino_qos_init (GstGdinoQos * self);

/** gst_gdino_qos_update: @event: a QOS event from downstream */
void gst_gdino_qos_update (GstGdinoQos * self, GstEvent * event);

/**
 * gst_gdino_qos_is_late:
 * @running_time: of a frame; without one it is never late
 * @jitter: (out): how late, in nanoseconds; 0 or less when it is not
 */
gboolean gst_gdino_qos_is_late (const GstGdinoQos * self,
    GstClockTime running_time, gint64 * jitter);

G_END_DECLS
