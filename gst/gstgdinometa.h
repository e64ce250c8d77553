/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* From detections to metadata on a buffer. The only place that makes quarks
 * of the user's words. */
#pragma once

#include <gdino/gdino.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include "gstgdinonames.h"
#include "gstgdinosettings.h"

G_BEGIN_DECLS

/* A quark lives as long as the process. Labels beyond this length are cut in
 * metadata, and once so many have been made all new ones share one type. */
#define GST_GDINO_LABEL_BYTES_MAX 255
#define GST_GDINO_LABELS_MAX 65536
#define GST_GDINO_LABEL_OTHER "object"

/**
 * gst_gdino_label_quark:
 * @label: text of a phrase
 *
 * Returns: the quark of @label, within the limits above. Any thread.
 */

GQuark gst_gdino_label_quark (const gchar * label);

/**
 * GstGdinoSource:
 * @pts: timestamp of the frame that the model ran on, or %GST_CLOCK_TIME_NONE
 * @age: nanoseconds from that frame to the one that is told of, 0 for its own
 * @held: an earlier buffer has left with the same boxes
 * @names: what to call the phrases
 *
 * Where boxes come from.
 */
typedef struct
{
  GstClockTime pts;
  GstClockTime age;
  gboolean held;
  const GstGdinoNames *names;
} GstGdinoSource;

/**
 * gst_gdino_meta_attach:
 * @buffer: a writable buffer
 * @found: (nullable): the boxes, in pixels of @buffer; %NULL when nothing was
 *   looked for, which is told as if nothing was found
 * @source: (nullable): where @found comes from; not %NULL where that is not
 * @info: what the caps say of @buffer
 * @metadata: which kinds to attach
 */
void gst_gdino_meta_attach (GstBuffer * buffer, GdinoDetections * found,
    const GstGdinoSource * source, const GstVideoInfo * info,
    GstGdinoMetadata metadata);

G_END_DECLS
