/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinoboard.h"

#include <gst/gst.h>

gboolean
gst_gdino_board_init (GstGdinoBoard * self, const GstVideoInfo * info,
    GError ** error)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, info->size, NULL);

  /* The frame keeps the buffer alive. */
  self->mapped = buffer != NULL
      && gst_video_frame_map (&self->frame, info, buffer, GST_MAP_READWRITE);
  gst_clear_buffer (&buffer);
  if (!self->mapped)
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "No memory for a picture of %d x %d pixels, %" G_GSIZE_FORMAT " bytes",
        info->width, info->height, info->size);
  return self->mapped;
}

void
gst_gdino_board_clear (GstGdinoBoard * self)
{
  if (self->mapped)
    gst_video_frame_unmap (&self->frame);
  self->mapped = FALSE;
}
