/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Where results go that are not drawn: JSON lines, and single pictures. */
#pragma once

#include <gdino/detection.h>
#include <gst/gst.h>
#include <stdio.h>

G_BEGIN_DECLS

/**
 * DetectFrame:
 * @file: as named on the command line
 * @number: counted from 0 in its file
 * @pts: nanoseconds, or %GST_CLOCK_TIME_NONE
 * @width: in pixels
 * @height: in pixels
 */
typedef struct
{
  const char *file;
  guint64 number;
  GstClockTime pts;
  guint width;
  guint height;
} DetectFrame;

/**
 * detect_output_write_line:
 *
 * Writes one JSON object and a line feed, and flushes.
 *
 * Returns: %FALSE with errno set
 */
gboolean detect_output_write_line (FILE * stream, const DetectFrame * frame,
    GdinoDetections * found);

/**
 * detect_output_write_picture:
 * @picture: raw video
 * @format: "png" or "jpeg"
 *
 * Returns: %FALSE with an error that names @path or the missing encoder
 */
gboolean detect_output_write_picture (const char *path, GstSample * picture,
    const char *format, GError ** error);

G_END_DECLS
