/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "json-text.h"

char *
json_text_new (JsonNode * root, gboolean pretty)
{
  g_autofree char *text = json_to_string (root, pretty);
  g_auto (GStrv) parts = NULL;

  /* json-glib 1.6 leaves U+001F in strings unescaped; JSON itself has none. */
  parts = g_strsplit (text, "\x1f", -1);
  return g_strjoinv ("\\u001f", parts);
}
