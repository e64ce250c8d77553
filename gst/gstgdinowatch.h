/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Tells when a file changes. Reads nothing of it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * GstGdinoWatch:
 *
 * A thread that watches one path with #GFileMonitor: writing, replacement by
 * another file, removal, and what a symbolic link points at. It needs no main
 * loop of the application.
 * Thread-safety: Safe.
 */
typedef struct _GstGdinoWatch GstGdinoWatch;

/**
 * GstGdinoWatchChanged:
 *
 * Called in the watch's thread once it watches, and again whenever the file may
 * have another content: after a writer has closed it, not while it writes.
 */
typedef void (*GstGdinoWatchChanged) (gpointer user_data);

/** gst_gdino_watch_new: @path: need not exist. Returns: (transfer full): never %NULL */
GstGdinoWatch *gst_gdino_watch_new (const gchar * path,
    GstGdinoWatchChanged changed, gpointer user_data);

/** gst_gdino_watch_free: @self (transfer full) (nullable). Waits for a call in progress; there are none after it. */
void gst_gdino_watch_free (GstGdinoWatch * self);

G_END_DECLS
