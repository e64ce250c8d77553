/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Lays frames and their texts side by side. Knows no graph but its shapes. */

#include "batch.h"

#include <string.h>

#include "textcache.h"

#define ALIGNMENT 64

/* Of the inputs, in the order of the graph contract. */
enum
{
  IMAGE,
  FEATURES,
  POSITION,
  TEXT_MASK,
  BLOCK_MASK
};

struct _GdinoBatch
{
  const GdinoGraphInfo *info;
  guint n_slots;                /* B */
  gsize row;                    /* bytes of a packed row of a canvas */
  gpointer buffers[GDINO_BATCH_N_INPUTS];       /* (nullable) until needed */
  GdinoTextFeatures **held;     /* (nullable) whose text each slot holds */
};

GdinoBatch *
gdino_batch_new (const GdinoGraphInfo * info)
{
  GdinoBatch *self = g_new0 (GdinoBatch, 1);
  const GdinoTensorSpec *image = &info->inputs[IMAGE];

  self->info = info;
  self->n_slots = (guint) image->shape[0];
  self->row = (gsize) (image->shape[2] * image->shape[3]);
  self->held = g_new0 (GdinoTextFeatures *, self->n_slots);
  return self;
}

void
gdino_batch_free (GdinoBatch * self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < GDINO_BATCH_N_INPUTS; i++)
    g_aligned_free (self->buffers[i]);
  for (guint i = 0; i < self->n_slots; i++)
    gdino_text_features_unref (self->held[i]);
  g_free (self->held);
  g_free (self);
}

/* Where @slot begins in the buffer of @input. */
static guint8 *
slot_of (GdinoBatch * self, guint input, guint slot)
{
  const gsize size = self->info->inputs[input].n_bytes;

  if (self->buffers[input] == NULL)
    self->buffers[input] = g_aligned_alloc0 (1, size, ALIGNMENT);
  return (guint8 *) self->buffers[input] + size / self->n_slots * slot;
}

static void
copy_image (GdinoBatch * self, guint slot, const GdinoEngineFrame * frame)
{
  const gsize height = (gsize) self->info->inputs[IMAGE].shape[1];
  guint8 *to = slot_of (self, IMAGE, slot);

  if (frame->stride == self->row) {
    memcpy (to, frame->canvas, self->row * height);
    return;
  }
  for (gsize y = 0; y < height; y++)
    memcpy (to + y * self->row, frame->canvas + y * frame->stride, self->row);
}

/* The token ids behind features decide the masks too. */
static void
copy_text (GdinoBatch * self, guint slot, const GdinoEngineFrame * frame)
{
  const gconstpointer from[GDINO_BATCH_N_INPUTS] = {
    NULL,
    frame->text->features,
    frame->text->position,
    gdino_prompt_get_text_mask (frame->prompt),
    gdino_prompt_get_block_mask (frame->prompt),
  };

  if (self->held[slot] == frame->text)
    return;
  for (guint i = FEATURES; i < GDINO_BATCH_N_INPUTS; i++)
    memcpy (slot_of (self, i, slot), from[i],
        self->info->inputs[i].n_bytes / self->n_slots);
  gdino_text_features_unref (self->held[slot]);
  self->held[slot] = gdino_text_features_ref (frame->text);
}

/* Graphs only read their inputs. */
static void
borrow (GdinoBatch * self, const GdinoEngineFrame * frame,
    GdinoTensor inputs[GDINO_BATCH_N_INPUTS])
{
  if (frame->stride == self->row) {
    inputs[IMAGE].data = (gpointer) frame->canvas;
  } else {
    copy_image (self, 0, frame);
    inputs[IMAGE].data = self->buffers[IMAGE];
  }
  inputs[FEATURES].data = frame->text->features;
  inputs[POSITION].data = frame->text->position;
  inputs[TEXT_MASK].data = (gpointer) gdino_prompt_get_text_mask
      (frame->prompt);
  inputs[BLOCK_MASK].data = (gpointer) gdino_prompt_get_block_mask
      (frame->prompt);
}

void
gdino_batch_fill (GdinoBatch * self, const GdinoEngineFrame * frames, guint n,
    GdinoTensor inputs[GDINO_BATCH_N_INPUTS])
{
  for (guint i = 0; i < GDINO_BATCH_N_INPUTS; i++)
    inputs[i].spec = &self->info->inputs[i];
  if (self->n_slots == 1) {
    borrow (self, &frames[0], inputs);
    return;
  }
  for (guint slot = 0; slot < self->n_slots; slot++) {
    if (slot < n)
      copy_image (self, slot, &frames[slot]);
    copy_text (self, slot, &frames[slot < n ? slot : 0]);
  }
  for (guint i = 0; i < GDINO_BATCH_N_INPUTS; i++)
    inputs[i].data = self->buffers[i];
}
