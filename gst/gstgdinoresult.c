/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinoresult.h"

GstGdinoStamp
gst_gdino_stamp_of (GstBuffer * buffer)
{
  const GstGdinoStamp stamp = {
    GST_BUFFER_PTS (buffer), g_get_monotonic_time ()
  };

  return stamp;
}

GstGdinoResult *
gst_gdino_result_new (GdinoDetections * found, GstGdinoNames * names,
    const GstGdinoStamp * stamp)
{
  GstGdinoResult *self = g_new0 (GstGdinoResult, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->found = found;
  self->names = gst_gdino_names_ref (names);
  self->stamp = *stamp;
  return self;
}

GstGdinoResult *
gst_gdino_result_ref (GstGdinoResult * self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
gst_gdino_result_unref (GstGdinoResult * self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;
  gdino_detections_unref (self->found);
  gst_gdino_names_unref (self->names);
  g_free (self);
}

GstClockTime
gst_gdino_result_get_age (const GstGdinoResult * self,
    const GstGdinoStamp * now)
{
  const gint64 passed = now->arrival - self->stamp.arrival;

  if (GST_CLOCK_TIME_IS_VALID (now->pts)
      && GST_CLOCK_TIME_IS_VALID (self->stamp.pts)
      && now->pts >= self->stamp.pts)
    return now->pts - self->stamp.pts;
  return (GstClockTime) MAX (passed, 0) * GST_USECOND;
}
