/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Marks what the shared library exports. */
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#define GDINO_API __attribute__ ((visibility ("default")))
#else
#define GDINO_API
#endif
