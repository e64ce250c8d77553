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
  self->params = settings->params;
  self->interval = settings->inference_interval;
  self->hold = settings->hold;
  self->qos = settings->qos;
  self->metadata = settings->metadata;
}

void
gst_gdino_job_copy (GstGdinoJob * self, const GstGdinoJob * other)
{
  *self = *other;
  self->prompt = gdino_prompt_ref (other->prompt);
}

void
gst_gdino_job_clear (GstGdinoJob * self)
{
  g_clear_pointer (&self->prompt, gdino_prompt_unref);
}
