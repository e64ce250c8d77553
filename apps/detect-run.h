/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* From one file to its lines, pictures and video. */
#pragma once

#include <gdino/gdino.h>
#include <stdio.h>

#include "detect-options.h"
#include "detect-summary.h"
#include "detect-video.h"

G_BEGIN_DECLS

typedef struct _DetectQueue DetectQueue;

/**
 * DetectApp:
 * @prompts: (element-type GdinoPrompt): one for each change in the options
 * @queue: frames that wait for a run of the model
 * @output: where lines go
 * @video: (nullable): where frames with boxes go
 * @stems: (element-type utf8 guint): names of pictures, by how often used
 * @failed: something went wrong and has been told
 * @progress: someone watches standard error
 *
 * What lasts as long as the program.
 */
typedef struct
{
  DetectOptions *options;
  GdinoDetector *detector;
  GPtrArray *prompts;
  DetectQueue *queue;
  FILE *output;
  DetectVideo *video;
  DetectSummary *summary;
  GHashTable *stems;
  gboolean failed;
  gboolean progress;
  gint64 progress_time;
} DetectApp;

/**
 * detect_run_file:
 *
 * Decodes @file, looks at its frames and writes what was found; the last of
 * them may wait in the queue for frames of the next file. Failures are told on
 * standard error.
 *
 * Returns: %FALSE when no other file would fare better
 */
gboolean detect_run_file (DetectApp * self, const char *file);

/** detect_run_fail: tells of a failure, of @file where there is one. Returns: %FALSE when no other file would fare better */
gboolean detect_run_fail (DetectApp * self, const char *file,
    const GError * error);

/** detect_run_show_progress: tells from time to time that frame @number is done; @start_time: of its file */
void detect_run_show_progress (DetectApp * self, const char *file,
    guint64 number, gint64 start_time);

/** detect_run_complain: prints a line on standard error; @file: (nullable): path; @kind: "" or "warning: " */
void detect_run_complain (DetectApp * self, const char *file, const char *kind,
    const char *message);

/** detect_run_clear_progress: removes the line that shows progress */
void detect_run_clear_progress (DetectApp * self);

G_END_DECLS
