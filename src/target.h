/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What a package was compiled for and with, of its manifest. */
#pragma once

#include "json.h"
#include "manifest.h"

G_BEGIN_DECLS

/* Members device and target of @root. Returns: FALSE with GDINO_ERROR_CORRUPT, or
 * GDINO_ERROR_INCOMPATIBLE for a device that this version does not know. */
gboolean gdino_manifest_read_target (GdinoManifest * self, JsonObject * root,
    GError ** error);

/* Member torch of @root. Returns: FALSE with GDINO_ERROR_CORRUPT */
gboolean gdino_manifest_read_torch (GdinoManifest * self, JsonObject * root,
    GError ** error);

G_END_DECLS
