/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Boxes that groundingdino found, read from buffers and drawn on them. */
#pragma once

#include <gst/gst.h>

#include "draw.h"

G_BEGIN_DECLS

/**
 * BOXES_CAPS:
 *
 * Of the frames that can be drawn on, see #DrawPicture. Convert to them in front
 * of groundingdino: a conversion behind it loses the scores (GStreamer to 1.26).
 */
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define BOXES_CAPS "video/x-raw,format=BGRx"
#else
#define BOXES_CAPS "video/x-raw,format=xRGB"
#endif

/**
 * boxes_read:
 *
 * Returns: (transfer full) (element-type DrawBox): what the regions of interest
 *   of @buffer say, best first. Labels are static strings. Thread-safety: Safe.
 */
GArray *boxes_read (GstBuffer * buffer);

/**
 * boxes_pipeline_text:
 *
 * Returns: (transfer full): elements, for gst_parse_launch(), that draw the
 *   boxes of frames of BOXES_CAPS; the last is an identity called @name, to be
 *   given to boxes_draw_at()
 */
char *boxes_pipeline_text (const char *name);

/**
 * boxes_draw_at:
 * @bin: holds the elements of boxes_pipeline_text()
 * @name: their name
 *
 * Writes the prompt on every frame, which it learns from the events that
 * groundingdino sends ahead of the frames, and draws the boxes where no element
 * of GStreamer's does. Goes on until the elements are freed.
 */
void boxes_draw_at (GstBin * bin, const char *name);

/** boxes_drawn_by: Returns: (transfer none): who draws, in words */
const char *boxes_drawn_by (void);

G_END_DECLS
