/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Frames that wait until there are enough of them for a run of the model, and
 * what is written of each. Knows no file but by its name. */
#pragma once

#include <gst/video/video.h>

#include "detect-run.h"
#include "gstgdinoframe.h"

G_BEGIN_DECLS

/**
 * DetectStream:
 * @file: as named on the command line
 * @stem: of its annotated pictures
 * @found: (nullable): in the last of its frames that was looked at
 * @start_time: monotonic
 * @failed: nothing more is to be written of it
 *
 * One file, shared by its frames: create with g_rc_box_new0(), release with
 * detect_stream_unref().
 */
typedef struct
{
  const char *file;
  char *stem;
  GdinoDetections *found;
  gint64 start_time;
  gboolean failed;
} DetectStream;

void detect_stream_unref (DetectStream * self);

/** detect_queue_new: Returns: (transfer full): an empty queue for runs of @detector */
DetectQueue *detect_queue_new (GdinoDetector * detector);

/** detect_queue_free: drops what waits; @self (transfer full) (nullable) */
void detect_queue_free (DetectQueue * self);

/**
 * DetectFrameInfo:
 * @number: of the frame, counted from 0 in its file
 * @width: of the frame in pixels
 * @height: of the frame in pixels
 * @prompt: that counts for it; must outlive the queue
 * @frame: (nullable): holds its canvas; %NULL when it is not to be looked at
 */
typedef struct
{
  guint64 number;
  guint width;
  guint height;
  GdinoPrompt *prompt;
  GstGdinoFrame *frame;
} DetectFrameInfo;

/**
 * detect_queue_push:
 *
 * Adds a frame behind all others, and runs the model once it has a whole batch.
 * Failures are told on standard error.
 *
 * Returns: %FALSE when no other frame would fare better
 */
gboolean detect_queue_push (DetectApp * app, DetectStream * stream,
    GstSample * sample, const DetectFrameInfo * info);

/** detect_queue_flush: looks at all that waits, be it a whole batch or not; as detect_queue_push() */
gboolean detect_queue_flush (DetectApp * app);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DetectQueue, detect_queue_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (DetectStream, detect_stream_unref)

G_END_DECLS
