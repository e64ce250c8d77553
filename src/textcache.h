/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What the text graph made of a prompt, and the prompts met lately. */
#pragma once

#include <glib.h>

#include "engine-private.h"

G_BEGIN_DECLS

#define GDINO_TEXT_CACHE_SIZE 64

struct _GdinoTextFeatures
{
  gatomicrefcount ref_count;
  GBytes *key;                  /* the token ids */
  gpointer features;            /* [1,T,D] floats, aligned as graphs like it */
  gpointer position;            /* [1,T,D] floats */
  gsize n_bytes;                /* of each */
};

/* Both arrays hold zeros. @key: (transfer none) */
GdinoTextFeatures *gdino_text_features_new (GBytes * key, gsize n_bytes);
GdinoTextFeatures *gdino_text_features_ref (GdinoTextFeatures * self);

/* The GDINO_TEXT_CACHE_SIZE results used last. Thread-safety: Unsafe. */
typedef struct
{
  GHashTable *links;            /* key -> link in @order */
  GQueue order;                 /* GdinoTextFeatures, used last in front */
} GdinoTextCache;

void gdino_text_cache_init (GdinoTextCache * self);
void gdino_text_cache_clear (GdinoTextCache * self);

/* (transfer full) (nullable): marks it as used */
GdinoTextFeatures *gdino_text_cache_find (GdinoTextCache * self, GBytes * key);

/* @features: (transfer none); its key must not be in the cache yet */
void gdino_text_cache_add (GdinoTextCache * self,
    GdinoTextFeatures * features);

G_END_DECLS
