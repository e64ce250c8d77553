/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Which boxes a frame leaves with: its own, or those of one before it. */
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include "gstgdinojob.h"
#include "gstgdinoresult.h"

G_BEGIN_DECLS

/**
 * GstGdinoShow:
 * @result: (nullable): the newest result
 * @shown: whether a buffer has left with it
 *
 * Plain data of the streaming thread; all 0 is without a result.
 */

typedef struct
{
  GstGdinoResult *result;
  gboolean shown;
} GstGdinoShow;

/** gst_gdino_show_set: @result: (transfer full): takes the place of the one before */
void gst_gdino_show_set (GstGdinoShow * self, GstGdinoResult * result);

/** gst_gdino_show_clear: forgets the result: it is of another stream, size or prompt */
void gst_gdino_show_clear (GstGdinoShow * self);

/**
 * gst_gdino_show_attach:
 * @buffer: a writable buffer
 * @stamp: when @buffer is from
 * @info: what the caps say of @buffer
 * @job: metadata wanted
 * @limit: nanoseconds for which a result is repeated; one that no buffer has
 *   left with yet goes out whatever its age
 * @held: (out): %TRUE when it is a repetition
 *
 * Returns: %FALSE when there is nothing to attach
 */
gboolean gst_gdino_show_attach (GstGdinoShow * self, GstBuffer * buffer,
    const GstGdinoStamp * stamp, const GstVideoInfo * info,
    const GstGdinoJob * job, GstClockTime limit, gboolean * held);

G_END_DECLS
