/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* A borrowed view of a dense tensor in host memory. Owns nothing. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define GDINO_TENSOR_MAX_RANK 5

typedef enum
{
  GDINO_DTYPE_BOOL,
  GDINO_DTYPE_UINT8,
  GDINO_DTYPE_INT64,
  GDINO_DTYPE_FLOAT32
} GdinoDtype;

/* Name, type and shape of one input or output, as the manifest states it. */
typedef struct
{
  char *name;
  GdinoDtype dtype;
  guint rank;
  gint64 shape[GDINO_TENSOR_MAX_RANK];
  gsize n_bytes;                /* checked product of the above */
} GdinoTensorSpec;

/* Contiguous data laid out as @spec says; both are borrowed. */
typedef struct
{
  const GdinoTensorSpec *spec;
  gpointer data;
} GdinoTensor;

gsize gdino_dtype_size (GdinoDtype dtype);
const char *gdino_dtype_name (GdinoDtype dtype);

G_END_DECLS
