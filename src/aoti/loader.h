/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The functions of libtorch, found at run time once for the process. */
#pragma once

#include <glib.h>

#include "abi.h"
#include "search.h"

G_BEGIN_DECLS

#define DECLARE(name, result, args) result (*name) args;
typedef struct
{
  GDINO_TORCH_REQUIRED (DECLARE)
  GDINO_TORCH_OPTIONAL (DECLARE)        /* (nullable) */
  GdinoTorchModule library;
} GdinoTorch;
#undef DECLARE

#define DECLARE(name, symbol, args) int32_t (*name) args;
typedef struct
{
  GDINO_AOTI_REQUIRED (DECLARE)
  GDINO_AOTI_OPTIONAL (DECLARE) /* (nullable) */
} GdinoAotiGraph;
#undef DECLARE

/* Looks where @search says, or, when an earlier call found one, only checks
 * its version. Failures are not remembered.
 * Returns: (transfer none) (nullable): lives as long as the process; NULL with
 *   GDINO_ERROR_RUNTIME (not found, or a function is missing) or
 *   GDINO_ERROR_INCOMPATIBLE (another version). Thread-safety: Safe. */
const GdinoTorch *gdino_torch_get (const GdinoTorchSearch * search,
    GError ** error);

/* Opens libtorch_cuda beside @torch and looks for device @index.
 * Returns: FALSE with GDINO_ERROR_INCOMPATIBLE. Thread-safety: Safe. */
gboolean gdino_torch_check_cuda (const GdinoTorch * torch, guint index,
    GError ** error);

/* Bytes of memory that are free: of the CUDA device in use, or of the machine.
 * Returns: FALSE where that cannot be told. Thread-safety: Safe. */
gboolean gdino_torch_free_memory (gboolean on_host, guint64 * bytes);

/* Opens a compiled graph, which stays open for the life of the process.
 * Returns: FALSE with GDINO_ERROR_GRAPH naming @path. Thread-safety: Safe. */
gboolean gdino_aoti_graph_load (const char *path, GdinoAotiGraph * graph,
    GError ** error);

G_END_DECLS
