/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Entry point of the plugin; knows the name of its one element. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gdino/gdino.h>
#include <gst/gst.h>

#include "gstgroundingdino.h"

static gboolean
plugin_init (GstPlugin * plugin)
{
  /* Here, before the application's pipeline runs, is the last time to set it
   * safely. */
  gdino_limit_spinning ();
  return GST_ELEMENT_REGISTER (groundingdino, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, gdino,
    "Finds objects named in free text (Grounding DINO)", plugin_init, VERSION,
    GST_LICENSE, GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
