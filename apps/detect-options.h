/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The command line of gdino-detect. Knows no model and no stream. */
#pragma once

#include <gdino/detection.h>
#include <gst/gst.h>

G_BEGIN_DECLS

#define DETECT_USAGE_ERROR (detect_usage_error_quark ())

/**
 * DetectChange:
 * @at: stream time in nanoseconds from which @text counts
 * @text: bytes as typed, not yet known to be UTF-8
 */
typedef struct
{
  GstClockTime at;
  char *text;
} DetectChange;

/**
 * DetectOptions:
 * @changes: (element-type DetectChange): prompts by time, the first at 0
 * @box_threshold: below 0 when not given
 * @text_threshold: below 0 when not given
 * @params: everything else that decoding takes
 * @max_passes: most text contexts of a prompt
 * @every: only each so many frames are looked at, the first of them always
 * @picture_format: "png" or "jpeg"
 * @files: (array zero-terminated=1): at least one
 */
typedef struct
{
  char *model;
  char *device;
  char *prompt;
  char *prompt_path;
  GArray *changes;
  double box_threshold;
  double text_threshold;
  GdinoDecodeParams params;
  guint max_passes;
  guint every;
  char *annotate;
  char *picture_format;
  char *video;
  char *output;
  gboolean summary;
  gboolean version;
  char **files;
} DetectOptions;

/**
 * detect_options_parse:
 * @argc: (inout): as main() got it
 * @argv: (inout): as main() got it
 *
 * Prints help and exits when asked to. Initialises GStreamer.
 *
 * Returns: (transfer full) (nullable): %NULL with an error for the user; with
 *   --version only that field counts
 */
DetectOptions *detect_options_parse (int *argc, char ***argv, GError ** error);

/** detect_options_free: @self (transfer full) (nullable) */
void detect_options_free (DetectOptions * self);

GQuark detect_usage_error_quark (void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (DetectOptions, detect_options_free)

G_END_DECLS
