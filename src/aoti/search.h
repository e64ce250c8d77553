/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Finding and opening libtorch at run time. Knows no function of it but the
 * one that tells its version. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Where to look, in this order: the process itself, @environment_dir,
 * @package_dir, then @system_names, each a file name for dlopen() or a path. */
typedef struct
{
  const char *environment_dir;  /* (nullable) value of GDINO_TORCH_LIB_DIR */
  const char *package_dir;      /* (nullable) */
  const char *const *system_names;      /* NULL-terminated */
  const char *version;          /* wanted; major and minor must agree */
} GdinoTorchSearch;

/* A libtorch_cpu in this process; never closed. */
typedef struct
{
  gpointer module;              /* for dlsym() */
  char *path;                   /* of the file */
  char *version;                /* such as "2.13" or "2.6.0" */
} GdinoTorchModule;

/* Opens the first libtorch of the version wanted, its symbols visible to what
 * is opened later. One that is in the process already is the only candidate,
 * as no process can hold two.
 *
 * The version is asked of the library; of torch 2.6, which cannot tell, it is
 * read from the file's name (libtorch_cpu.so.2.6) or beside it (../version.py
 * of a Python package, ../build-version of a plain libtorch). A library whose
 * version cannot be learned is refused.
 *
 * Returns: FALSE with GDINO_ERROR_RUNTIME or, when only the version stood in
 *   the way, GDINO_ERROR_INCOMPATIBLE; the message lists each place with the
 *   reason. Thread-safety: Unsafe, the caller has a lock. */
gboolean gdino_torch_search (const GdinoTorchSearch * search,
    GdinoTorchModule * result, GError ** error);

/* Names and paths under which a system keeps libtorch @version.
 * Returns: (transfer full): NULL-terminated */
char **gdino_torch_system_names (const char *version);

G_END_DECLS
