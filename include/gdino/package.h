/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* A model package: a folder made by gdino-compile. */
#pragma once

#include <gdino/export.h>
#include <gdino/tokenizer.h>
#include <glib.h>

G_BEGIN_DECLS

/**
 * GdinoPackage:
 *
 * A checked model package. Immutable and reference counted.
 * Thread-safety: Safe.
 */
typedef struct _GdinoPackage GdinoPackage;

/**
 * gdino_package_open:
 * @path: folder with manifest.json, vocab.txt, text.so and frame.so
 * @error: return location for a #GError
 *
 * Reads the manifest, checks every size and SHA-256 digest, the instruction
 * set of this machine, and loads the vocabulary. Opens no shared object. The
 * digests guard against damage, not against malice: running a package runs
 * the native code in it.
 *
 * Returns: (transfer full) (nullable): the package, or %NULL with
 *   %GDINO_ERROR_NOT_FOUND, %GDINO_ERROR_CORRUPT or %GDINO_ERROR_INCOMPATIBLE
 */
GDINO_API GdinoPackage *gdino_package_open (const char *path, GError **error);

GDINO_API GdinoPackage *gdino_package_ref (GdinoPackage * self);
GDINO_API void gdino_package_unref (GdinoPackage * self);

/**
 * gdino_package_get_path:
 *
 * Returns: (transfer none): absolute path of the folder
 */
GDINO_API const char *gdino_package_get_path (GdinoPackage * self);

/**
 * gdino_package_get_name:
 *
 * Returns: (transfer none): name of the checkpoint it was compiled from
 */
GDINO_API const char *gdino_package_get_name (GdinoPackage * self);

/**
 * gdino_package_get_device:
 *
 * Returns: (transfer none): "cpu" or "cuda"
 */
GDINO_API const char *gdino_package_get_device (GdinoPackage * self);

/**
 * gdino_package_get_torch_version:
 *
 * Returns: (transfer none): such as "2.13.0"
 */
GDINO_API const char *gdino_package_get_torch_version (GdinoPackage * self);

/**
 * gdino_package_get_canvas:
 * @width: (out): canvas in pixels, each 32 to 8192
 * @height: (out): canvas in pixels, each 32 to 8192
 */
GDINO_API void gdino_package_get_canvas (GdinoPackage * self, guint * width,
    guint * height);

/**
 * gdino_package_get_pad:
 * @rgb: (out): colour of the canvas outside the picture
 */
GDINO_API void gdino_package_get_pad (GdinoPackage * self, guint8 rgb[3]);

/**
 * gdino_package_get_batch:
 *
 * Returns: B, frames that one run of the frame graph takes, 1 to 64
 */
GDINO_API guint gdino_package_get_batch (GdinoPackage * self);

/**
 * gdino_package_get_text_tokens:
 *
 * Returns: T, text tokens of the graphs
 */
GDINO_API guint gdino_package_get_text_tokens (GdinoPackage * self);

/**
 * gdino_package_get_queries:
 *
 * Returns: Q, boxes the frame graph proposes
 */
GDINO_API guint gdino_package_get_queries (GdinoPackage * self);

/**
 * gdino_package_get_features:
 *
 * Returns: D, width of a text feature
 */
GDINO_API guint gdino_package_get_features (GdinoPackage * self);

/**
 * gdino_package_get_thresholds:
 * @box: (out): thresholds that the package recommends, 0..1
 * @text: (out): thresholds that the package recommends, 0..1
 */
GDINO_API void gdino_package_get_thresholds (GdinoPackage * self, float *box,
    float *text);

/**
 * gdino_package_get_tokenizer:
 *
 * Returns: (transfer none): its vocabulary; %NULL only when opened with
 *   %GDINO_PACKAGE_MANIFEST_ONLY (inspect.h)
 */
GDINO_API GdinoTokenizer *gdino_package_get_tokenizer (GdinoPackage * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GdinoPackage, gdino_package_unref)

G_END_DECLS
