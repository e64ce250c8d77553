/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The graphs of a package on a device, shared within the process. Knows no
 * pixels, no boxes and no backend by name. */

#include "engine-private.h"

#include <gdino/error.h>
#include <string.h>

#include "backend.h"
#include "batch.h"
#include "package-private.h"
#include "textcache.h"
#include "turn.h"

#define MAX_DEVICE_INDEX 63

struct _GdinoEngine
{
  gatomicrefcount ref_count;    /* to 0 under the registry's lock only */
  char *key;                    /* in the registry */
  GdinoPackage *package;
  char *device;
  const GdinoBackend *backend;
  gpointer text_graph;
  gpointer frame_graph;
  GdinoTurn turn;               /* held over runs; nothing is taken inside */
  GMutex cache_lock;            /* of the two below; never held over runs */
  GdinoTextCache cache;
  guint64 text_runs;
};

/* Engines alive by key; one being loaded has NULL. */
G_LOCK_DEFINE_STATIC (registry);
static GHashTable *registry;
static GCond registry_changed;

/* Some 90 microseconds on an Intel Xeon. Measured with the default model on two
 * cores, times of a frame: 34 ms against 53 ms without spinning and 29 ms with
 * libgomp's own count; beside one busy process 71, 52 and 180 ms. */
#define SPIN_COUNT "2000"

void
gdino_limit_spinning (void)
{
  if (g_getenv ("OMP_WAIT_POLICY") == NULL)
    g_setenv ("GOMP_SPINCOUNT", SPIN_COUNT, FALSE);
}

static void
engine_free (GdinoEngine * self)
{
  if (self->backend != NULL) {
    self->backend->close (self->text_graph);
    self->backend->close (self->frame_graph);
  }
  gdino_text_cache_clear (&self->cache);
  g_mutex_clear (&self->cache_lock);
  gdino_turn_clear (&self->turn);
  gdino_package_unref (self->package);
  g_free (self->device);
  g_free (self->key);
  g_free (self);
}

/* "auto" and "cuda" to the device meant. Returns: (transfer full) (nullable) */
static char *
resolve_device (GdinoPackage * package, const char *device, GError ** error)
{
  const char *wanted = gdino_package_get_device (package);
  gboolean is_cuda = g_str_has_prefix (device, "cuda");
  guint64 index = 0;

  if (g_str_equal (device, "auto")) {
    device = wanted;
    is_cuda = g_str_equal (wanted, "cuda");
  } else if (!g_str_equal (device, "cpu") && !g_str_equal (device, "cuda")
      && !(g_str_has_prefix (device, "cuda:")
          && g_ascii_string_to_unsigned (device + strlen ("cuda:"), 10, 0,
              MAX_DEVICE_INDEX, &index, NULL))) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "device: found \"%s\", wanted auto, cpu, cuda or cuda:N with N from 0 "
        "to %d", device, MAX_DEVICE_INDEX);
    return NULL;
  }
  if (is_cuda != g_str_equal (wanted, "cuda")) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE,
        "%s: found a package compiled for %s, wanted one for %s",
        gdino_package_get_path (package), wanted, device);
    return NULL;
  }
  if (is_cuda)
    return g_strdup_printf ("cuda:%" G_GUINT64_FORMAT, index);
  return g_strdup ("cpu");
}

/* What a backend must know of @package to run it on @device. */
static GdinoBackendTarget
make_target (GdinoPackage * package, const char *device)
{
  const GdinoBackendTarget target = {
    device,
    gdino_package_get_torch_version (package),
    gdino_package_get_torch_library_dir (package)
  };

  return target;
}

gboolean
gdino_engine_find_runtime (GdinoPackage * package, char **path, char **version,
    GError ** error)
{
  const GdinoBackend *backend;
  GdinoBackendTarget target;

  g_return_val_if_fail (package != NULL, FALSE);
  g_return_val_if_fail (path != NULL && version != NULL, FALSE);

  target = make_target (package, gdino_package_get_device (package));
  backend = gdino_backend_find (target.device, error);
  return backend != NULL && backend->find (&target, path, version, error);
}

static GdinoEngine *
engine_load (GdinoPackage * package, const char *device, GError ** error)
{
  GdinoEngine *self = g_new0 (GdinoEngine, 1);
  const GdinoBackendTarget target = make_target (package, device);

  g_atomic_ref_count_init (&self->ref_count);
  self->package = gdino_package_ref (package);
  self->device = g_strdup (device);
  gdino_turn_init (&self->turn);
  g_mutex_init (&self->cache_lock);
  gdino_text_cache_init (&self->cache);
  self->backend = gdino_backend_find (device, error);
  if (self->backend != NULL)
    self->text_graph = self->backend->open (gdino_package_get_text_graph
        (package), &target, error);
  if (self->text_graph != NULL)
    self->frame_graph = self->backend->open (gdino_package_get_frame_graph
        (package), &target, error);
  if (self->frame_graph != NULL)
    return self;
  g_prefix_error (error, "%s: ", gdino_package_get_path (package));
  engine_free (self);
  return NULL;
}

/* (transfer full) (nullable): the engine of @key; when NULL the caller has
 * been put down as the one that loads it. */
static GdinoEngine *
registry_take (const char *key)
{
  gpointer found;

  G_LOCK (registry);
  if (registry == NULL)
    registry = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  while (g_hash_table_lookup_extended (registry, key, NULL, &found)) {
    if (found != NULL) {
      gdino_engine_ref (found);
      G_UNLOCK (registry);
      return found;
    }
    g_cond_wait (&registry_changed, &G_LOCK_NAME (registry));
  }
  g_hash_table_insert (registry, g_strdup (key), NULL);
  G_UNLOCK (registry);
  return NULL;
}

/* Ends the loading of @key; @engine is NULL when it failed, and then the next
 * that waits tries for itself. */
static void
registry_put (const char *key, GdinoEngine * engine)
{
  G_LOCK (registry);
  if (engine != NULL)
    g_hash_table_insert (registry, g_strdup (key), engine);
  else
    g_hash_table_remove (registry, key);
  g_cond_broadcast (&registry_changed);
  G_UNLOCK (registry);
}

GdinoEngine *
gdino_engine_get (GdinoPackage * package, const char *device, GError ** error)
{
  g_autofree char *resolved = NULL;
  g_autofree char *key = NULL;
  GdinoEngine *self;

  g_return_val_if_fail (package != NULL, NULL);
  g_return_val_if_fail (device != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (gdino_package_get_tokenizer (package) == NULL) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "%s: found a package of which only the manifest was opened, wanted one "
        "that has been checked", gdino_package_get_path (package));
    return NULL;
  }
  resolved = resolve_device (package, device, error);
  if (resolved == NULL)
    return NULL;
  key = g_strdup_printf ("%s %s %s", gdino_package_get_digest (package),
      resolved, gdino_package_get_path (package));
  self = registry_take (key);
  if (self != NULL)
    return self;
  self = engine_load (package, resolved, error);
  if (self != NULL)
    self->key = g_strdup (key);
  registry_put (key, self);
  return self;
}

GdinoEngine *
gdino_engine_ref (GdinoEngine * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
gdino_engine_unref (GdinoEngine * self)
{
  gboolean last;

  if (self == NULL)
    return;
  G_LOCK (registry);
  last = g_atomic_ref_count_dec (&self->ref_count);
  if (last)
    g_hash_table_remove (registry, self->key);
  G_UNLOCK (registry);
  if (last)
    engine_free (self);
}

GdinoPackage *
gdino_engine_get_package (GdinoEngine * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->package;
}

const char *
gdino_engine_get_device (GdinoEngine * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->device;
}

guint64
gdino_engine_get_text_runs (GdinoEngine * self)
{
  guint64 runs;

  g_return_val_if_fail (self != NULL, 0);

  g_mutex_lock (&self->cache_lock);
  runs = self->text_runs;
  g_mutex_unlock (&self->cache_lock);
  return runs;
}

/* A prompt made for another token count would be read beyond its end. */
static gboolean
check_prompt (GdinoEngine * self, GdinoPrompt * prompt, GError ** error)
{
  guint found = gdino_prompt_get_n_tokens (prompt);
  guint wanted = gdino_package_get_text_tokens (self->package);

  if (found == wanted)
    return TRUE;
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
      "prompt: found one for %u text tokens, wanted %u", found, wanted);
  return FALSE;
}

static GdinoTextFeatures *
find_text (GdinoEngine * self, GBytes * key)
{
  GdinoTextFeatures *found;

  g_mutex_lock (&self->cache_lock);
  found = gdino_text_cache_find (&self->cache, key);
  g_mutex_unlock (&self->cache_lock);
  return found;
}

/* The caller has the turn. */
static GdinoTextFeatures *
run_text (GdinoEngine * self, GdinoPrompt * prompt, GBytes * key,
    GError ** error)
{
  const GdinoGraphInfo *info = gdino_package_get_text_graph (self->package);
  g_autoptr (GdinoTextFeatures) text =
      gdino_text_features_new (key, info->outputs[0].n_bytes);
  /* Graphs only read their inputs. */
  const GdinoTensor inputs[] = {
    {&info->inputs[0], (gpointer) gdino_prompt_get_ids (prompt)},
    {&info->inputs[1], (gpointer) gdino_prompt_get_positions (prompt)},
    {&info->inputs[2], (gpointer) gdino_prompt_get_block_mask (prompt)},
  };
  const GdinoTensor outputs[] = {
    {&info->outputs[0], text->features},
    {&info->outputs[1], text->position},
  };
  gboolean ok = self->backend->run (self->text_graph, inputs, outputs, error);

  g_mutex_lock (&self->cache_lock);
  self->text_runs++;
  if (ok)
    gdino_text_cache_add (&self->cache, text);
  g_mutex_unlock (&self->cache_lock);
  return ok ? g_steal_pointer (&text) : NULL;
}

GdinoTextFeatures *
gdino_engine_get_text (GdinoEngine * self, GdinoPrompt * prompt,
    gint64 * elapsed_us, GError ** error)
{
  g_autoptr (GBytes) key = NULL;
  GdinoTextFeatures *text;
  gint64 start, elapsed = 0;

  if (!check_prompt (self, prompt, error))
    return NULL;
  /* Ids decide positions and blocks. */
  key = g_bytes_new (gdino_prompt_get_ids (prompt),
      gdino_prompt_get_n_tokens (prompt) * sizeof (gint64));
  text = find_text (self, key);
  if (text == NULL) {
    gdino_turn_enter (&self->turn);
    /* Another may have asked for the same while this one waited. */
    text = find_text (self, key);
    if (text == NULL) {
      start = g_get_monotonic_time ();
      text = run_text (self, prompt, key, error);
      elapsed = MAX (g_get_monotonic_time () - start, 1);
    }
    gdino_turn_leave (&self->turn);
  }
  if (text != NULL && elapsed_us != NULL)
    *elapsed_us = elapsed;
  return text;
}

/* A frame that is no fit would be read beyond its end. */
static gboolean
check_frame (GdinoEngine * self, const GdinoEngineFrame * frame,
    GError ** error)
{
  const GdinoGraphInfo *info = gdino_package_get_text_graph (self->package);
  const gsize wanted = info->outputs[0].n_bytes;

  if (!check_prompt (self, frame->prompt, error))
    return FALSE;
  if (frame->text->n_bytes == wanted)
    return TRUE;
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
      "text features: found %" G_GSIZE_FORMAT " bytes, wanted %"
      G_GSIZE_FORMAT, frame->text->n_bytes, wanted);
  return FALSE;
}

gboolean
gdino_engine_run_frames (GdinoEngine * self, GdinoBatch * batch,
    const GdinoEngineFrame * frames, guint n, float *logits, float *boxes,
    GError ** error)
{
  const GdinoGraphInfo *info = gdino_package_get_frame_graph (self->package);
  GdinoTensor inputs[GDINO_BATCH_N_INPUTS];
  const GdinoTensor outputs[] = {
    {&info->outputs[0], logits},
    {&info->outputs[1], boxes},
  };
  gboolean ok;

  g_return_val_if_fail (n >= 1, FALSE);
  g_return_val_if_fail (n <= gdino_package_get_batch (self->package), FALSE);

  for (guint i = 0; i < n; i++)
    if (!check_frame (self, &frames[i], error))
      return FALSE;
  gdino_batch_fill (batch, frames, n, inputs);
  gdino_turn_enter (&self->turn);
  ok = self->backend->run (self->frame_graph, inputs, outputs, error);
  gdino_turn_leave (&self->turn);
  return ok;
}
