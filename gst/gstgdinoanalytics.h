/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Detections as GstAnalyticsRelationMeta. Built as gstgdinoanalytics.c with
 * GStreamer 1.24 or newer, as gstgdinoanalytics-stub.c without. */
#pragma once

#include <gdino/gdino.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/** gst_gdino_analytics_available: Returns: whether this build can attach the meta */
gboolean gst_gdino_analytics_available (void);

/**
 * gst_gdino_analytics_attach:
 * @buffer: a writable buffer; a relation meta already on it is extended
 * @found: (nullable): the boxes; %NULL is as good as none
 * @types: (array): a label for each phrase of the prompt of @found
 * @ids: (out) (array): id of the object meta of each box
 *
 * One GstAnalyticsODMtd a box, in the order of @found; where further phrases
 * passed the text threshold also a GstAnalyticsClsMtd, related to the box, with
 * the box's own label first. Attaches an empty meta when there is no box.
 *
 * Returns: %FALSE, with @ids untouched, when this build cannot
 */
gboolean gst_gdino_analytics_attach (GstBuffer * buffer,
    GdinoDetections * found, const GQuark * types, gint * ids);

G_END_DECLS
