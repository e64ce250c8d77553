/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The compiled graphs of one package, loaded for one device. */
#pragma once

#include <gdino/export.h>
#include <gdino/package.h>
#include <glib.h>

G_BEGIN_DECLS

/**
 * GdinoEngine:
 *
 * Loaded graphs, shared by all detectors of a process. Reference counted.
 * Thread-safety: Safe; runs of one engine take turns, in order of arrival.
 */
typedef struct _GdinoEngine GdinoEngine;

/**
 * gdino_engine_get:
 * @package: what to load
 * @device: "auto", "cpu", "cuda" or "cuda:N"; must be what the package was
 *   compiled for ("auto" is)
 * @error: return location for a #GError
 *
 * Finds libtorch (already in the process, the folder in the environment
 * variable GDINO_TORCH_LIB_DIR, the folder noted in the package, the system's),
 * checks its version against the package's and loads both graphs. The same
 * package and device give the same engine while one is alive. Blocks for as
 * long as loading takes.
 *
 * Returns: (transfer full) (nullable): the engine, or %NULL with
 *   %GDINO_ERROR_RUNTIME (lists what was tried), %GDINO_ERROR_INCOMPATIBLE,
 *   %GDINO_ERROR_GRAPH, %GDINO_ERROR_MEMORY or %GDINO_ERROR_INVALID_ARGUMENT
 *   (the device, or a package of which only the manifest was opened)
 */
GDINO_API GdinoEngine *gdino_engine_get (GdinoPackage * package,
    const char *device, GError **error);

/**
 * gdino_limit_spinning:
 *
 * Lets libtorch's OpenMP threads spin only for a moment while they wait for each
 * other, by the environment variable GOMP_SPINCOUNT; a user who has set that or
 * OMP_WAIT_POLICY is left alone. To be called early in main(), while there is one
 * thread and no libtorch: it is read once, and changing the environment is not
 * safe beside other threads. Without it, work on other threads (a decoder, an
 * encoder) makes a frame several times slower.
 */
GDINO_API void gdino_limit_spinning (void);

/**
 * gdino_engine_find_runtime:
 * @package: what would be run; a package of which only the manifest was opened
 *   will do
 * @path: (out) (transfer full): file of the libtorch that would run it
 * @version: (out) (transfer full): its version, such as "2.13.0"
 * @error: return location for a #GError
 *
 * Looks for libtorch as gdino_engine_get() does and opens it, for the life of
 * the process; opens no graph.
 *
 * Returns: %FALSE with %GDINO_ERROR_RUNTIME or %GDINO_ERROR_INCOMPATIBLE, the
 *   outputs untouched
 */
GDINO_API gboolean gdino_engine_find_runtime (GdinoPackage * package,
    char **path, char **version, GError **error);

GDINO_API GdinoEngine *gdino_engine_ref (GdinoEngine * self);
GDINO_API void gdino_engine_unref (GdinoEngine * self);

/**
 * gdino_engine_get_package:
 *
 * Returns: (transfer none): its package
 */
GDINO_API GdinoPackage *gdino_engine_get_package (GdinoEngine * self);

/**
 * gdino_engine_get_device:
 *
 * Returns: (transfer none): "cpu" or "cuda:N"
 */
GDINO_API const char *gdino_engine_get_device (GdinoEngine * self);

/**
 * gdino_engine_get_text_runs:
 *
 * Returns: how often the text graph has run
 */
GDINO_API guint64 gdino_engine_get_text_runs (GdinoEngine * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GdinoEngine, gdino_engine_unref)

G_END_DECLS
