/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinorun.h"

static GstClockTime
since (gint64 begin)
{
  return (GstClockTime) (g_get_monotonic_time () - begin) * GST_USECOND;
}

GdinoDetections *
gst_gdino_run (GstGdinoFrame * frame, GdinoDetector * detector,
    GstBuffer * buffer, const GstGdinoJob * job, GstGdinoTimes * times,
    GError ** error)
{
  const gint64 begin = g_get_monotonic_time ();
  GdinoDetections *found;
  GdinoTimings timings;
  GstClockTime convert;
  const guint8 *canvas;
  gsize stride;
  gboolean loaded;

  loaded = gst_gdino_frame_load (frame, buffer, error);
  gst_buffer_unref (buffer);
  if (!loaded)
    return NULL;
  convert = since (begin);
  canvas = gst_gdino_frame_get_canvas (frame, &stride);
  found = gdino_detector_detect (detector, canvas, stride,
      gst_gdino_frame_get_letterbox (frame), job->prompt, &job->params,
      &timings, error);
  if (found == NULL)
    return NULL;
  times->convert = convert;
  times->text = (GstClockTime) timings.text_us * GST_USECOND;
  times->graph = (GstClockTime) timings.graph_us * GST_USECOND;
  times->decode = (GstClockTime) timings.decode_us * GST_USECOND;
  times->whole = since (begin);
  return found;
}
