/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Frames with their boxes drawn on. */
#pragma once

#include <gdino/detection.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * detect_drawing_make:
 * @frame: a frame of raw video
 * @found: (nullable): what to draw on it
 * @caption: (nullable): text for the lower edge
 *
 * Small frames are enlarged by a whole number, so that labels can be read;
 * pixels that are not square become square.
 *
 * Returns: (transfer full) (nullable): a copy in a 32-bit RGB format, with the
 *   frame's times; %NULL when the frame cannot be read or is too large to draw
 */
GstSample *detect_drawing_make (GstSample * frame, GdinoDetections * found,
    const char *caption, GError ** error);

G_END_DECLS
