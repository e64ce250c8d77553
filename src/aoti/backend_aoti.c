/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Tensor views to libtorch's handles and back. Knows no prompt and no box; the
 * only user of the loader. */

#include "backend_aoti.h"

#include <gdino/error.h>
#include <glib/gstdio.h>
#include <string.h>

#include "heap.h"
#include "loader.h"
#include "pages.h"

/* Generated code clones inputs that are less aligned, on each run. */
#define ALIGNMENT 64

typedef struct
{
  const GdinoTorch *torch;
  const GdinoGraphInfo *info;   /* of the package, which outlives this */
  GdinoAotiGraph call;
  AotiContainer *container;
  gint32 device_type;
  gint32 device_index;
  gboolean on_host;
  gpointer aligned[GDINO_GRAPH_MAX_TENSORS];    /* copies of inputs, or NULL */
} Graph;

/* (transfer full): what to add to a message about memory, possibly nothing */
static char *
free_memory_text (gboolean on_host)
{
  guint64 bytes;

  if (!gdino_torch_free_memory (on_host, &bytes))
    return g_strdup ("");
  return g_strdup_printf ("; %" G_GUINT64_FORMAT " MiB are free on the %s",
      bytes >> 20, on_host ? "machine" : "device");
}

/* (transfer full): likewise, what a graph needs before its first run */
static char *
needed_memory_text (const Graph * self)
{
  GStatBuf file;

  if (self->container != NULL || g_stat (self->info->path, &file) != 0)
    return g_strdup ("");
  return g_strdup_printf ("; %" G_GINT64_FORMAT " MiB are needed to load it",
      ((gint64) file.st_size >> 20) + 1);
}

static void
set_graph_error (const Graph * self, const char *what, GError ** error)
{
  const char *why = NULL;
  g_autofree char *needed = NULL;
  g_autofree char *memory = NULL;
  gboolean lacking;

  if (self->call.get_last_error != NULL
      && self->call.get_last_error (&why) != 0)
    why = NULL;
  /* torch says how much it wanted of a run, if it is about that. */
  lacking = why != NULL && strstr (why, "memory") != NULL;
  if (why == NULL || lacking) {
    needed = needed_memory_text (self);
    memory = free_memory_text (self->on_host);
  }
  g_set_error (error, GDINO_ERROR,
      lacking ? GDINO_ERROR_MEMORY : GDINO_ERROR_GRAPH, "%s graph (%s): "
      "%s%s%s%s%s", self->info->name, self->info->path, what,
      why && *why ? ": " : "", why && *why ? why : "",
      needed != NULL ? needed : "", memory != NULL ? memory : "");
}

static gint32
torch_dtype (const GdinoTorch * torch, GdinoDtype dtype)
{
  switch (dtype) {
    case GDINO_DTYPE_BOOL:
      return torch->dtype_bool ();
    case GDINO_DTYPE_UINT8:
      return torch->dtype_uint8 ();
    case GDINO_DTYPE_INT64:
      return torch->dtype_int64 ();
    case GDINO_DTYPE_FLOAT32:
      return torch->dtype_float32 ();
  }
  g_return_val_if_reached (-1);
}

static void
dense_strides (const GdinoTensorSpec * spec, gint64 * strides)
{
  gint64 stride = 1;

  for (guint i = spec->rank; i > 0; i--) {
    strides[i - 1] = stride;
    stride *= spec->shape[i - 1];
  }
}

/* A handle over host memory that it borrows, or NULL. */
static AtenTensor *
wrap_host (const Graph * self, const GdinoTensorSpec * spec, gpointer data)
{
  const GdinoTorch *torch = self->torch;
  AtenTensor *tensor = NULL;
  gint64 strides[GDINO_TENSOR_MAX_RANK];

  dense_strides (spec, strides);
  if (torch->create_tensor_from_blob (data, spec->rank, spec->shape, strides, 0,
          torch_dtype (torch, spec->dtype), torch->device_type_cpu (), -1,
          &tensor) != 0)
    return NULL;
  return tensor;
}

/* @data, or a copy of it at an aligned address that is used again next time. */
static gpointer
align_input (Graph * self, guint index, gpointer data)
{
  const gsize size = self->info->inputs[index].n_bytes;

  if ((guintptr) data % ALIGNMENT == 0)
    return data;
  if (self->aligned[index] == NULL)
    self->aligned[index] = g_aligned_alloc (1, size, ALIGNMENT);
  return memcpy (self->aligned[index], data, size);
}

static AtenTensor *
copy_to_device (const Graph * self, const GdinoTensorSpec * spec, gpointer data)
{
  const GdinoTorch *torch = self->torch;
  AtenTensor *host = wrap_host (self, spec, data);
  AtenTensor *tensor = NULL;
  gint64 strides[GDINO_TENSOR_MAX_RANK];

  dense_strides (spec, strides);
  if (host == NULL)
    return NULL;
  if (torch->empty_strided (spec->rank, spec->shape, strides,
          torch_dtype (torch, spec->dtype), self->device_type,
          self->device_index, &tensor) != 0)
    tensor = NULL;
  if (tensor != NULL && torch->copy_ (tensor, host, 0) != 0) {
    torch->delete_tensor_object (tensor);
    tensor = NULL;
  }
  torch->delete_tensor_object (host);
  return tensor;
}

static void
delete_tensors (const Graph * self, AtenTensor ** tensors, guint count)
{
  for (guint i = 0; i < count; i++)
    if (tensors[i] != NULL)
      self->torch->delete_tensor_object (tensors[i]);
}

static gboolean
make_inputs (Graph * self, const GdinoTensor * inputs, AtenTensor ** handles,
    GError ** error)
{
  for (guint i = 0; i < self->info->n_inputs; i++) {
    const GdinoTensorSpec *spec = &self->info->inputs[i];
    g_autofree char *memory = NULL;

    if (self->on_host)
      handles[i] = wrap_host (self, spec, align_input (self, i,
              inputs[i].data));
    else
      handles[i] = copy_to_device (self, spec, inputs[i].data);
    if (handles[i] != NULL)
      continue;
    delete_tensors (self, handles, i);
    memory = free_memory_text (self->on_host);
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_MEMORY,
        "%s graph (%s): input %s: no memory for a tensor of %" G_GSIZE_FORMAT
        " bytes%s", self->info->name, self->info->path, spec->name,
        spec->n_bytes, memory);
    return FALSE;
  }
  return TRUE;
}

static char *
shape_text (const gint64 * shape, gint64 rank)
{
  GString *text = g_string_new ("[");

  for (gint64 i = 0; i < rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i ? ", " : "",
        shape[i]);
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

static gboolean
set_output_error (const Graph * self, const GdinoTensorSpec * spec,
    const char *found, const char *wanted, GError ** error)
{
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_GRAPH,
      "%s graph (%s): output %s: found %s, wanted %s", self->info->name,
      self->info->path, spec->name, found, wanted);
  return FALSE;
}

/* Whether @tensor is what @spec says, densely packed. */
static gboolean
check_output (const Graph * self, const GdinoTensorSpec * spec,
    AtenTensor * tensor, GError ** error)
{
  const GdinoTorch *torch = self->torch;
  gint64 rank = -1, *sizes = NULL, *strides = NULL;
  gint64 dense[GDINO_TENSOR_MAX_RANK];
  gint32 dtype = -1, device = -1;
  g_autofree char *layout = NULL;
  g_autofree char *found = NULL;
  g_autofree char *wanted = NULL;

  if (tensor == NULL)
    return set_output_error (self, spec, "no tensor", "one", error);
  if (torch->get_dim (tensor, &rank) != 0
      || torch->get_sizes (tensor, &sizes) != 0
      || torch->get_strides (tensor, &strides) != 0
      || torch->get_dtype (tensor, &dtype) != 0
      || torch->get_device_type (tensor, &device) != 0)
    return set_output_error (self, spec, "no description", "one", error);
  if (rank != spec->rank
      || memcmp (sizes, spec->shape, spec->rank * sizeof *sizes) != 0) {
    layout = shape_text (sizes, rank);
    found = g_strdup_printf ("shape %s", layout);
    wanted = shape_text (spec->shape, spec->rank);
    return set_output_error (self, spec, found, wanted, error);
  }
  if (dtype != torch_dtype (torch, spec->dtype)) {
    found = g_strdup_printf ("element type %d of torch", dtype);
    wanted = g_strdup_printf ("%d (%s)", torch_dtype (torch, spec->dtype),
        gdino_dtype_name (spec->dtype));
    return set_output_error (self, spec, found, wanted, error);
  }
  if (device != self->device_type) {
    found = g_strdup_printf ("memory of device type %d", device);
    wanted = g_strdup_printf ("%d", self->device_type);
    return set_output_error (self, spec, found, wanted, error);
  }
  dense_strides (spec, dense);
  for (guint i = 0; i < spec->rank; i++) {
    if (spec->shape[i] == 1 || strides[i] == dense[i])
      continue;
    layout = shape_text (strides, rank);
    found = g_strdup_printf ("strides %s", layout);
    wanted = shape_text (dense, spec->rank);
    return set_output_error (self, spec, found, wanted, error);
  }
  return TRUE;
}

static gboolean
copy_output (const Graph * self, const GdinoTensorSpec * spec,
    AtenTensor * tensor, gpointer target)
{
  const GdinoTorch *torch = self->torch;
  gpointer data = NULL;
  AtenTensor *host;
  gboolean ok;

  if (self->on_host) {
    if (torch->get_data_ptr (tensor, &data) != 0 || data == NULL)
      return FALSE;
    memcpy (target, data, spec->n_bytes);
    return TRUE;
  }
  host = wrap_host (self, spec, target);
  if (host == NULL)
    return FALSE;
  ok = torch->copy_ (host, tensor, 0) == 0;
  torch->delete_tensor_object (host);
  return ok;
}

/* All are checked before the first is copied. */
static gboolean
take_outputs (const Graph * self, AtenTensor ** handles,
    const GdinoTensor * outputs, GError ** error)
{
  for (guint i = 0; i < self->info->n_outputs; i++)
    if (!check_output (self, &self->info->outputs[i], handles[i], error))
      return FALSE;
  for (guint i = 0; i < self->info->n_outputs; i++) {
    const GdinoTensorSpec *spec = &self->info->outputs[i];

    if (!copy_output (self, spec, handles[i], outputs[i].data))
      return set_output_error (self, spec, "data that cannot be copied",
          "data", error);
  }
  return TRUE;
}

static gboolean
aoti_run (gpointer graph, const GdinoTensor * inputs,
    const GdinoTensor * outputs, GError ** error)
{
  Graph *self = graph;
  AtenTensor *in[GDINO_GRAPH_MAX_TENSORS] = { NULL };
  AtenTensor *out[GDINO_GRAPH_MAX_TENSORS] = { NULL };
  gboolean ok = FALSE;

  if (!make_inputs (self, inputs, in, error))
    return FALSE;
  /* From here on the inputs are the graph's. */
  if (self->call.run (self->container, in, self->info->n_inputs, out,
          self->info->n_outputs, NULL, NULL) != 0)
    set_graph_error (self, "run failed", error);
  else
    ok = take_outputs (self, out, outputs, error);
  delete_tensors (self, out, self->info->n_outputs);
  return ok;
}

static void
aoti_close (gpointer graph)
{
  Graph *self = graph;

  if (self == NULL)
    return;
  if (self->container != NULL)
    self->call.destroy (self->container);
  for (guint i = 0; i < GDINO_GRAPH_MAX_TENSORS; i++)
    g_aligned_free (self->aligned[i]);
  g_free (self);
  gdino_heap_release ();
}

static const GdinoTorch *
get_torch (const GdinoBackendTarget * target, GError ** error)
{
  g_auto (GStrv) system_names =
      gdino_torch_system_names (target->torch_version);
  const GdinoTorchSearch search = {
    g_getenv (GDINO_TORCH_DIR_VARIABLE),
    target->torch_library_dir,
    (const char *const *) system_names,
    target->torch_version
  };

  return gdino_torch_get (&search, error);
}

static gboolean
aoti_find (const GdinoBackendTarget * target, char **path, char **version,
    GError ** error)
{
  const GdinoTorch *torch = get_torch (target, error);

  if (torch == NULL)
    return FALSE;
  *path = g_strdup (torch->library.path);
  *version = g_strdup (torch->library.version);
  return TRUE;
}

/* Splits "cpu", "cuda" or "cuda:N". */
static gboolean
set_device (Graph * self, const char *device, GError ** error)
{
  guint64 index = 0;

  self->on_host = g_str_equal (device, "cpu");
  if (self->on_host) {
    self->device_type = self->torch->device_type_cpu ();
    self->device_index = -1;
    return TRUE;
  }
  if (g_str_has_prefix (device, "cuda:"))
    index = g_ascii_strtoull (device + strlen ("cuda:"), NULL, 10);
  self->device_type = self->torch->device_type_cuda ();
  self->device_index = (gint32) index;
  return gdino_torch_check_cuda (self->torch, (guint) index, error);
}

/* Counts only: the names in a compiled graph are torch's own. */
static gboolean
check_counts (const Graph * self, GError ** error)
{
  gsize inputs = 0, outputs = 0;

  if (self->call.get_n_inputs (self->container, &inputs) != 0
      || self->call.get_n_outputs (self->container, &outputs) != 0) {
    set_graph_error (self, "does not tell its inputs and outputs", error);
    return FALSE;
  }
  if (inputs == self->info->n_inputs && outputs == self->info->n_outputs)
    return TRUE;
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_GRAPH,
      "%s graph (%s): found %" G_GSIZE_FORMAT " inputs and %" G_GSIZE_FORMAT
      " outputs, wanted %u and %u", self->info->name, self->info->path, inputs,
      outputs, self->info->n_inputs, self->info->n_outputs);
  return FALSE;
}

static gpointer
aoti_open (const GdinoGraphInfo * info, const GdinoBackendTarget * target,
    GError ** error)
{
  Graph *self = g_new0 (Graph, 1);

  self->info = info;
  self->torch = get_torch (target, error);
  if (self->torch == NULL || !set_device (self, target->device, error)
      || !gdino_aoti_graph_load (info->path, &self->call, error))
    goto failed;
  if (self->call.create (&self->container, 1, target->device, NULL) != 0) {
    self->container = NULL;
    set_graph_error (self, "cannot be created", error);
    goto failed;
  }
  if (self->on_host)
    gdino_heap_keep ();
  gdino_pages_release ((gconstpointer) (guintptr) self->call.create);
  if (!check_counts (self, error))
    goto failed;
  return self;

failed:
  aoti_close (self);
  return NULL;
}

const GdinoBackend gdino_backend_aoti = {
  "aoti",
  aoti_find,
  aoti_open,
  aoti_run,
  aoti_close,
};
