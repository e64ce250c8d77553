/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What a package says of itself, and the checks one by one. Opens nothing but
 * the file that is checked. */

#include "package-private.h"

#include <gdino/error.h>

#include "cpu.h"
#include "digest.h"

const char *
gdino_package_get_path (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->path;
}

const char *
gdino_package_get_name (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->manifest->source_name;
}

const char *
gdino_package_get_device (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->manifest->device;
}

const char *
gdino_package_get_torch_version (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->manifest->torch_version;
}

void
gdino_package_get_canvas (GdinoPackage * self, guint * width, guint * height)
{
  g_return_if_fail (self != NULL);

  *width = self->manifest->width;
  *height = self->manifest->height;
}

void
gdino_package_get_pad (GdinoPackage * self, guint8 rgb[3])
{
  g_return_if_fail (self != NULL);

  for (guint i = 0; i < 3; i++)
    rgb[i] = self->manifest->pad[i];
}

guint
gdino_package_get_text_tokens (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->manifest->text_tokens;
}

guint
gdino_package_get_queries (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->manifest->queries;
}

guint
gdino_package_get_features (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->manifest->features;
}

void
gdino_package_get_thresholds (GdinoPackage * self, float *box, float *text)
{
  g_return_if_fail (self != NULL);

  *box = self->manifest->box_threshold;
  *text = self->manifest->text_threshold;
}

GdinoTokenizer *
gdino_package_get_tokenizer (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->tokenizer;
}

const GdinoGraphInfo *
gdino_package_get_text_graph (GdinoPackage * self)
{
  return &self->manifest->text;
}

const GdinoGraphInfo *
gdino_package_get_frame_graph (GdinoPackage * self)
{
  return &self->manifest->frame;
}

const char *
gdino_package_get_digest (GdinoPackage * self)
{
  return self->digest;
}

char *
gdino_package_dup_path (GdinoPackage * self, const char *name)
{
  return g_build_filename (self->path, name, NULL);
}

guint
gdino_package_get_batch (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, 1);

  return self->manifest->batch;
}

const char *
gdino_package_get_generator (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->manifest->generator;
}

const char *
gdino_package_get_source_sha256 (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->manifest->source_sha256;
}

const char *
gdino_package_get_licence (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->manifest->licence;
}

const char *
gdino_package_get_precision (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->manifest->precision;
}

const char *
gdino_package_get_arch (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->manifest->arch;
}

const char *const *
gdino_package_get_cpu_features (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return (const char *const *) self->manifest->cpu_features;
}

const char *
gdino_package_get_compute_capability (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->manifest->compute_capability;
}

const char *
gdino_package_get_torch_library_dir (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->manifest->torch_library_dir;
}

const char *
gdino_package_get_probe_file (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->manifest->probe;
}

void
gdino_package_get_normalization (GdinoPackage * self, double mean[3],
    double std[3])
{
  g_return_if_fail (self != NULL);

  for (guint i = 0; i < 3; i++) {
    mean[i] = self->manifest->mean[i];
    std[i] = self->manifest->std[i];
  }
}

const char *
gdino_package_get_graph_file (GdinoPackage * self, GdinoPackageGraph graph)
{
  g_return_val_if_fail (self != NULL, NULL);

  return graph == GDINO_PACKAGE_GRAPH_TEXT ? self->manifest->text_file
      : self->manifest->frame_file;
}

static const GdinoGraphInfo *
get_graph (GdinoPackage * self, GdinoPackageGraph graph)
{
  return graph == GDINO_PACKAGE_GRAPH_TEXT ? &self->manifest->text
      : &self->manifest->frame;
}

guint
gdino_package_get_n_inputs (GdinoPackage * self, GdinoPackageGraph graph)
{
  g_return_val_if_fail (self != NULL, 0);

  return get_graph (self, graph)->n_inputs;
}

guint
gdino_package_get_n_outputs (GdinoPackage * self, GdinoPackageGraph graph)
{
  g_return_val_if_fail (self != NULL, 0);

  return get_graph (self, graph)->n_outputs;
}

G_STATIC_ASSERT (GDINO_PACKAGE_MAX_RANK == GDINO_TENSOR_MAX_RANK);

static void
describe (const GdinoTensorSpec * spec, GdinoPackageTensor * tensor)
{
  tensor->name = spec->name;
  tensor->dtype = gdino_dtype_name (spec->dtype);
  tensor->rank = spec->rank;
  for (guint i = 0; i < GDINO_PACKAGE_MAX_RANK; i++)
    tensor->shape[i] = spec->shape[i];
  tensor->n_bytes = spec->n_bytes;
}

void
gdino_package_get_input (GdinoPackage * self, GdinoPackageGraph graph,
    guint index, GdinoPackageTensor * tensor)
{
  g_return_if_fail (index < gdino_package_get_n_inputs (self, graph));

  describe (&get_graph (self, graph)->inputs[index], tensor);
}

void
gdino_package_get_output (GdinoPackage * self, GdinoPackageGraph graph,
    guint index, GdinoPackageTensor * tensor)
{
  g_return_if_fail (index < gdino_package_get_n_outputs (self, graph));

  describe (&get_graph (self, graph)->outputs[index], tensor);
}

guint
gdino_package_get_n_files (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->manifest->n_files;
}

void
gdino_package_get_file (GdinoPackage * self, guint index,
    GdinoPackageFile * file)
{
  g_return_if_fail (index < gdino_package_get_n_files (self));

  file->name = self->manifest->files[index].name;
  file->size = self->manifest->files[index].size;
  file->sha256 = self->manifest->files[index].sha256;
}

gboolean
gdino_package_check_machine (GdinoPackage * self, GError ** error)
{
  g_return_val_if_fail (self != NULL, FALSE);

  if (gdino_cpu_check (self->manifest->arch,
          (const char *const *) self->manifest->cpu_features, error))
    return TRUE;
  g_prefix_error (error, "%s: ", self->path);
  return FALSE;
}

gboolean
gdino_package_check_size (GdinoPackage * self, guint index, GError ** error)
{
  g_autofree char *path = NULL;

  g_return_val_if_fail (index < gdino_package_get_n_files (self), FALSE);

  path = gdino_package_dup_path (self, self->manifest->files[index].name);
  return gdino_file_check_size (path, self->manifest->files[index].size, error);
}

gboolean
gdino_package_check_file (GdinoPackage * self, guint index,
    GdinoProgress progress, gpointer user_data, GError ** error)
{
  g_autofree char *path = NULL;

  if (!gdino_package_check_size (self, index, error))
    return FALSE;
  path = gdino_package_dup_path (self, self->manifest->files[index].name);
  return gdino_file_check_digest (path, self->manifest->files[index].sha256,
      progress, user_data, error);
}
