/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Error domain of the library. */
#pragma once

#include <gdino/export.h>
#include <glib.h>

G_BEGIN_DECLS

/**
 * GDINO_ERROR:
 *
 * Domain of every #GError that the library sets. Each message names the file
 * or value concerned, what was found and what was wanted.
 */
#define GDINO_ERROR (gdino_error_quark ())

/**
 * GdinoError:
 * @GDINO_ERROR_INVALID_ARGUMENT: a value given by the caller is out of range
 * @GDINO_ERROR_NOT_FOUND: a file or folder is missing or cannot be read
 * @GDINO_ERROR_CORRUPT: a file is damaged, incomplete or not of its format
 * @GDINO_ERROR_INCOMPATIBLE: sound, but not for this library version, libtorch
 *   version, instruction set or device
 * @GDINO_ERROR_RUNTIME: libtorch cannot be found or opened, or lacks a symbol
 * @GDINO_ERROR_GRAPH: a compiled graph cannot be created, failed, or gave
 *   tensors of another shape than its package states
 * @GDINO_ERROR_PROMPT: the prompt is not usable (not UTF-8, or one phrase
 *   alone needs more tokens than the graph has)
 * @GDINO_ERROR_MEMORY: this machine or the device has not enough memory; the
 *   message says how much is free, where that is known
 */
typedef enum
{
  GDINO_ERROR_INVALID_ARGUMENT,
  GDINO_ERROR_NOT_FOUND,
  GDINO_ERROR_CORRUPT,
  GDINO_ERROR_INCOMPATIBLE,
  GDINO_ERROR_RUNTIME,
  GDINO_ERROR_GRAPH,
  GDINO_ERROR_PROMPT,
  GDINO_ERROR_MEMORY
} GdinoError;

GDINO_API GQuark gdino_error_quark (void);

G_END_DECLS
