/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Version numbers of torch: compiled graphs need the same major and minor. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Reads "2.13", "2.13.0" or "2.13.0+cpu". Returns FALSE, outputs untouched,
 * for other texts. */
gboolean gdino_version_parse (const char *text, guint * major, guint * minor);

/* The first quoted version in @text, the content of torch's version.py or of a
 * build-version file (there unquoted). Returns: (transfer full) (nullable) */
char *gdino_version_find (const char *text);

/* The version in a file name such as libtorch_cpu.so.2.6.
 * Returns: (transfer full) (nullable) */
char *gdino_version_from_file_name (const char *path);

G_END_DECLS
