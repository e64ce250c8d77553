/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Graphs compiled by AOTInductor, run by a libtorch found at run time. */
#pragma once

#include "backend.h"

G_BEGIN_DECLS

/* Value of the environment variable with the folder of libtorch. */
#define GDINO_TORCH_DIR_VARIABLE "GDINO_TORCH_LIB_DIR"

extern const GdinoBackend gdino_backend_aoti;

G_END_DECLS
