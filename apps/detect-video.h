/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* A WebM file made of frames. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _DetectVideo DetectVideo;

/** detect_video_new: @path: file to write, replaced when there. Returns: (transfer full) (nullable): a writer */
DetectVideo *detect_video_new (const char *path, GError ** error);

/**
 * detect_video_push:
 * @picture: a frame; all of one video have one size
 *
 * Waits while the encoder is behind.
 */
gboolean detect_video_push (DetectVideo * self, GstSample * picture,
    GError ** error);

/** detect_video_finish: writes what is still in the encoder; call once, last */
gboolean detect_video_finish (DetectVideo * self, GError ** error);

/** detect_video_free: @self (transfer full) (nullable) */
void detect_video_free (DetectVideo * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DetectVideo, detect_video_free)

G_END_DECLS
