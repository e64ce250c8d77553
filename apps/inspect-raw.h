/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What can be read of a folder that is no sound package. Trusts nothing. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/** inspect_raw_manifest: Returns: (transfer full) (nullable): what manifest.json in @folder holds; %NULL unless it is a JSON object of a sensible size and depth */
JsonNode *inspect_raw_manifest (const char *folder);

/** inspect_raw_files: Returns: (transfer full) (nullable): name and size of the regular files in @folder, by name; %NULL when it is no folder */
JsonArray *inspect_raw_files (const char *folder);

G_END_DECLS
