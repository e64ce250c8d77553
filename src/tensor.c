/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Names and sizes of element types, as the manifest spells them. */

#include "tensor.h"

gsize
gdino_dtype_size (GdinoDtype dtype)
{
  switch (dtype) {
    case GDINO_DTYPE_BOOL:
    case GDINO_DTYPE_UINT8:
      return 1;
    case GDINO_DTYPE_INT64:
      return 8;
    case GDINO_DTYPE_FLOAT32:
      return 4;
  }
  g_return_val_if_reached (1);
}

const char *
gdino_dtype_name (GdinoDtype dtype)
{
  switch (dtype) {
    case GDINO_DTYPE_BOOL:
      return "bool";
    case GDINO_DTYPE_UINT8:
      return "uint8";
    case GDINO_DTYPE_INT64:
      return "int64";
    case GDINO_DTYPE_FLOAT32:
      return "float32";
  }
  g_return_val_if_reached ("unknown");
}
