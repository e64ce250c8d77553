/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Entry point of the plugin; knows the name of its one element. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <gst/gst.h>

#include "gstgroundingdino.h"

static gboolean
plugin_init (GstPlugin * plugin)
{
  /* OpenMP threads that spin while they wait for each other starve decoders
   * and encoders, and themselves. Its run time reads this once, when libtorch
   * brings it in; here, before the application's pipeline runs, is the last
   * time to set it safely. */
  g_setenv ("OMP_WAIT_POLICY", "passive", FALSE);
  return GST_ELEMENT_REGISTER (groundingdino, plugin);
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, gdino,
    "Finds objects named in free text (Grounding DINO)", plugin_init, VERSION,
    GST_LICENSE, GST_PACKAGE_NAME, GST_PACKAGE_ORIGIN)
