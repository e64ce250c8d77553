/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What a package says of one compiled graph. */
#pragma once

#include <glib.h>

#include "tensor.h"

G_BEGIN_DECLS

#define GDINO_GRAPH_MAX_TENSORS 8

typedef struct
{
  char *name;                   /* "text" or "frame" */
  char *path;                   /* absolute path of the shared object */
  guint n_inputs;
  guint n_outputs;
  GdinoTensorSpec inputs[GDINO_GRAPH_MAX_TENSORS];
  GdinoTensorSpec outputs[GDINO_GRAPH_MAX_TENSORS];
} GdinoGraphInfo;

G_END_DECLS
