/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Files that must be what they are said to be. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Opens a regular file for reading; a folder, pipe or device is refused and
 * never waited for. @size: (out): its bytes now.
 * Returns: a descriptor to close, or -1 with GDINO_ERROR_NOT_FOUND naming it */
int gdino_file_open (const char *path, guint64 * size, GError ** error);

/* The whole of a file of 1 to @max_size bytes.
 * Returns: (transfer full) (nullable): NULL with GDINO_ERROR_NOT_FOUND or
 *   GDINO_ERROR_CORRUPT */
GBytes *gdino_file_read (const char *path, gsize max_size, GError ** error);

/* Whether @path has @size bytes; FALSE with GDINO_ERROR_NOT_FOUND or
 * GDINO_ERROR_CORRUPT. */
gboolean gdino_file_check_size (const char *path, guint64 size,
    GError ** error);

/* Called after each piece; @total: bytes of the file when it was opened. */
typedef void (*GdinoFileProgress) (guint64 done, guint64 total, gpointer data);

/* Whether the SHA-256 of @path is @sha256, read piece by piece; errors as
 * above. @progress: (nullable) */
gboolean gdino_file_check_digest (const char *path, const char *sha256,
    GdinoFileProgress progress, gpointer data, GError ** error);

G_END_DECLS
