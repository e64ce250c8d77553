/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinojob.h"

#include <string.h>

void
gst_gdino_job_init (GstGdinoJob * self, GdinoPrompt * prompt,
    const GstGdinoSettings * settings)
{
  memset (self, 0, sizeof *self);
  self->prompt = prompt;
  if (settings->thresholds != NULL)
    self->thresholds = gst_gdino_table_ref (settings->thresholds);
  if (settings->labels != NULL)
    self->labels = gst_gdino_table_ref (settings->labels);
  self->params = settings->params;
  self->interval = settings->inference_interval;
  self->hold = settings->hold;
  self->qos = settings->qos;
  self->metadata = settings->metadata;
}

void
gst_gdino_job_set_names (GstGdinoJob * self, GstGdinoNames * names)
{
  self->names = gst_gdino_names_ref (names);
  gst_gdino_names_apply (names, &self->params);
}

void
gst_gdino_job_copy (GstGdinoJob * self, const GstGdinoJob * other)
{
  *self = *other;
  self->prompt = gdino_prompt_ref (other->prompt);
  if (self->thresholds != NULL)
    gst_gdino_table_ref (self->thresholds);
  if (self->labels != NULL)
    gst_gdino_table_ref (self->labels);
  if (self->names != NULL)
    gst_gdino_names_ref (self->names);
}

void
gst_gdino_job_clear (GstGdinoJob * self)
{
  g_clear_pointer (&self->prompt, gdino_prompt_unref);
  g_clear_pointer (&self->thresholds, gst_gdino_table_unref);
  g_clear_pointer (&self->labels, gst_gdino_table_unref);
  g_clear_pointer (&self->names, gst_gdino_names_unref);
}
