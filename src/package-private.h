/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What of a package the library alone needs. */
#pragma once

#include <gdino/inspect.h>

#include "graph.h"
#include "manifest.h"

G_BEGIN_DECLS

/* For package.c and package-info.c alone; immutable once it is opened. */
struct _GdinoPackage
{
  gatomicrefcount ref_count;
  char *path;
  char *digest;
  GdinoManifest *manifest;
  GdinoTokenizer *tokenizer;
};

const GdinoGraphInfo *gdino_package_get_text_graph (GdinoPackage * self);
const GdinoGraphInfo *gdino_package_get_frame_graph (GdinoPackage * self);

/* (transfer full): path of a file of that name in its folder */
char *gdino_package_dup_path (GdinoPackage * self, const char *name);

/* SHA-256 of the manifest, hex: names the package's content */
const char *gdino_package_get_digest (GdinoPackage * self);

G_END_DECLS
