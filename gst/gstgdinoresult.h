/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What was found, and in which frame. */
#pragma once

#include <gdino/gdino.h>
#include <gst/gst.h>

#include "gstgdinonames.h"

G_BEGIN_DECLS

/**
 * GstGdinoStamp:
 * @pts: timestamp of a frame, or %GST_CLOCK_TIME_NONE
 * @arrival: when it came in, in microseconds of the monotonic clock
 *
 * Tells when a frame is from.
 */

typedef struct
{
  GstClockTime pts;
  gint64 arrival;
} GstGdinoStamp;

/**
 * GstGdinoResult:
 * @found: boxes in pixels of the frame
 * @names: what to call the phrases
 * @stamp: of the frame that the model ran on
 *
 * Immutable and reference counted. Thread-safety: Safe.
 */
typedef struct
{
  gatomicrefcount ref_count;
  GdinoDetections *found;
  GstGdinoNames *names;
  GstGdinoStamp stamp;
} GstGdinoResult;

/** gst_gdino_stamp_of: Returns: when @buffer is from; it comes in now */
GstGdinoStamp gst_gdino_stamp_of (GstBuffer * buffer);

/** gst_gdino_result_new: @found: (transfer full); @names: (transfer none). Returns: (transfer full): a result */
GstGdinoResult *gst_gdino_result_new (GdinoDetections * found,
    GstGdinoNames * names, const GstGdinoStamp * stamp);

GstGdinoResult *gst_gdino_result_ref (GstGdinoResult * self);

/** gst_gdino_result_unref: @self: (transfer full) (nullable) */
void gst_gdino_result_unref (GstGdinoResult * self);

/**
 * gst_gdino_result_get_age:
 * @now: of a frame that came in later
 *
 * Returns: nanoseconds from the frame of @self to that of @now: by their
 *   timestamps, or by their arrival where one has none or they do not rise
 */
GstClockTime gst_gdino_result_get_age (const GstGdinoResult * self,
    const GstGdinoStamp * now);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstGdinoResult, gst_gdino_result_unref)

G_END_DECLS
