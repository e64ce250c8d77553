/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Both ends of a pipeline, as text for gst_parse_launch(). */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/** PARTS_SOURCES: what parts_source() takes, for a program's help */
#define PARTS_SOURCES \
  "camera (the default), /dev/videoN, test (colour bars), a file, or a URI " \
  "such as rtsp://..."

/**
 * parts_source:
 * @source: one of PARTS_SOURCES
 *
 * Returns: (transfer full) (nullable): elements that give raw video, upright;
 *   %NULL with an error for a file that does not exist
 */
char *parts_source (const char *source, GError ** error);

/** parts_source_is_live: Returns: %TRUE when frames come when they like and never end */
gboolean parts_source_is_live (const char *source);

/** parts_recording: Returns: (transfer full): elements that write raw video to @path as WebM */
char *parts_recording (const char *path);

G_END_DECLS
