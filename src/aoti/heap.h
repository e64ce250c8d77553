/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What malloc() does with memory between the runs of a graph. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* From here on the process keeps what a run has freed for the next one, up to
 * 256 MiB: else glibc gives much of it back to the kernel and gets it again, page
 * by page, at every frame. Does nothing where the user has settings of malloc() in
 * the environment, or with another C library. Thread-safety: Safe. */
void gdino_heap_keep (void);

/* Gives back what is kept, as after the last run. Thread-safety: Safe. */
void gdino_heap_release (void);

G_END_DECLS
