/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What stands in for gstgdinoanalytics.c before GStreamer 1.24. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinoanalytics.h"

gboolean
gst_gdino_analytics_available (void)
{
  return FALSE;
}

gboolean
gst_gdino_analytics_attach (GstBuffer * buffer, GdinoDetections * found,
    const GQuark * types, gint * ids)
{
  return FALSE;
}
