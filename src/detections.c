/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The result object: holds boxes, knows not how they were found. */

#include "detections.h"

struct _GdinoDetections
{
  gatomicrefcount refs;
  GdinoPrompt *prompt;
  GdinoDecodeStats stats;
  GArray *boxes;                /* (nullable) of GdinoDetection */
  GArray *classes;              /* (nullable) of GdinoClass */
};

GdinoDetections *
gdino_detections_new (GdinoPrompt * prompt, const GdinoDecodeStats * stats,
    GArray * boxes, GArray * classes)
{
  GdinoDetections *self = g_new0 (GdinoDetections, 1);

  g_atomic_ref_count_init (&self->refs);
  self->prompt = gdino_prompt_ref (prompt);
  self->stats = *stats;
  self->boxes = boxes;
  self->classes = classes;
  return self;
}

GdinoDetections *
gdino_detections_ref (GdinoDetections * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
gdino_detections_unref (GdinoDetections * self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_clear_pointer (&self->boxes, g_array_unref);
  g_clear_pointer (&self->classes, g_array_unref);
  gdino_prompt_unref (self->prompt);
  g_free (self);
}

guint
gdino_detections_get_n (GdinoDetections * self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->boxes != NULL ? self->boxes->len : 0;
}

const GdinoDetection *
gdino_detections_get (GdinoDetections * self, guint index)
{
  g_return_val_if_fail (index < gdino_detections_get_n (self), NULL);

  return &g_array_index (self->boxes, GdinoDetection, index);
}

const char *
gdino_detections_get_label (GdinoDetections * self, guint index)
{
  const GdinoDetection *box = gdino_detections_get (self, index);

  g_return_val_if_fail (box != NULL, NULL);

  return gdino_prompt_get_phrase (self->prompt, box->phrase)->text;
}

GdinoPrompt *
gdino_detections_get_prompt (GdinoDetections * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->prompt;
}

const GdinoDecodeStats *
gdino_detections_get_stats (GdinoDetections * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return &self->stats;
}
