/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* All that a package says of itself, for programs that show or check one. What
 * is needed to run one is in package.h. */
#pragma once

#include <gdino/export.h>
#include <gdino/package.h>
#include <glib.h>

G_BEGIN_DECLS

/**
 * GdinoPackageFlags:
 * @GDINO_PACKAGE_DEFAULT: every check, as gdino_package_open()
 * @GDINO_PACKAGE_MANIFEST_ONLY: only read the manifest, so that packages for
 *   other machines and damaged ones can be looked at. Such a package has no
 *   vocabulary and gdino_engine_get() refuses it.
 * @GDINO_PACKAGE_SKIP_DIGESTS: every check but the SHA-256 digests: for a
 *   caller who has seen gdino_package_check_file() succeed for every file
 */
typedef enum
{
  GDINO_PACKAGE_DEFAULT,
  GDINO_PACKAGE_MANIFEST_ONLY,
  GDINO_PACKAGE_SKIP_DIGESTS
} GdinoPackageFlags;

/**
 * gdino_package_open_full:
 * @path: folder of the package
 * @flags: what to leave out
 * @error: return location for a #GError
 *
 * Returns: (transfer full) (nullable): the package, or %NULL with the errors of
 *   gdino_package_open()
 */
GDINO_API GdinoPackage *gdino_package_open_full (const char *path,
    GdinoPackageFlags flags, GError **error);

/**
 * GdinoPackageGraph:
 * @GDINO_PACKAGE_GRAPH_TEXT: run once for each new prompt
 * @GDINO_PACKAGE_GRAPH_FRAME: run for each batch of frames
 */
typedef enum
{
  GDINO_PACKAGE_GRAPH_TEXT,
  GDINO_PACKAGE_GRAPH_FRAME
} GdinoPackageGraph;

#define GDINO_PACKAGE_MAX_RANK 5

/**
 * GdinoPackageTensor:
 * @name: of the input or output
 * @dtype: "bool", "uint8", "int64" or "float32"
 * @rank: number of sizes, at most %GDINO_PACKAGE_MAX_RANK
 * @shape: (array length=rank): sizes, the outermost first
 * @n_bytes: size of the dense tensor
 *
 * Strings belong to the package.
 */
typedef struct
{
  const char *name;
  const char *dtype;
  guint rank;
  gint64 shape[GDINO_PACKAGE_MAX_RANK];
  gsize n_bytes;
} GdinoPackageTensor;

/**
 * GdinoPackageFile:
 * @name: plain file name
 * @size: bytes it must have
 * @sha256: digest it must have, 64 hexadecimal digits
 *
 * Strings belong to the package.
 */
typedef struct
{
  const char *name;
  guint64 size;
  const char *sha256;
} GdinoPackageFile;

/**
 * GdinoProgress:
 * @done: bytes read so far
 * @total: bytes to read
 * @user_data: as given
 */
typedef void (*GdinoProgress) (guint64 done, guint64 total,
    gpointer user_data);

/**
 * gdino_package_get_generator:
 *
 * Returns: (transfer none): program that made it, with its version
 */
GDINO_API const char *gdino_package_get_generator (GdinoPackage * self);

/**
 * gdino_package_get_source_sha256:
 *
 * Returns: (transfer none): digest of the checkpoint's weights, 64 hexadecimal
 *   digits
 */
GDINO_API const char *gdino_package_get_source_sha256 (GdinoPackage * self);

/**
 * gdino_package_get_licence:
 *
 * Returns: (transfer none) (nullable): licence of the checkpoint, where it is
 *   known
 */
GDINO_API const char *gdino_package_get_licence (GdinoPackage * self);

/**
 * gdino_package_get_normalization:
 * @mean: (out): of red, green and blue in 0..1: the graph itself takes bytes
 *   and does this
 * @std: (out): of red, green and blue in 0..1: the graph itself takes bytes
 *   and does this
 */
GDINO_API void gdino_package_get_normalization (GdinoPackage * self,
    double mean[3], double std[3]);

/**
 * gdino_package_get_precision:
 *
 * Returns: (transfer none): "fp32" or "bf16": what the graphs compute in
 */
GDINO_API const char *gdino_package_get_precision (GdinoPackage * self);

/**
 * gdino_package_get_arch:
 *
 * Returns: (transfer none): architecture it was compiled for, as uname -m says
 */
GDINO_API const char *gdino_package_get_arch (GdinoPackage * self);

/**
 * gdino_package_get_cpu_features:
 *
 * Returns: (transfer none) (array zero-terminated=1): instructions its code
 *   may use, named as in /proc/cpuinfo
 */
GDINO_API const char *const *gdino_package_get_cpu_features (GdinoPackage *
    self);

/**
 * gdino_package_get_compute_capability:
 *
 * Returns: (transfer none) (nullable): of the GPU it was compiled for, such as
 *   "9.0"
 */
GDINO_API const char *gdino_package_get_compute_capability (GdinoPackage *
    self);

/**
 * gdino_package_get_torch_library_dir:
 *
 * Returns: (transfer none) (nullable): folder of the libtorch it was compiled
 *   with: a hint
 */
GDINO_API const char *gdino_package_get_torch_library_dir (GdinoPackage *
    self);

/**
 * gdino_package_get_probe_file:
 *
 * Returns: (transfer none) (nullable): name of the file that gdino_probe_new()
 *   reads, where there is one
 */
GDINO_API const char *gdino_package_get_probe_file (GdinoPackage * self);

/**
 * gdino_package_get_graph_file:
 *
 * Returns: (transfer none): plain name of the graph's shared object
 */
GDINO_API const char *gdino_package_get_graph_file (GdinoPackage * self,
    GdinoPackageGraph graph);

/**
 * gdino_package_get_n_inputs:
 *
 * Returns: number of inputs of @graph
 */
GDINO_API guint gdino_package_get_n_inputs (GdinoPackage * self,
    GdinoPackageGraph graph);

/**
 * gdino_package_get_n_outputs:
 *
 * Returns: number of outputs of @graph
 */
GDINO_API guint gdino_package_get_n_outputs (GdinoPackage * self,
    GdinoPackageGraph graph);

/**
 * gdino_package_get_input:
 * @index: below n_inputs
 * @tensor: (out caller-allocates): what it is
 */
GDINO_API void gdino_package_get_input (GdinoPackage * self,
    GdinoPackageGraph graph, guint index, GdinoPackageTensor * tensor);

/**
 * gdino_package_get_output:
 * @index: below n_outputs
 * @tensor: (out caller-allocates): what it is
 */
GDINO_API void gdino_package_get_output (GdinoPackage * self,
    GdinoPackageGraph graph, guint index, GdinoPackageTensor * tensor);

/**
 * gdino_package_get_n_files:
 *
 * Returns: files that the manifest lists, the manifest itself not among them
 */
GDINO_API guint gdino_package_get_n_files (GdinoPackage * self);

/**
 * gdino_package_get_file:
 * @index: below n_files
 * @file: (out caller-allocates): what the manifest says of it
 */
GDINO_API void gdino_package_get_file (GdinoPackage * self, guint index,
    GdinoPackageFile * file);

/**
 * gdino_package_check_machine:
 *
 * Returns: whether this machine has the architecture and the instructions that
 *   the package needs; else %FALSE with %GDINO_ERROR_INCOMPATIBLE. GPUs are
 *   not looked at.
 */
GDINO_API gboolean gdino_package_check_machine (GdinoPackage * self,
    GError **error);

/**
 * gdino_package_check_size:
 * @index: below n_files
 *
 * Returns: whether the file is there and has its size; else %FALSE with
 *   %GDINO_ERROR_NOT_FOUND or %GDINO_ERROR_CORRUPT
 */
GDINO_API gboolean gdino_package_check_size (GdinoPackage * self,
    guint index, GError **error);

/**
 * gdino_package_check_file:
 * @index: below n_files
 * @progress: (scope call) (nullable): called now and then while reading
 *
 * gdino_package_check_size(), then reads the whole file.
 *
 * Returns: whether it has its SHA-256 digest too; else %FALSE with
 *   %GDINO_ERROR_NOT_FOUND or %GDINO_ERROR_CORRUPT
 */
GDINO_API gboolean gdino_package_check_file (GdinoPackage * self,
    guint index, GdinoProgress progress, gpointer user_data, GError **error);

G_END_DECLS
