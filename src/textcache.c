/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Text features and a least-recently-used cache of them. Knows no graph. */

#include "textcache.h"

#define ALIGNMENT 64

GdinoTextFeatures *
gdino_text_features_new (GBytes * key, gsize n_bytes)
{
  GdinoTextFeatures *self = g_new0 (GdinoTextFeatures, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->key = g_bytes_ref (key);
  self->features = g_aligned_alloc0 (1, n_bytes, ALIGNMENT);
  self->position = g_aligned_alloc0 (1, n_bytes, ALIGNMENT);
  self->n_bytes = n_bytes;
  return self;
}

GdinoTextFeatures *
gdino_text_features_ref (GdinoTextFeatures * self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
gdino_text_features_unref (GdinoTextFeatures * self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_bytes_unref (self->key);
  g_aligned_free (self->features);
  g_aligned_free (self->position);
  g_free (self);
}

void
gdino_text_cache_init (GdinoTextCache * self)
{
  /* The key belongs to the features that the link holds. */
  self->links = g_hash_table_new (g_bytes_hash, g_bytes_equal);
  g_queue_init (&self->order);
}

void
gdino_text_cache_clear (GdinoTextCache * self)
{
  g_hash_table_unref (self->links);
  g_queue_clear_full (&self->order, (GDestroyNotify) gdino_text_features_unref);
}

GdinoTextFeatures *
gdino_text_cache_find (GdinoTextCache * self, GBytes * key)
{
  GList *link = g_hash_table_lookup (self->links, key);

  if (link == NULL)
    return NULL;
  g_queue_unlink (&self->order, link);
  g_queue_push_head_link (&self->order, link);
  return gdino_text_features_ref (link->data);
}

void
gdino_text_cache_add (GdinoTextCache * self, GdinoTextFeatures * features)
{
  if (self->order.length >= GDINO_TEXT_CACHE_SIZE) {
    GdinoTextFeatures *oldest = g_queue_pop_tail (&self->order);

    g_hash_table_remove (self->links, oldest->key);
    gdino_text_features_unref (oldest);
  }
  g_queue_push_head (&self->order, gdino_text_features_ref (features));
  g_hash_table_insert (self->links, features->key, self->order.head);
}
