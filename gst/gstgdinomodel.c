/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinomodel.h"

gboolean
gst_gdino_model_load (GstGdinoModel * self, const gchar * folder,
    const gchar * device, GError ** error)
{
  g_autoptr (GdinoPackage) package = NULL;
  g_autoptr (GdinoEngine) engine = NULL;

  if (folder == NULL || *folder == '\0') {
    g_set_error_literal (error, GDINO_ERROR, GDINO_ERROR_NOT_FOUND,
        "The property \"model\" is not set, wanted the folder of a model "
        "package made by gdino-compile");
    return FALSE;
  }
  package = gdino_package_open (folder, error);
  if (package == NULL)
    return FALSE;
  engine = gdino_engine_get (package, device != NULL ? device : "auto", error);
  if (engine == NULL)
    return FALSE;

  self->detector = gdino_detector_new (engine);
  self->package = g_steal_pointer (&package);
  self->engine = g_steal_pointer (&engine);
  return TRUE;
}

void
gst_gdino_model_clear (GstGdinoModel * self)
{
  g_clear_pointer (&self->detector, gdino_detector_free);
  g_clear_pointer (&self->engine, gdino_engine_unref);
  g_clear_pointer (&self->package, gdino_package_unref);
}
