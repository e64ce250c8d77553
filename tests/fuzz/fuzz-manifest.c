/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Any bytes as a manifest.json: refused with a message, or everything in the
 * result lies within its limits. */

#include <gdino/error.h>
#include <stdint.h>
#include <string.h>

#include "manifest.h"

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static void
check_specs (const GdinoTensorSpec * specs, guint count)
{
  for (guint i = 0; i < count; i++) {
    gsize bytes = gdino_dtype_size (specs[i].dtype);

    g_assert_nonnull (specs[i].name);
    g_assert_cmpuint (specs[i].rank, <=, GDINO_TENSOR_MAX_RANK);
    for (guint k = 0; k < specs[i].rank; k++) {
      g_assert_cmpint (specs[i].shape[k], >=, 1);
      g_assert_true (g_size_checked_mul (&bytes, bytes,
              (gsize) specs[i].shape[k]));
    }
    g_assert_cmpuint (specs[i].n_bytes, ==, bytes);
    g_assert_cmpuint (bytes, <=, GDINO_MANIFEST_MAX_TENSOR_BYTES);
  }
}

static void
check_graph (const GdinoGraphInfo * graph)
{
  g_assert_cmpuint (graph->n_inputs, <=, GDINO_GRAPH_MAX_TENSORS);
  g_assert_cmpuint (graph->n_outputs, <=, GDINO_GRAPH_MAX_TENSORS);
  check_specs (graph->inputs, graph->n_inputs);
  check_specs (graph->outputs, graph->n_outputs);
}

static void
check_manifest (const GdinoManifest * m)
{
  const char *const names[] = { m->text_file, m->frame_file, m->vocabulary,
    m->probe
  };

  g_assert_cmpuint (m->batch, >=, 1);
  g_assert_cmpuint (m->batch, <=, GDINO_MANIFEST_MAX_BATCH);
  g_assert_cmpint (m->frame.outputs[0].shape[0], ==, m->batch);
  g_assert_cmpint (m->text.outputs[0].shape[0], ==, 1);
  g_assert_true (g_str_equal (m->precision, "fp32")
      || g_str_equal (m->precision, "bf16"));
  g_assert_true (m->compute_capability == NULL
      || strchr (m->compute_capability, '.') != NULL);
  g_assert_cmpuint (strlen (m->source_sha256), ==, 64);
  g_assert_cmpuint (m->width, >=, GDINO_MANIFEST_MIN_CANVAS);
  g_assert_cmpuint (m->width, <=, GDINO_MANIFEST_MAX_CANVAS);
  g_assert_cmpuint (m->height, >=, GDINO_MANIFEST_MIN_CANVAS);
  g_assert_cmpuint (m->height, <=, GDINO_MANIFEST_MAX_CANVAS);
  g_assert_cmpuint (m->queries, <=, GDINO_MANIFEST_MAX_QUERIES);
  g_assert_cmpuint (m->text_tokens, <=, GDINO_MANIFEST_MAX_TEXT_TOKENS);
  g_assert_cmpuint (m->features, <=, GDINO_MANIFEST_MAX_FEATURES);
  g_assert_true (m->box_threshold >= 0 && m->box_threshold <= 1);
  g_assert_true (m->text_threshold >= 0 && m->text_threshold <= 1);
  g_assert_true (m->torch_library_dir == NULL
      || g_path_is_absolute (m->torch_library_dir));
  check_graph (&m->text);
  check_graph (&m->frame);
  for (guint i = 0; i < 3; i++)
    g_assert_nonnull (names[i]);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    if (names[i] == NULL)
      continue;
    g_assert_nonnull (gdino_manifest_find_file (m, names[i]));
    g_assert_null (strchr (names[i], '/'));
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoManifest) m =
      gdino_manifest_parse ((const char *) data, size, &error);

  if (m != NULL) {
    g_assert_no_error (error);
    check_manifest (m);
  } else {
    g_assert_true (error->domain == GDINO_ERROR);
    g_assert_true (error->code == GDINO_ERROR_CORRUPT
        || error->code == GDINO_ERROR_INCOMPATIBLE);
    g_assert_cmpuint (strlen (error->message), >, 0);
    g_assert_true (g_utf8_validate (error->message, -1, NULL));
  }
  return 0;
}
