/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What of a package the library alone needs. */
#pragma once

#include <gdino/package.h>

#include "graph.h"

G_BEGIN_DECLS

const GdinoGraphInfo *gdino_package_get_text_graph (GdinoPackage * self);
const GdinoGraphInfo *gdino_package_get_frame_graph (GdinoPackage * self);

/* (nullable): folder of the libtorch it was compiled with */
const char *gdino_package_get_torch_library_dir (GdinoPackage * self);

/* SHA-256 of the manifest, hex: names the package's content */
const char *gdino_package_get_digest (GdinoPackage * self);

G_END_DECLS
