/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What a package was compiled for and with, of its manifest. */

#include "target.h"

#include <gdino/error.h>
#include <string.h>

#include "version.h"

/* Two numbers with a dot between. */
static gboolean
is_capability (const char *text)
{
  const char *dot = strchr (text, '.');
  static const char digits[] = "0123456789";

  return dot != NULL && dot > text && dot - text <= 3
      && strspn (text, digits) == (gsize) (dot - text)
      && dot[1] != '\0' && strlen (dot + 1) <= 3
      && strspn (dot + 1, digits) == strlen (dot + 1);
}

static gboolean
read_capability (GdinoManifest * self, GdinoJson target, GError ** error)
{
  if (!g_str_equal (self->device, "cuda")
      || !gdino_json_has_member (target, "compute_capability"))
    return TRUE;
  self->compute_capability =
      gdino_json_dup_string (target, "compute_capability", error);
  if (self->compute_capability == NULL)
    return FALSE;
  if (is_capability (self->compute_capability))
    return TRUE;
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
      "target.compute_capability: found \"%s\", wanted one such as \"9.0\"",
      self->compute_capability);
  return FALSE;
}

gboolean
gdino_manifest_read_target (GdinoManifest * self, JsonObject * root,
    GError ** error)
{
  GdinoJson json = { root, "" };
  g_autoptr (GPtrArray) features = NULL;
  JsonArray *array;

  self->device = gdino_json_dup_string (json, "device", error);
  if (self->device == NULL)
    return FALSE;
  if (!g_str_equal (self->device, "cpu") && !g_str_equal (self->device, "cuda")) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE,
        "device: found \"%s\", wanted \"cpu\" or \"cuda\"", self->device);
    return FALSE;
  }
  json.object = gdino_json_get_object (json, "target", error);
  json.path = "target";
  if (json.object == NULL)
    return FALSE;
  self->arch = gdino_json_dup_string (json, "arch", error);
  if (self->arch == NULL)
    return FALSE;
  array = gdino_json_get_array (json, "features", 0,
      GDINO_MANIFEST_MAX_CPU_FEATURES, error);
  if (array == NULL)
    return FALSE;
  features = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < json_array_get_length (array); i++) {
    g_autoptr (JsonObject) holder = json_object_new ();
    g_autofree char *name = g_strdup_printf ("features[%u]", i);
    const GdinoJson element = { holder, json.path };
    char *feature;

    json_object_set_member (holder, name, json_array_dup_element (array, i));
    feature = gdino_json_dup_string (element, name, error);
    if (feature == NULL)
      return FALSE;
    g_ptr_array_add (features, feature);
  }
  g_ptr_array_add (features, NULL);
  self->cpu_features =
      (char **) g_ptr_array_free (g_steal_pointer (&features), FALSE);
  return read_capability (self, json, error);
}

gboolean
gdino_manifest_read_torch (GdinoManifest * self, JsonObject * root,
    GError ** error)
{
  GdinoJson json = { root, "" };
  guint major, minor;

  json.object = gdino_json_get_object (json, "torch", error);
  json.path = "torch";
  if (json.object == NULL)
    return FALSE;
  self->torch_version = gdino_json_dup_string (json, "version", error);
  if (self->torch_version == NULL)
    return FALSE;
  if (!gdino_version_parse (self->torch_version, &major, &minor)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
        "torch.version: found \"%s\", wanted one such as \"2.13.0\"",
        self->torch_version);
    return FALSE;
  }
  if (!gdino_json_has_member (json, "library_dir"))
    return TRUE;
  self->torch_library_dir = gdino_json_dup_string (json, "library_dir", error);
  if (self->torch_library_dir == NULL)
    return FALSE;
  if (!g_path_is_absolute (self->torch_library_dir)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
        "torch.library_dir: found \"%s\", wanted an absolute path",
        self->torch_library_dir);
    return FALSE;
  }
  return TRUE;
}
