/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The only list of backends. */

#include <gdino/error.h>

#include "aoti/backend_aoti.h"
#include "backend.h"

static const struct
{
  const char *device_type;
  const GdinoBackend *backend;
} backends[] = {
  {"cpu", &gdino_backend_aoti},
  {"cuda", &gdino_backend_aoti},
};

const GdinoBackend *
gdino_backend_find (const char *device, GError ** error)
{
  g_auto (GStrv) parts = g_strsplit (device, ":", 2);

  for (guint i = 0; i < G_N_ELEMENTS (backends); i++)
    if (g_strcmp0 (parts[0], backends[i].device_type) == 0)
      return backends[i].backend;
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE,
      "this build of the library cannot run graphs on \"%s\"", device);
  return NULL;
}
