/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Strict reading of JSON: every value is asked for by type and range, and each
 * error says where it is, what was found and what was wanted. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* An object and where it is: "" for the outermost. */
typedef struct
{
  JsonObject *object;
  const char *path;
} GdinoJson;

/* Parses @length bytes that must hold one object, nested at most @max_depth
 * deep. json-glib takes comments and other extras, and nests without limit:
 * both are refused here first.
 * Returns: (transfer full) (nullable): NULL with GDINO_ERROR_CORRUPT */
JsonNode *gdino_json_parse (const char *data, gsize length, guint max_depth,
    GError ** error);

/* FALSE where it is absent and where it is null. */
gboolean gdino_json_has_member (GdinoJson json, const char *member);

/* Each of these returns FALSE or NULL with GDINO_ERROR_CORRUPT when the member
 * is missing, of another type or out of range; outputs are untouched then. */

/* (transfer none) */
JsonObject *gdino_json_get_object (GdinoJson json, const char *member,
    GError ** error);

/* (transfer none): an array of @min to @max elements */
JsonArray *gdino_json_get_array (GdinoJson json, const char *member,
    guint min, guint max, GError ** error);

gboolean gdino_json_get_uint (GdinoJson json, const char *member,
    guint min, guint max, guint * value, GError ** error);

gboolean gdino_json_get_uint64 (GdinoJson json, const char *member,
    guint64 min, guint64 max, guint64 * value, GError ** error);

gboolean gdino_json_get_number (GdinoJson json, const char *member,
    double min, double max, double *value, GError ** error);

/* An array of @count numbers; @values may be partly filled on failure. */
gboolean gdino_json_get_numbers (GdinoJson json, const char *member,
    guint count, double min, double max, double *values, GError ** error);

gboolean gdino_json_get_boolean (GdinoJson json, const char *member,
    gboolean * value, GError ** error);

/* (transfer full): 1 to GDINO_MANIFEST_MAX_STRING bytes, no control characters */
char *gdino_json_dup_string (GdinoJson json, const char *member,
    GError ** error);

/* (transfer full): a name that cannot lead out of a folder: 1 to 255 bytes, no
 * slash or backslash, no dot in front */
char *gdino_json_dup_file_name (GdinoJson json, const char *member,
    GError ** error);

/* These fail with GDINO_ERROR_INCOMPATIBLE when the value is sound but another
 * one: what it may say one day is for another version of the library. */
gboolean gdino_json_expect_string (GdinoJson json, const char *member,
    const char *wanted, GError ** error);
gboolean gdino_json_expect_uint (GdinoJson json, const char *member,
    guint wanted, GError ** error);

/* (transfer full): text of any node for a message, shortened */
char *gdino_json_describe (JsonNode * node);

/* (transfer full): "canvas.width", or "width" at the top */
char *gdino_json_where (GdinoJson json, const char *member);

G_END_DECLS
