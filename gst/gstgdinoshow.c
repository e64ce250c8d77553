/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinoshow.h"

#include "gstgdinometa.h"

void
gst_gdino_show_set (GstGdinoShow * self, GstGdinoResult * result)
{
  gst_gdino_result_unref (self->result);
  self->result = result;
  self->shown = FALSE;
}

void
gst_gdino_show_clear (GstGdinoShow * self)
{
  gst_gdino_show_set (self, NULL);
}

gboolean
gst_gdino_show_attach (GstGdinoShow * self, GstBuffer * buffer,
    const GstGdinoStamp * stamp, const GstVideoInfo * info,
    const GstGdinoJob * job, GstClockTime limit, gboolean * held)
{
  GstGdinoSource source;

  *held = self->shown;
  if (self->result == NULL)
    return FALSE;
  source.pts = self->result->stamp.pts;
  source.age = gst_gdino_result_get_age (self->result, stamp);
  source.held = self->shown;
  if (self->shown && source.age > limit)
    return FALSE;
  source.names = self->result->names;
  gst_gdino_meta_attach (buffer, self->result->found, &source, info,
      job->metadata);
  self->shown = TRUE;
  return TRUE;
}
