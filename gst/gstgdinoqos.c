/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinoqos.h"

void
gst_gdino_qos_init (GstGdinoQos * self)
{
  self->earliest = GST_CLOCK_TIME_NONE;
  self->proportion = 1.0;
}

/* As GstBaseTransform and the decoders do: frames until twice the lateness
 * after the late one are given up, so that there is a chance to catch up. */
void
gst_gdino_qos_update (GstGdinoQos * self, GstEvent * event)
{
  GstClockTimeDiff diff;
  GstClockTime timestamp;

  gst_event_parse_qos (event, NULL, &self->proportion, &diff, &timestamp);
  if (!GST_CLOCK_TIME_IS_VALID (timestamp))
    return;
  if (diff > 0)
    self->earliest = timestamp + 2 * (GstClockTime) diff;
  else if ((GstClockTime) (-diff) > timestamp)
    self->earliest = 0;
  else
    self->earliest = timestamp - (GstClockTime) (-diff);
}

gboolean
gst_gdino_qos_is_late (const GstGdinoQos * self, GstClockTime running_time,
    gint64 * jitter)
{
  *jitter = 0;
  if (!GST_CLOCK_TIME_IS_VALID (self->earliest)
      || !GST_CLOCK_TIME_IS_VALID (running_time))
    return FALSE;
  *jitter = GST_CLOCK_DIFF (running_time, self->earliest);
  return *jitter > 0;
}
