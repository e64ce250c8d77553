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

/**
 * DetectApp:
 * @prompts: (element-type GdinoPrompt): one for each change in the options
 * @output: where lines go
 * @video: (nullable): where frames with boxes go
 * @stems: (element-type utf8 guint): names of pictures, by how often used
 * @progress: someone watches standard error
 *
 * What lasts as long as the program.
 */
typedef struct
{
  DetectOptions *options;
  GdinoDetector *detector;
  GPtrArray *prompts;
  FILE *output;
  DetectVideo *video;
  DetectSummary *summary;
  GHashTable *stems;
  gboolean progress;
  gint64 progress_time;
} DetectApp;

/**
 * detect_run_file:
 *
 * Decodes @file, looks at its frames and writes what was found.
 *
 * Returns: %FALSE with an error; in the domains %GDINO_ERROR and %G_FILE_ERROR
 *   no other file would fare better
 */
gboolean detect_run_file (DetectApp * self, const char *file, GError ** error);

/** detect_run_complain: prints a line on standard error; @file: (nullable): path; @kind: "" or "warning: " */
void detect_run_complain (DetectApp * self, const char *file, const char *kind,
    const char *message);

/** detect_run_clear_progress: removes the line that shows progress */
void detect_run_clear_progress (DetectApp * self);

G_END_DECLS
