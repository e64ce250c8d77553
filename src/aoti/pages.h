/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Memory of a shared object that is loaded. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Takes the pages that are only read of the shared object with @address in it
 * out of the process's memory; those touched again come back from the file.
 * A graph of torch 2.13 copies its weights as it is made, and would hold them
 * twice. Segments under 1 MiB stay, and all of an object whose code the loader
 * has changed. Thread-safety: Safe. */
void gdino_pages_release (gconstpointer address);

G_END_DECLS
