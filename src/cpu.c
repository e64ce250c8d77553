/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The instruction set of this machine, by the kernel's names. Knows no
 * package. */

#include "cpu.h"

#include <gdino/error.h>
#include <string.h>
#include <sys/utsname.h>

/* The words after the colon, or NULL when the line is not one of features. */
static char **
line_features (const char *line)
{
  const char *colon = strchr (line, ':');
  g_autofree char *key = NULL;

  if (colon == NULL)
    return NULL;
  key = g_strstrip (g_strndup (line, (gsize) (colon - line)));
  if (!g_str_equal (key, "flags") && !g_str_equal (key, "Features"))
    return NULL;
  return g_strsplit_set (colon + 1, " \t", -1);
}

char **
gdino_cpu_missing (const char *cpuinfo, const char *const *wanted)
{
  g_auto (GStrv) lines = g_strsplit (cpuinfo, "\n", -1);
  g_autoptr (GPtrArray) known = NULL;
  g_autoptr (GPtrArray) missing = g_ptr_array_new ();

  known = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  for (guint i = 0; lines[i] != NULL; i++) {
    char **features = line_features (lines[i]);

    if (features != NULL)
      g_ptr_array_add (known, features);
  }
  for (guint i = 0; wanted[i] != NULL; i++) {
    gboolean found = known->len > 0;

    for (guint k = 0; k < known->len && found; k++)
      found = g_strv_contains (g_ptr_array_index (known, k), wanted[i]);
    if (!found)
      g_ptr_array_add (missing, g_strdup (wanted[i]));
  }
  g_ptr_array_add (missing, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&missing), FALSE);
}

gboolean
gdino_cpu_check (const char *arch, const char *const *features, GError ** error)
{
  g_autofree char *cpuinfo = NULL;
  g_autofree char *list = NULL;
  g_auto (GStrv) missing = NULL;
  struct utsname machine;

  if (uname (&machine) != 0 || !g_str_equal (machine.machine, arch)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE,
        "compiled for %s, but this machine is %s; compile the package here",
        arch, machine.machine);
    return FALSE;
  }
  if (features[0] == NULL)
    return TRUE;
  if (!g_file_get_contents ("/proc/cpuinfo", &cpuinfo, NULL, NULL)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE,
        "/proc/cpuinfo cannot be read, so it is not known whether this "
        "processor has the instructions that the package needs");
    return FALSE;
  }
  missing = gdino_cpu_missing (cpuinfo, features);
  if (missing[0] == NULL)
    return TRUE;
  list = g_strjoinv (" ", missing);
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE,
      "this processor lacks instructions that the package was compiled for: "
      "%s; compile the package here", list);
  return FALSE;
}
