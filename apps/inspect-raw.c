/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "inspect-raw.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_BYTES (1024 * 1024)
#define MAX_DEPTH 16
#define MAX_FILES 100

/* json-glib descends as deep as the text does. */
static gboolean
is_shallow (const char *text)
{
  gboolean in_string = FALSE;
  guint depth = 0;

  for (; *text != '\0'; text++) {
    if (in_string && *text == '\\' && text[1] != '\0')
      text++;
    else if (*text == '"')
      in_string = !in_string;
    else if (!in_string && (*text == '{' || *text == '['))
      depth++;
    else if (!in_string && (*text == '}' || *text == ']') && depth > 0)
      depth--;
    if (depth > MAX_DEPTH)
      return FALSE;
  }
  return TRUE;
}

/* Follows links, as opening does. */
static gboolean
is_regular (const char *path, gint64 * size)
{
  GStatBuf status;

  if (g_stat (path, &status) != 0 || !S_ISREG (status.st_mode))
    return FALSE;
  *size = status.st_size;
  return TRUE;
}

JsonNode *
inspect_raw_manifest (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "manifest.json", NULL);
  g_autoptr (JsonParser) parser = NULL;
  g_autofree char *text = NULL;
  JsonNode *root;
  gint64 size;
  gsize length;

  if (!is_regular (path, &size) || size > MAX_BYTES
      || !g_file_get_contents (path, &text, &length, NULL)
      || !g_utf8_validate_len (text, length, NULL) || !is_shallow (text))
    return NULL;
  parser = json_parser_new_immutable ();
  if (!json_parser_load_from_data (parser, text, (gssize) length, NULL))
    return NULL;
  root = json_parser_get_root (parser);
  return root != NULL && JSON_NODE_HOLDS_OBJECT (root)
      ? json_node_copy (root) : NULL;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

JsonArray *
inspect_raw_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  JsonArray *files;
  const char *name;

  if (dir == NULL)
    return NULL;
  while ((name = g_dir_read_name (dir)) != NULL && names->len < MAX_FILES)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  files = json_array_new ();
  for (guint i = 0; i < names->len; i++) {
    const char *entry = g_ptr_array_index (names, i);
    g_autofree char *path = g_build_filename (folder, entry, NULL);
    g_autofree char *shown = g_filename_display_name (entry);
    JsonObject *object;
    gint64 size;

    if (!is_regular (path, &size))
      continue;
    object = json_object_new ();
    json_object_set_string_member (object, "name", shown);
    json_object_set_int_member (object, "size", size);
    json_array_add_object_element (files, object);
  }
  return files;
}
