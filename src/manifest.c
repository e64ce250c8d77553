/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Reads manifest.json, member by member. Knows no tensor library. */

#include "manifest.h"

#include <gdino/error.h>
#include <string.h>

#include "graphs.h"
#include "json.h"
#include "target.h"

static void
clear_graph (GdinoGraphInfo * info)
{
  for (guint i = 0; i < GDINO_GRAPH_MAX_TENSORS; i++) {
    g_free (info->inputs[i].name);
    g_free (info->outputs[i].name);
  }
  g_free (info->name);
  g_free (info->path);
}

void
gdino_manifest_free (GdinoManifest * self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n_files; i++) {
    g_free (self->files[i].name);
    g_free (self->files[i].sha256);
  }
  clear_graph (&self->text);
  clear_graph (&self->frame);
  g_free (self->generator);
  g_free (self->source_name);
  g_free (self->source_sha256);
  g_free (self->licence);
  g_free (self->precision);
  g_free (self->vocabulary);
  g_free (self->text_file);
  g_free (self->frame_file);
  g_free (self->device);
  g_free (self->arch);
  g_strfreev (self->cpu_features);
  g_free (self->compute_capability);
  g_free (self->torch_version);
  g_free (self->torch_library_dir);
  g_free (self->probe);
  g_free (self);
}

const GdinoManifestFile *
gdino_manifest_find_file (const GdinoManifest * self, const char *name)
{
  for (guint i = 0; i < self->n_files; i++)
    if (g_str_equal (self->files[i].name, name))
      return &self->files[i];
  return NULL;
}

static gboolean
is_sha256 (const char *text)
{
  return strlen (text) == 64 && strspn (text, "0123456789abcdef") == 64;
}

static char *
dup_sha256 (GdinoJson json, const char *member, GError ** error)
{
  g_autofree char *digest = gdino_json_dup_string (json, member, error);
  g_autofree char *where = NULL;

  if (digest == NULL || is_sha256 (digest))
    return g_steal_pointer (&digest);
  where = gdino_json_where (json, member);
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
      "%s: found \"%s\", wanted 64 lower-case hexadecimal digits", where,
      digest);
  return NULL;
}

static gboolean
read_source (GdinoManifest * self, JsonObject * root, GError ** error)
{
  GdinoJson json = { root, "" };

  self->generator = gdino_json_dup_string (json, "generator", error);
  if (self->generator == NULL)
    return FALSE;
  if (!gdino_json_expect_string (json, "architecture", "grounding-dino", error))
    return FALSE;
  json.object = gdino_json_get_object (json, "source", error);
  json.path = "source";
  if (json.object == NULL)
    return FALSE;
  self->source_name = gdino_json_dup_string (json, "name", error);
  if (self->source_name == NULL)
    return FALSE;
  self->source_sha256 = dup_sha256 (json, "sha256", error);
  if (self->source_sha256 == NULL)
    return FALSE;
  if (!gdino_json_has_member (json, "license"))
    return TRUE;
  self->licence = gdino_json_dup_string (json, "license", error);
  return self->licence != NULL;
}

static gboolean
read_canvas (GdinoManifest * self, JsonObject * root, GError ** error)
{
  GdinoJson json = { root, "" };
  double numbers[3];

  json.object = gdino_json_get_object (json, "canvas", error);
  json.path = "canvas";
  if (json.object == NULL
      || !gdino_json_get_uint (json, "width", GDINO_MANIFEST_MIN_CANVAS,
          GDINO_MANIFEST_MAX_CANVAS, &self->width, error)
      || !gdino_json_get_uint (json, "height", GDINO_MANIFEST_MIN_CANVAS,
          GDINO_MANIFEST_MAX_CANVAS, &self->height, error)
      || !gdino_json_expect_string (json, "channels", "RGB", error)
      || !gdino_json_expect_string (json, "resize", "letterbox", error)
      || !gdino_json_expect_string (json, "normalization", "in-graph", error)
      || !gdino_json_get_numbers (json, "mean", 3, -1e6, 1e6, self->mean, error)
      || !gdino_json_get_numbers (json, "std", 3, 1e-6, 1e6, self->std, error)
      || !gdino_json_get_numbers (json, "pad", 3, 0, 255, numbers, error))
    return FALSE;
  for (guint i = 0; i < 3; i++) {
    self->pad[i] = (guint8) numbers[i];
    if (self->pad[i] != numbers[i]) {
      g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
          "canvas.pad[%u]: found %g, wanted a whole number from 0 to 255",
          i, numbers[i]);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
read_precision (GdinoManifest * self, GdinoJson json, GError ** error)
{
  if (!gdino_json_has_member (json, "precision")) {
    self->precision = g_strdup ("fp32");
    return TRUE;
  }
  self->precision = gdino_json_dup_string (json, "precision", error);
  if (self->precision == NULL)
    return FALSE;
  if (g_str_equal (self->precision, "fp32")
      || g_str_equal (self->precision, "bf16"))
    return TRUE;
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE,
      "precision: found \"%s\", wanted \"fp32\" or \"bf16\"", self->precision);
  return FALSE;
}

static gboolean
read_sizes (GdinoManifest * self, JsonObject * root, GError ** error)
{
  const GdinoJson json = { root, "" };

  return gdino_json_get_uint (json, "batch", 1, GDINO_MANIFEST_MAX_BATCH,
      &self->batch, error)
      && read_precision (self, json, error)
      && gdino_json_get_uint (json, "queries", 1, GDINO_MANIFEST_MAX_QUERIES,
      &self->queries, error)
      && gdino_json_get_uint (json, "text_tokens",
      GDINO_MANIFEST_MIN_TEXT_TOKENS, GDINO_MANIFEST_MAX_TEXT_TOKENS,
      &self->text_tokens, error)
      && gdino_json_get_uint (json, "features", 1,
      GDINO_MANIFEST_MAX_FEATURES, &self->features, error);
}

static gboolean
read_text_rules (GdinoManifest * self, JsonObject * root, GError ** error)
{
  static const char wanted[] = "[\".\",\"?\"]";
  GdinoJson json = { root, "" };
  g_autofree char *delimiters = NULL;
  gboolean lower_case;

  json.object = gdino_json_get_object (json, "text", error);
  json.path = "text";
  if (json.object == NULL)
    return FALSE;
  self->vocabulary = gdino_json_dup_file_name (json, "vocabulary", error);
  if (self->vocabulary == NULL
      || !gdino_json_get_boolean (json, "lower_case", &lower_case, error)
      || !gdino_json_get_uint (json, "pad_id", 0, GDINO_MANIFEST_MAX_TOKEN_ID,
          &self->pad_id, error)
      || !gdino_json_get_uint (json, "unk_id", 0, GDINO_MANIFEST_MAX_TOKEN_ID,
          &self->unk_id, error)
      || !gdino_json_get_uint (json, "cls_id", 0, GDINO_MANIFEST_MAX_TOKEN_ID,
          &self->cls_id, error)
      || !gdino_json_get_uint (json, "sep_id", 0, GDINO_MANIFEST_MAX_TOKEN_ID,
          &self->sep_id, error)
      || gdino_json_get_array (json, "delimiters", 1, 16, error) == NULL)
    return FALSE;
  if (!lower_case) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE,
        "text.lower_case: found false, wanted true");
    return FALSE;
  }
  delimiters = gdino_json_describe (json_object_get_member (json.object,
          "delimiters"));
  if (!g_str_equal (delimiters, wanted)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE,
        "text.delimiters: found %s, wanted %s", delimiters, wanted);
    return FALSE;
  }
  return TRUE;
}

static gboolean
read_defaults (GdinoManifest * self, JsonObject * root, GError ** error)
{
  GdinoJson json = { root, "" };
  double box, text;

  json.object = gdino_json_get_object (json, "defaults", error);
  json.path = "defaults";
  if (json.object == NULL
      || !gdino_json_get_number (json, "box_threshold", 0, 1, &box, error)
      || !gdino_json_get_number (json, "text_threshold", 0, 1, &text, error))
    return FALSE;
  self->box_threshold = (float) box;
  self->text_threshold = (float) text;
  return TRUE;
}

static gboolean
read_probe (GdinoManifest * self, JsonObject * root, GError ** error)
{
  const GdinoJson json = { root, "" };

  if (!gdino_json_has_member (json, "probe"))
    return TRUE;
  self->probe = gdino_json_dup_file_name (json, "probe", error);
  return self->probe != NULL;
}

static gboolean
read_file (GdinoManifest * self, GdinoJson files, const char *name,
    GError ** error)
{
  GdinoManifestFile *file = &self->files[self->n_files];
  g_autoptr (JsonObject) holder = json_object_new ();
  g_autofree char *path = gdino_json_where (files, name);
  g_autofree char *checked = NULL;
  GdinoJson entry = { holder, "files" };

  json_object_set_string_member (holder, "(name)", name);
  checked = gdino_json_dup_file_name (entry, "(name)", error);
  if (checked == NULL)
    return FALSE;
  entry.object = gdino_json_get_object (files, name, error);
  entry.path = path;
  if (entry.object == NULL
      || !gdino_json_get_uint64 (entry, "size", 1,
          GDINO_MANIFEST_MAX_FILE_SIZE, &file->size, error))
    return FALSE;
  file->sha256 = dup_sha256 (entry, "sha256", error);
  if (file->sha256 == NULL)
    return FALSE;
  file->name = g_steal_pointer (&checked);
  self->n_files++;
  return TRUE;
}

static gboolean
read_files (GdinoManifest * self, JsonObject * root, GError ** error)
{
  GdinoJson json = { root, "" };
  const char *const needed[] = { self->text_file, self->frame_file,
    self->vocabulary, self->probe
  };
  g_autoptr (GList) names = NULL;

  json.object = gdino_json_get_object (json, "files", error);
  json.path = "files";
  if (json.object == NULL)
    return FALSE;
  if (json_object_get_size (json.object) > GDINO_MANIFEST_MAX_FILES) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
        "files: found %u entries, wanted at most %u",
        json_object_get_size (json.object), GDINO_MANIFEST_MAX_FILES);
    return FALSE;
  }
  names = json_object_get_members (json.object);
  for (GList * l = names; l != NULL; l = l->next)
    if (!read_file (self, json, l->data, error))
      return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (needed); i++) {
    if (needed[i] != NULL && gdino_manifest_find_file (self, needed[i]) == NULL) {
      g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
          "files.%s: found nothing, wanted size and sha256", needed[i]);
      return FALSE;
    }
  }
  return TRUE;
}

GdinoManifest *
gdino_manifest_parse (const char *data, gsize length, GError ** error)
{
  g_autoptr (GdinoManifest) self = g_new0 (GdinoManifest, 1);
  g_autoptr (JsonNode) root = NULL;
  GdinoJson json = { NULL, "" };
  JsonObject *object;

  if (length > GDINO_MANIFEST_MAX_BYTES) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
        "found %" G_GSIZE_FORMAT " bytes, wanted at most %u", length,
        GDINO_MANIFEST_MAX_BYTES);
    return NULL;
  }
  root = gdino_json_parse (data, length, GDINO_MANIFEST_MAX_DEPTH, error);
  if (root == NULL)
    return NULL;
  object = json_node_get_object (root);
  json.object = object;
  /* First, as another format may have all else elsewhere. */
  if (!gdino_json_expect_uint (json, "format", GDINO_MANIFEST_FORMAT, error)
      || !read_source (self, object, error)
      || !read_canvas (self, object, error)
      || !read_sizes (self, object, error)
      || !read_text_rules (self, object, error)
      || !gdino_manifest_read_graphs (self, object, error)
      || !gdino_manifest_read_target (self, object, error)
      || !gdino_manifest_read_torch (self, object, error)
      || !read_defaults (self, object, error)
      || !read_probe (self, object, error)
      || !read_files (self, object, error))
    return NULL;
  return g_steal_pointer (&self);
}
