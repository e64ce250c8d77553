/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The graph contract: names, order, types and shapes of the tensors of both
 * graphs, and the check of what a manifest says against it. */

#include "graphs.h"

#include <gdino/error.h>

#include "json.h"

/* What a shape is made of; the sizes come from the manifest's own numbers. */
typedef enum
{
  SIZE_ONE,
  SIZE_BATCH,
  SIZE_THREE,
  SIZE_FOUR,
  SIZE_HEIGHT,
  SIZE_WIDTH,
  SIZE_TOKENS,
  SIZE_FEATURES,
  SIZE_QUERIES
} Size;

typedef struct
{
  const char *name;
  GdinoDtype dtype;
  guint rank;
  Size shape[GDINO_TENSOR_MAX_RANK];
} Contract;

static const Contract text_inputs[] = {
  {"input_ids", GDINO_DTYPE_INT64, 2, {SIZE_ONE, SIZE_TOKENS}},
  {"position_ids", GDINO_DTYPE_INT64, 2, {SIZE_ONE, SIZE_TOKENS}},
  {"block_mask", GDINO_DTYPE_BOOL, 3, {SIZE_ONE, SIZE_TOKENS, SIZE_TOKENS}},
};

static const Contract text_outputs[] = {
  {"text_features", GDINO_DTYPE_FLOAT32, 3,
      {SIZE_ONE, SIZE_TOKENS, SIZE_FEATURES}},
  {"text_position", GDINO_DTYPE_FLOAT32, 3,
      {SIZE_ONE, SIZE_TOKENS, SIZE_FEATURES}},
};

static const Contract frame_inputs[] = {
  {"image", GDINO_DTYPE_UINT8, 4,
      {SIZE_BATCH, SIZE_HEIGHT, SIZE_WIDTH, SIZE_THREE}},
  {"text_features", GDINO_DTYPE_FLOAT32, 3,
      {SIZE_BATCH, SIZE_TOKENS, SIZE_FEATURES}},
  {"text_position", GDINO_DTYPE_FLOAT32, 3,
      {SIZE_BATCH, SIZE_TOKENS, SIZE_FEATURES}},
  {"text_mask", GDINO_DTYPE_BOOL, 2, {SIZE_BATCH, SIZE_TOKENS}},
  {"block_mask", GDINO_DTYPE_BOOL, 3, {SIZE_BATCH, SIZE_TOKENS, SIZE_TOKENS}},
};

static const Contract frame_outputs[] = {
  {"logits", GDINO_DTYPE_FLOAT32, 3, {SIZE_BATCH, SIZE_QUERIES, SIZE_TOKENS}},
  {"boxes", GDINO_DTYPE_FLOAT32, 3, {SIZE_BATCH, SIZE_QUERIES, SIZE_FOUR}},
};

static gint64
size_of (const GdinoManifest * self, Size size)
{
  switch (size) {
    case SIZE_ONE:
      return 1;
    case SIZE_BATCH:
      return self->batch;
    case SIZE_THREE:
      return 3;
    case SIZE_FOUR:
      return 4;
    case SIZE_HEIGHT:
      return self->height;
    case SIZE_WIDTH:
      return self->width;
    case SIZE_TOKENS:
      return self->text_tokens;
    case SIZE_FEATURES:
      return self->features;
    case SIZE_QUERIES:
      return self->queries;
  }
  g_return_val_if_reached (1);
}

/* Fills @spec from the contract. Fails when it would be too large. */
static gboolean
make_spec (const GdinoManifest * self, const Contract * contract,
    const char *path, GdinoTensorSpec * spec, GError ** error)
{
  gsize bytes = gdino_dtype_size (contract->dtype);

  spec->name = g_strdup (contract->name);
  spec->dtype = contract->dtype;
  spec->rank = contract->rank;
  for (guint i = 0; i < contract->rank; i++) {
    spec->shape[i] = size_of (self, contract->shape[i]);
    if (!g_size_checked_mul (&bytes, bytes, (gsize) spec->shape[i])
        || bytes > GDINO_MANIFEST_MAX_TENSOR_BYTES) {
      g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
          "%s: the tensor is too large, wanted at most %" G_GSIZE_FORMAT
          " bytes", path, GDINO_MANIFEST_MAX_TENSOR_BYTES);
      return FALSE;
    }
  }
  spec->n_bytes = bytes;
  return TRUE;
}

/* What the manifest says of a tensor must be what the graph contract and the
 * manifest's own sizes say. */
static gboolean
check_tensor (JsonObject * object, const char *path,
    const GdinoTensorSpec * spec, GError ** error)
{
  const GdinoJson json = { object, path };
  g_autofree char *found = NULL;
  g_autoptr (GString) wanted = g_string_new ("[");

  if (!gdino_json_expect_string (json, "name", spec->name, error)
      || !gdino_json_expect_string (json, "dtype",
          gdino_dtype_name (spec->dtype), error)
      || gdino_json_get_array (json, "shape", 1, GDINO_TENSOR_MAX_RANK,
          error) == NULL)
    return FALSE;
  for (guint i = 0; i < spec->rank; i++)
    g_string_append_printf (wanted, "%s%" G_GINT64_FORMAT, i ? "," : "",
        spec->shape[i]);
  g_string_append_c (wanted, ']');
  found = gdino_json_describe (json_object_get_member (object, "shape"));
  if (g_str_equal (found, wanted->str))
    return TRUE;
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
      "%s.shape: found %s, wanted %s", path, found, wanted->str);
  return FALSE;
}

static gboolean
read_tensors (const GdinoManifest * self, GdinoJson json, const char *member,
    const Contract * contracts, guint count, GdinoTensorSpec * specs,
    GError ** error)
{
  JsonArray *array = gdino_json_get_array (json, member, count, count, error);

  if (array == NULL)
    return FALSE;
  for (guint i = 0; i < count; i++) {
    JsonNode *node = json_array_get_element (array, i);
    g_autofree char *path = g_strdup_printf ("%s.%s[%u]", json.path, member, i);

    if (!JSON_NODE_HOLDS_OBJECT (node)) {
      g_autofree char *found = gdino_json_describe (node);

      g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
          "%s: found %s, wanted an object", path, found);
      return FALSE;
    }
    if (!make_spec (self, &contracts[i], path, &specs[i], error)
        || !check_tensor (json_node_get_object (node), path, &specs[i], error))
      return FALSE;
  }
  return TRUE;
}

gboolean
gdino_manifest_read_graphs (GdinoManifest * self, JsonObject * root,
    GError ** error)
{
  GdinoJson json = { root, "" };
  GdinoJson graphs = { gdino_json_get_object (json, "graphs", error),
    "graphs"
  };

  if (graphs.object == NULL)
    return FALSE;
  json.object = gdino_json_get_object (graphs, "text", error);
  json.path = "graphs.text";
  if (json.object == NULL)
    return FALSE;
  self->text.name = g_strdup ("text");
  self->text.n_inputs = G_N_ELEMENTS (text_inputs);
  self->text.n_outputs = G_N_ELEMENTS (text_outputs);
  self->text_file = gdino_json_dup_file_name (json, "file", error);
  if (self->text_file == NULL
      || !read_tensors (self, json, "inputs", text_inputs,
          G_N_ELEMENTS (text_inputs), self->text.inputs, error)
      || !read_tensors (self, json, "outputs", text_outputs,
          G_N_ELEMENTS (text_outputs), self->text.outputs, error))
    return FALSE;

  json.object = gdino_json_get_object (graphs, "frame", error);
  json.path = "graphs.frame";
  if (json.object == NULL)
    return FALSE;
  self->frame.name = g_strdup ("frame");
  self->frame.n_inputs = G_N_ELEMENTS (frame_inputs);
  self->frame.n_outputs = G_N_ELEMENTS (frame_outputs);
  self->frame_file = gdino_json_dup_file_name (json, "file", error);
  return self->frame_file != NULL
      && read_tensors (self, json, "inputs", frame_inputs,
      G_N_ELEMENTS (frame_inputs), self->frame.inputs, error)
      && read_tensors (self, json, "outputs", frame_outputs,
      G_N_ELEMENTS (frame_outputs), self->frame.outputs, error);
}
