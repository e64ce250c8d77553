/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Strict reading of JSON over json-glib. Knows nothing of packages but the
 * longest string they may hold. */

#include "json.h"

#include <gdino/error.h>
#include <math.h>
#include <string.h>

#include "manifest.h"

#define SHOWN_CHARACTERS 80

char *
gdino_json_where (GdinoJson json, const char *member)
{
  if (json.path[0] == '\0')
    return g_strdup (member);
  return g_strdup_printf ("%s.%s", json.path, member);
}

char *
gdino_json_describe (JsonNode * node)
{
  g_autofree char *text = json_to_string (node, FALSE);
  g_autofree char *escaped = NULL;
  glong shown = SHOWN_CHARACTERS;

  if (text == NULL || !g_utf8_validate (text, -1, NULL))
    return g_strdup ("something unreadable");
  if (g_utf8_strlen (text, -1) <= shown)
    return g_steal_pointer (&text);
  escaped = g_utf8_substring (text, 0, shown);
  return g_strdup_printf ("%s...", escaped);
}

/* Looks at what json-glib would accept too much of. */
static gboolean
check_text (const char *data, gsize length, guint max_depth, GError ** error)
{
  gboolean in_string = FALSE;
  gboolean ended = FALSE;
  guint depth = 0;

  if (!g_utf8_validate_len (data, length, NULL)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
        "found bytes that are not UTF-8, wanted JSON");
    return FALSE;
  }
  for (gsize i = 0; i < length; i++) {
    const char c = data[i];

    if (ended && !g_ascii_isspace (c)) {
      g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
          "found more behind the end of the JSON object");
      return FALSE;
    }
    if (in_string) {
      if (c == '\\')
        i++;
      else if (c == '"')
        in_string = FALSE;
    } else if (c == '"') {
      in_string = TRUE;
    } else if (c == '{' || c == '[') {
      if (++depth > max_depth) {
        g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
            "found objects nested deeper than %u, wanted a manifest",
            max_depth);
        return FALSE;
      }
    } else if (c == '}' || c == ']') {
      depth -= depth > 0;
      ended = depth == 0;
    } else if (!g_ascii_isspace (c) && !g_ascii_isalnum (c)
        && strchr (":,+-.", c) == NULL) {
      g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
          "found the byte 0x%02x outside of strings, wanted JSON", (guchar) c);
      return FALSE;
    }
  }
  return TRUE;
}

JsonNode *
gdino_json_parse (const char *data, gsize length, guint max_depth,
    GError ** error)
{
  g_autoptr (JsonParser) parser = NULL;
  g_autoptr (GError) why = NULL;
  JsonNode *root;

  if (!check_text (data, length, max_depth, error))
    return NULL;
  /* Not the immutable kind: json-glib 1.10 stops the process on some documents
   * that break off. */
  parser = json_parser_new ();
  if (!json_parser_load_from_data (parser, data, (gssize) length, &why)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
        "not JSON: %s", why->message);
    return NULL;
  }
  root = json_parser_get_root (parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root)) {
    g_autofree char *found =
        root ? gdino_json_describe (root) : g_strdup ("nothing");

    g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
        "found %s, wanted a JSON object", found);
    return NULL;
  }
  return json_node_copy (root);
}

static void
set_unwanted (GdinoJson json, const char *member, JsonNode * node,
    const char *wanted, GError ** error)
{
  g_autofree char *where = gdino_json_where (json, member);
  g_autofree char *found =
      node ? gdino_json_describe (node) : g_strdup ("nothing");

  g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
      "%s: found %s, wanted %s", where, found, wanted);
}

static gboolean
holds (JsonNode * node, GType type)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
      && json_node_get_value_type (node) == type;
}

gboolean
gdino_json_has_member (GdinoJson json, const char *member)
{
  return json_object_has_member (json.object, member)
      && !json_object_get_null_member (json.object, member);
}

JsonObject *
gdino_json_get_object (GdinoJson json, const char *member, GError ** error)
{
  JsonNode *node = json_object_get_member (json.object, member);

  if (node != NULL && JSON_NODE_HOLDS_OBJECT (node))
    return json_node_get_object (node);
  set_unwanted (json, member, node, "an object", error);
  return NULL;
}

JsonArray *
gdino_json_get_array (GdinoJson json, const char *member, guint min, guint max,
    GError ** error)
{
  JsonNode *node = json_object_get_member (json.object, member);
  g_autofree char *wanted = NULL;

  if (node != NULL && JSON_NODE_HOLDS_ARRAY (node)) {
    JsonArray *array = json_node_get_array (node);
    guint length = json_array_get_length (array);

    if (length >= min && length <= max)
      return array;
  }
  if (min == max)
    wanted = g_strdup_printf ("an array of %u elements", min);
  else
    wanted = g_strdup_printf ("an array of %u to %u elements", min, max);
  set_unwanted (json, member, node, wanted, error);
  return NULL;
}

gboolean
gdino_json_get_uint64 (GdinoJson json, const char *member, guint64 min,
    guint64 max, guint64 * value, GError ** error)
{
  JsonNode *node = json_object_get_member (json.object, member);
  g_autofree char *wanted = NULL;

  if (holds (node, G_TYPE_INT64)) {
    gint64 found = json_node_get_int (node);

    if (found >= 0 && (guint64) found >= min && (guint64) found <= max) {
      *value = (guint64) found;
      return TRUE;
    }
  }
  if (min == max)
    wanted = g_strdup_printf ("%" G_GUINT64_FORMAT, min);
  else
    wanted = g_strdup_printf ("a whole number from %" G_GUINT64_FORMAT " to %"
        G_GUINT64_FORMAT, min, max);
  set_unwanted (json, member, node, wanted, error);
  return FALSE;
}

gboolean
gdino_json_get_uint (GdinoJson json, const char *member, guint min, guint max,
    guint * value, GError ** error)
{
  guint64 wide;

  if (!gdino_json_get_uint64 (json, member, min, max, &wide, error))
    return FALSE;
  *value = (guint) wide;
  return TRUE;
}

gboolean
gdino_json_get_number (GdinoJson json, const char *member, double min,
    double max, double *value, GError ** error)
{
  JsonNode *node = json_object_get_member (json.object, member);
  g_autofree char *wanted = NULL;

  if (holds (node, G_TYPE_INT64) || holds (node, G_TYPE_DOUBLE)) {
    double found = json_node_get_double (node);

    if (isfinite (found) && found >= min && found <= max) {
      *value = found;
      return TRUE;
    }
  }
  wanted = g_strdup_printf ("a number from %g to %g", min, max);
  set_unwanted (json, member, node, wanted, error);
  return FALSE;
}

/* Asks each element for its number by lending it a name. */
gboolean
gdino_json_get_numbers (GdinoJson json, const char *member, guint count,
    double min, double max, double *values, GError ** error)
{
  JsonArray *array = gdino_json_get_array (json, member, count, count, error);

  if (array == NULL)
    return FALSE;
  for (guint i = 0; i < count; i++) {
    g_autoptr (JsonObject) holder = json_object_new ();
    g_autofree char *name = g_strdup_printf ("%s[%u]", member, i);
    const GdinoJson element = { holder, json.path };

    json_object_set_member (holder, name, json_array_dup_element (array, i));
    if (!gdino_json_get_number (element, name, min, max, &values[i], error))
      return FALSE;
  }
  return TRUE;
}

gboolean
gdino_json_get_boolean (GdinoJson json, const char *member, gboolean * value,
    GError ** error)
{
  JsonNode *node = json_object_get_member (json.object, member);

  if (holds (node, G_TYPE_BOOLEAN)) {
    *value = json_node_get_boolean (node);
    return TRUE;
  }
  set_unwanted (json, member, node, "true or false", error);
  return FALSE;
}

char *
gdino_json_dup_string (GdinoJson json, const char *member, GError ** error)
{
  JsonNode *node = json_object_get_member (json.object, member);
  const char *found = NULL;
  gsize length;

  if (holds (node, G_TYPE_STRING)) {
    found = json_node_get_string (node);
    length = strlen (found);
    for (gsize i = 0; i < length && found != NULL; i++)
      if (g_ascii_iscntrl (found[i]))
        found = NULL;
    if (found != NULL && length >= 1 && length <= GDINO_MANIFEST_MAX_STRING)
      return g_strdup (found);
  }
  set_unwanted (json, member, node,
      "a text of 1 to " G_STRINGIFY (GDINO_MANIFEST_MAX_STRING)
      " bytes without control characters", error);
  return NULL;
}

/* The text of @member must be @wanted: what else it may say one day is for
 * another version of the library. */
gboolean
gdino_json_expect_string (GdinoJson json, const char *member,
    const char *wanted, GError ** error)
{
  g_autofree char *found = gdino_json_dup_string (json, member, error);
  g_autofree char *where = NULL;

  if (found == NULL)
    return FALSE;
  if (g_str_equal (found, wanted))
    return TRUE;
  where = gdino_json_where (json, member);
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE,
      "%s: found \"%s\", wanted \"%s\"", where, found, wanted);
  return FALSE;
}

gboolean
gdino_json_expect_uint (GdinoJson json, const char *member, guint wanted,
    GError ** error)
{
  JsonNode *node = json_object_get_member (json.object, member);
  g_autofree char *where = NULL;
  g_autofree char *number = g_strdup_printf ("%u", wanted);
  gint64 found;

  if (!holds (node, G_TYPE_INT64) || json_node_get_int (node) < 0) {
    set_unwanted (json, member, node, number, error);
    return FALSE;
  }
  found = json_node_get_int (node);
  if (found == wanted)
    return TRUE;
  where = gdino_json_where (json, member);
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE,
      "%s: found %" G_GINT64_FORMAT ", wanted %s", where, found, number);
  return FALSE;
}

/* A name that cannot lead out of the folder. */
char *
gdino_json_dup_file_name (GdinoJson json, const char *member, GError ** error)
{
  g_autofree char *name = gdino_json_dup_string (json, member, error);
  g_autofree char *where = NULL;

  if (name == NULL)
    return NULL;
  if (strpbrk (name, "/\\") == NULL && name[0] != '.' && strlen (name) <= 255)
    return g_steal_pointer (&name);
  where = gdino_json_where (json, member);
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
      "%s: found \"%s\", wanted the plain name of a file in the package",
      where, name);
  return NULL;
}
