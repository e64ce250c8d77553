/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "json-text.h"

#include <string.h>

/* Returns: what follows the string that begins at @at. */
static const char *
skip_string (const char *at)
{
  for (at++; *at != '\0' && *at != '"'; at++)
    if (*at == '\\' && at[1] != '\0')
      at++;
  return *at == '"' ? at + 1 : at;
}

/* Returns: what follows the array that begins at @at, or NULL when it holds an
 * object. */
static const char *
skip_plain_array (const char *at)
{
  guint depth = 0;

  while (*at != '\0' && *at != '{') {
    if (*at == '"') {
      at = skip_string (at);
      continue;
    }
    depth += *at == '[';
    depth -= *at == ']';
    at++;
    if (depth == 0)
      return at;
  }
  return NULL;
}

/* Copies up to @end without line breaks and indentation; outside strings JSON
 * has no other blanks after one of "[],". */
static void
append_joined (GString * out, const char *at, const char *end)
{
  while (at < end) {
    const char *next = *at == '"' ? skip_string (at) : at + 1;

    if (!g_ascii_isspace (*at))
      g_string_append_len (out, at, next - at);
    if (*at == ',')
      g_string_append_c (out, ' ');
    at = next;
  }
}

/* Puts each array of plain values on one line. */
static char *
join_arrays (const char *at)
{
  GString *out = g_string_new (NULL);

  while (*at != '\0') {
    const char *next = *at == '"' ? skip_string (at) : at + 1;
    const char *end = *at == '[' ? skip_plain_array (at) : NULL;

    if (end != NULL)
      append_joined (out, at, end);
    else
      g_string_append_len (out, at, next - at);
    at = end ? end : next;
  }
  return g_string_free (out, FALSE);
}

/* The fewest digits that read back as the same number. */
static void
append_number (GString * out, const char *at, const char *end)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  const double value = g_ascii_strtod (at, NULL);

  /* Whole numbers stay as they are, however large. */
  if (memchr (at, '.', (gsize) (end - at)) == NULL) {
    g_string_append_len (out, at, end - at);
    return;
  }
  g_ascii_formatd (text, sizeof text, "%.15g", value);
  if (g_ascii_strtod (text, NULL) != value)
    g_ascii_formatd (text, sizeof text, "%.16g", value);
  if (g_ascii_strtod (text, NULL) != value)
    g_ascii_dtostr (text, sizeof text, value);
  g_string_append (out, text);
  /* It stays a number with a fraction. */
  if (strpbrk (text, ".en") == NULL)
    g_string_append (out, ".0");
}

/* json-glib writes 0.1 with all its 17 digits. */
static char *
shorten_numbers (const char *at)
{
  GString *out = g_string_new (NULL);

  while (*at != '\0') {
    const char *next = *at == '"' ? skip_string (at) : at + 1;

    if (g_ascii_isdigit (*at) || *at == '-') {
      next = at + strspn (at, "+-.0123456789eE");
      append_number (out, at, next);
    } else {
      g_string_append_len (out, at, next - at);
    }
    at = next;
  }
  return g_string_free (out, FALSE);
}

char *
json_text_new (JsonNode * root, gboolean pretty)
{
  g_autofree char *plain = json_to_string (root, pretty);
  g_autofree char *text = shorten_numbers (plain);
  g_autofree char *joined = pretty ? join_arrays (text) : NULL;
  g_auto (GStrv) parts = NULL;

  /* json-glib 1.6 leaves U+001F in strings unescaped; JSON itself has none. */
  parts = g_strsplit (joined ? joined : text, "\x1f", -1);
  return g_strjoinv ("\\u001f", parts);
}
