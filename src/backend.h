/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The seam between the core and whatever runs compiled graphs. */
#pragma once

#include <glib.h>

#include "graph.h"

G_BEGIN_DECLS

typedef struct _GdinoBackend GdinoBackend;

/* What a backend needs to know of the package besides the graph. */
typedef struct
{
  const char *device;           /* resolved: "cpu" or "cuda:N" */
  const char *torch_version;    /* compiled with, such as "2.13.0" */
  const char *torch_library_dir;        /* (nullable) a hint */
} GdinoBackendTarget;

struct _GdinoBackend
{
  const char *name;

  /* Opens the run-time library that @target would be run with, and nothing
   * else. @path and @version: (out) (transfer full), untouched on failure. */
  gboolean (*find) (const GdinoBackendTarget * target, char **path,
      char **version, GError ** error);

  /* Loads @info. Returns a graph handle or NULL with @error set. Blocking. */
  gpointer (*open) (const GdinoGraphInfo * info,
      const GdinoBackendTarget * target, GError ** error);

  /* Runs the graph: reads @inputs, writes into the caller's memory of
   * @outputs, which is undefined after a failure. Calls on one graph never
   * overlap; calls on two graphs may. */
    gboolean (*run) (gpointer graph, const GdinoTensor * inputs,
      const GdinoTensor * outputs, GError ** error);

  /* Frees the handle; accepts NULL. Shared objects stay loaded. */
  void (*close) (gpointer graph);
};

/* Backends for a device string, best first: the only list of them. Returns
 * NULL with GDINO_ERROR_INCOMPATIBLE when this build has none. */
const GdinoBackend *gdino_backend_find (const char *device, GError ** error);

G_END_DECLS
