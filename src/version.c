/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Version numbers of torch, out of the texts that hold them. */

#include "version.h"

#include <string.h>

/* Digits at *@text, at most four; moves behind them. */
static gboolean
parse_number (const char **text, guint * value)
{
  guint number = 0;
  guint digits = 0;

  for (; g_ascii_isdigit (**text) && digits < 5; (*text)++, digits++)
    number = number * 10 + (guint) (**text - '0');
  if (digits < 1 || digits > 4)
    return FALSE;
  *value = number;
  return TRUE;
}

gboolean
gdino_version_parse (const char *text, guint * major, guint * minor)
{
  guint first, second;

  if (!parse_number (&text, &first) || *text++ != '.'
      || !parse_number (&text, &second))
    return FALSE;
  if (*text != '\0' && strchr (".+-", *text) == NULL
      && !g_ascii_isalpha (*text))
    return FALSE;
  *major = first;
  *minor = second;
  return TRUE;
}

/* What of @text may belong to a version. */
static char *
take_version (const char *text)
{
  gsize length = 0;
  g_autofree char *version = NULL;
  guint major, minor;

  while (g_ascii_isalnum (text[length]) || (text[length] != '\0'
          && strchr (".+-_", text[length]) != NULL))
    length++;
  version = g_strndup (text, length);
  if (!gdino_version_parse (version, &major, &minor))
    return NULL;
  return g_steal_pointer (&version);
}

char *
gdino_version_find (const char *text)
{
  const char *name = strstr (text, "__version__ =");

  /* version.py also names __version__ in a list of its members. */
  if (name == NULL)
    name = strstr (text, "__version__:");
  if (name == NULL)
    return take_version (text);
  name = strpbrk (name, "'\"");
  return name ? take_version (name + 1) : NULL;
}

char *
gdino_version_from_file_name (const char *path)
{
  g_autofree char *name = g_path_get_basename (path);
  const char *suffix = strstr (name, ".so.");

  return suffix ? take_version (suffix + strlen (".so.")) : NULL;
}
