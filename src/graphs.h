/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The part of the manifest that describes the graphs; for manifest.c only. */
#pragma once

#include <json-glib/json-glib.h>

#include "manifest.h"

G_BEGIN_DECLS

/* Fills text, frame and their file names from the member "graphs" of @root;
 * the sizes in @self must have been read. Fails as gdino_manifest_parse(). */
gboolean gdino_manifest_read_graphs (GdinoManifest * self, JsonObject * root,
    GError ** error);

G_END_DECLS
