/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Frames of a picture or video file. Knows no model. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _DetectSource DetectSource;

/**
 * detect_source_open:
 * @file: path or URI
 *
 * Starts decoding in threads of its own.
 *
 * Returns: (transfer full) (nullable): %NULL with an error that says what is
 *   wrong with @file
 */
DetectSource *detect_source_open (const char *file, GError ** error);

/**
 * detect_source_pull:
 *
 * Waits for the next frame: raw video in system memory, upright.
 *
 * Returns: (transfer full) (nullable): %NULL at the end, or with @error set
 *   when decoding failed or there was no frame at all
 */
GstSample *detect_source_pull (DetectSource * self, GError ** error);

/** detect_source_get_warning: Returns: (transfer none) (nullable): after the end: what was wrong with a file that could be read all the same */
const char *detect_source_get_warning (DetectSource * self);

/** detect_source_free: @self (transfer full) (nullable) */
void detect_source_free (DetectSource * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DetectSource, detect_source_free)

G_END_DECLS
