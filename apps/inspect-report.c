/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "inspect-report.h"

#include "inspect-raw.h"

/* (nullable): null where there is none */
static void
set_string (JsonObject * object, const char *name, const char *value)
{
  if (value != NULL)
    json_object_set_string_member (object, name, value);
  else
    json_object_set_null_member (object, name);
}

/* Takes over @error. */
static void
set_problem (JsonObject * object, GError * error)
{
  set_string (object, "problem", error != NULL ? error->message : NULL);
  g_clear_error (&error);
}

static void
set_doubles (JsonObject * object, const char *name, const double *values,
    guint n)
{
  JsonArray *array = json_array_new ();

  for (guint i = 0; i < n; i++)
    json_array_add_double_element (array, values[i]);
  json_object_set_array_member (object, name, array);
}

/* The decimal number that a float was read from. */
static double
shortest (float value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  return g_ascii_strtod (g_ascii_formatd (text, sizeof text, "%.7g",
          (double) value), NULL);
}

void
inspect_report_add_problem (JsonObject * self, const char *problem)
{
  g_autofree char *valid = g_utf8_make_valid (problem, -1);

  json_object_set_boolean_member (self, "ok", FALSE);
  json_array_add_string_element (json_object_get_array_member (self,
          "problems"), valid);
}

/* (transfer full): an object with the members that every report begins with */
static JsonObject *
begin (const char *path)
{
  JsonObject *self = json_object_new ();
  g_autofree char *shown = g_filename_display_name (path);

  json_object_set_string_member (self, "package", shown);
  json_object_set_boolean_member (self, "ok", TRUE);
  json_object_set_array_member (self, "problems", json_array_new ());
  return self;
}

static void
add_source (JsonObject * self, GdinoPackage * package)
{
  JsonObject *source = json_object_new ();

  set_string (self, "generator", gdino_package_get_generator (package));
  set_string (source, "name", gdino_package_get_name (package));
  set_string (source, "sha256", gdino_package_get_source_sha256 (package));
  set_string (source, "license", gdino_package_get_licence (package));
  json_object_set_object_member (self, "source", source);
}

static void
add_sizes (JsonObject * self, GdinoPackage * package)
{
  JsonObject *canvas = json_object_new ();
  JsonArray *pad = json_array_new ();
  double mean[3], std[3];
  guint width, height;
  guint8 rgb[3];

  gdino_package_get_canvas (package, &width, &height);
  gdino_package_get_pad (package, rgb);
  gdino_package_get_normalization (package, mean, std);
  json_object_set_int_member (canvas, "width", width);
  json_object_set_int_member (canvas, "height", height);
  for (guint i = 0; i < 3; i++)
    json_array_add_int_element (pad, rgb[i]);
  json_object_set_array_member (canvas, "pad", pad);
  set_doubles (canvas, "mean", mean, 3);
  set_doubles (canvas, "std", std, 3);
  json_object_set_object_member (self, "canvas", canvas);
  json_object_set_int_member (self, "text_tokens",
      gdino_package_get_text_tokens (package));
  json_object_set_int_member (self, "queries",
      gdino_package_get_queries (package));
  json_object_set_int_member (self, "features",
      gdino_package_get_features (package));
  json_object_set_int_member (self, "batch", gdino_package_get_batch (package));
  set_string (self, "precision", gdino_package_get_precision (package));
}

static void
add_target (JsonObject * self, GdinoPackage * package)
{
  const char *const *features = gdino_package_get_cpu_features (package);
  JsonObject *target = json_object_new ();
  JsonArray *list = json_array_new ();
  GError *error = NULL;

  for (; *features != NULL; features++)
    json_array_add_string_element (list, *features);
  set_string (self, "device", gdino_package_get_device (package));
  set_string (target, "arch", gdino_package_get_arch (package));
  json_object_set_array_member (target, "features", list);
  set_string (target, "compute_capability",
      gdino_package_get_compute_capability (package));
  json_object_set_boolean_member (target, "this_machine",
      gdino_package_check_machine (package, &error));
  set_problem (target, error);
  json_object_set_object_member (self, "target", target);
}

static void
add_torch (JsonObject * self, GdinoPackage * package)
{
  JsonObject *torch = json_object_new ();
  g_autofree char *path = NULL;
  g_autofree char *version = NULL;
  GError *error = NULL;

  set_string (torch, "version", gdino_package_get_torch_version (package));
  set_string (torch, "library_dir",
      gdino_package_get_torch_library_dir (package));
  gdino_engine_find_runtime (package, &path, &version, &error);
  set_string (torch, "found", path);
  set_string (torch, "found_version", version);
  set_problem (torch, error);
  json_object_set_object_member (self, "torch", torch);
}

static void
add_thresholds (JsonObject * self, GdinoPackage * package)
{
  JsonObject *thresholds = json_object_new ();
  float box, text;

  gdino_package_get_thresholds (package, &box, &text);
  json_object_set_double_member (thresholds, "box", shortest (box));
  json_object_set_double_member (thresholds, "text", shortest (text));
  json_object_set_object_member (self, "thresholds", thresholds);
  set_string (self, "probe", gdino_package_get_probe_file (package));
}

static JsonObject *
describe_tensor (const GdinoPackageTensor * tensor)
{
  JsonObject *object = json_object_new ();
  JsonArray *shape = json_array_new ();

  set_string (object, "name", tensor->name);
  set_string (object, "dtype", tensor->dtype);
  for (guint i = 0; i < tensor->rank; i++)
    json_array_add_int_element (shape, tensor->shape[i]);
  json_object_set_array_member (object, "shape", shape);
  json_object_set_int_member (object, "bytes", (gint64) tensor->n_bytes);
  return object;
}

static JsonObject *
describe_graph (GdinoPackage * package, GdinoPackageGraph which)
{
  JsonObject *graph = json_object_new ();
  JsonArray *inputs = json_array_new ();
  JsonArray *outputs = json_array_new ();
  GdinoPackageTensor tensor;

  set_string (graph, "file", gdino_package_get_graph_file (package, which));
  for (guint i = 0; i < gdino_package_get_n_inputs (package, which); i++) {
    gdino_package_get_input (package, which, i, &tensor);
    json_array_add_object_element (inputs, describe_tensor (&tensor));
  }
  for (guint i = 0; i < gdino_package_get_n_outputs (package, which); i++) {
    gdino_package_get_output (package, which, i, &tensor);
    json_array_add_object_element (outputs, describe_tensor (&tensor));
  }
  json_object_set_array_member (graph, "inputs", inputs);
  json_object_set_array_member (graph, "outputs", outputs);
  return graph;
}

static void
add_graphs (JsonObject * self, GdinoPackage * package)
{
  JsonObject *graphs = json_object_new ();

  json_object_set_object_member (graphs, "text",
      describe_graph (package, GDINO_PACKAGE_GRAPH_TEXT));
  json_object_set_object_member (graphs, "frame",
      describe_graph (package, GDINO_PACKAGE_GRAPH_FRAME));
  json_object_set_object_member (self, "graphs", graphs);
}

static void
add_files (JsonObject * self, GdinoPackage * package)
{
  JsonArray *files = json_array_new ();

  for (guint i = 0; i < gdino_package_get_n_files (package); i++) {
    JsonObject *object = json_object_new ();
    GError *error = NULL;
    GdinoPackageFile file;

    gdino_package_get_file (package, i, &file);
    set_string (object, "name", file.name);
    json_object_set_int_member (object, "size", (gint64) file.size);
    set_string (object, "sha256", file.sha256);
    if (!gdino_package_check_size (package, i, &error))
      inspect_report_add_problem (self, error->message);
    set_problem (object, error);
    json_array_add_object_element (files, object);
  }
  json_object_set_array_member (self, "files", files);
}

JsonObject *
inspect_report_new (GdinoPackage * package)
{
  JsonObject *self = begin (gdino_package_get_path (package));

  add_source (self, package);
  add_sizes (self, package);
  add_target (self, package);
  add_torch (self, package);
  add_thresholds (self, package);
  add_graphs (self, package);
  add_files (self, package);
  return self;
}

JsonObject *
inspect_report_new_broken (const char *path, const char *problem)
{
  JsonObject *self = begin (path);
  JsonNode *manifest = inspect_raw_manifest (path);
  JsonArray *files = inspect_raw_files (path);

  inspect_report_add_problem (self, problem);
  if (manifest != NULL)
    json_object_set_member (self, "manifest", manifest);
  if (files != NULL)
    json_object_set_array_member (self, "files", files);
  return self;
}
