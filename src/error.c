/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The error domain; messages are written where the reason is known. */

#include <gdino/error.h>

GQuark
gdino_error_quark (void)
{
  return g_quark_from_static_string ("gdino-error-quark");
}
