/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* A look at a shared object before the dynamic loader gets it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether the file holds all that its program headers say is to be mapped: the
 * loader does not check, and touching what is missing ends the process with
 * SIGBUS. Anything else that is wrong with it is left to the loader.
 * Returns: FALSE with GDINO_ERROR_GRAPH naming @path. Thread-safety: Safe. */
gboolean gdino_elf_check_complete (const char *path, GError ** error);

G_END_DECLS
