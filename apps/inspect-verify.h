/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Whether a package is whole and computes what it should. */
#pragma once

#include <gdino/gdino.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/**
 * inspect_verify:
 * @report: of @package; gets the member "verify", and what is wrong
 * @package: opened for its manifest
 * @device: as for gdino_engine_get()
 * @progress: someone watches standard error
 *
 * Reads every file, then runs the probe unless a file is damaged or this
 * machine cannot.
 *
 * Returns: whether all is as it should be
 */
gboolean inspect_verify (JsonObject * report, GdinoPackage * package,
    const char *device, gboolean progress);

G_END_DECLS
