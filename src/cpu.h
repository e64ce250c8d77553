/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The instruction set of this machine, by the kernel's names. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Which of @wanted the processors described by @cpuinfo, the text of
 * /proc/cpuinfo, lack: "flags" (x86) or "Features" (Arm). Something that only
 * some processors have is lacking; so is everything when no line tells.
 * Returns: (transfer full): NULL-terminated, possibly empty */
char **gdino_cpu_missing (const char *cpuinfo, const char *const *wanted);

/* Whether this machine is of architecture @arch, as uname -m says, and has all
 * @features. Returns FALSE with GDINO_ERROR_INCOMPATIBLE naming what is
 * missing. Thread-safety: Safe. */
gboolean gdino_cpu_check (const char *arch, const char *const *features,
    GError ** error);

G_END_DECLS
