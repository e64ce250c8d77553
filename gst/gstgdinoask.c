/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinoask.h"

#include <string.h>

#include "gstgdinomessages.h"
#include "gstgdinoprompt.h"

#define GST_CAT_DEFAULT gst_grounding_dino_debug

/* Tells what became of a text for the slot. */
static void
tell (GstGroundingDino * self, gboolean ok, GdinoPrompt * accepted,
    const GError * error)
{
  if (!ok)
    gst_gdino_post (GST_ELEMENT (self), GST_MESSAGE_WARNING, error,
        "the prompt before it stays");
  else if (accepted != NULL)
    gst_gdino_post_prompt (GST_ELEMENT (self), accepted);
}

static void
take_text (GstGroundingDino * self, const gchar * text, gboolean of_file)
{
  g_autoptr (GdinoPrompt) accepted = NULL;
  g_autoptr (GError) error = NULL;
  const gboolean ok = gst_gdino_slot_set_text (&self->slot, text, of_file,
      &accepted, &error);

  tell (self, ok, accepted, error);
}

void
gst_gdino_ask_prompt (GstGroundingDino * self, const gchar * text)
{
  take_text (self, text, FALSE);
}

void
gst_gdino_ask_max_passes (GstGroundingDino * self, guint max_passes)
{
  g_autoptr (GdinoPrompt) accepted = NULL;
  g_autoptr (GError) error = NULL;
  const gboolean ok = gst_gdino_slot_set_max_passes (&self->slot, max_passes,
      &accepted, &error);

  tell (self, ok, accepted, error);
}

void
gst_gdino_ask_table (GstGroundingDino * self, GstGdinoTableKind kind,
    const gchar * text)
{
  const gboolean labels = kind == GST_GDINO_TABLE_LABELS;
  g_autoptr (GstGdinoTable) old = NULL;
  g_autofree gchar *old_text = NULL;
  g_autoptr (GError) error = NULL;
  GstGdinoTable *table = gst_gdino_table_parse (text, kind, &error);
  GstGdinoTable **place;
  gchar **text_place;

  GST_OBJECT_LOCK (self);
  place = labels ? &self->settings.labels : &self->settings.thresholds;
  text_place = labels ?
      &self->settings.labels_text : &self->settings.thresholds_text;
  old_text = *text_place;
  *text_place = g_strdup (text);
  if (table != NULL) {
    old = *place;
    *place = table;
  }
  GST_OBJECT_UNLOCK (self);
  if (table == NULL)
    gst_gdino_post (GST_ELEMENT (self), GST_MESSAGE_WARNING, error,
        "what was said before it stays");
}

gboolean
gst_gdino_ask_event (GstGroundingDino * self, GstEvent * event)
{
  const GstStructure *structure = gst_event_get_structure (event);
  const gchar *element;
  g_autofree gchar *own = NULL;
  g_autofree gchar *text = NULL;

  if (structure == NULL
      || !gst_structure_has_name (structure, GST_GDINO_SET_PROMPT_NAME))
    return FALSE;
  element = gst_structure_get_string (structure, "element");
  own = gst_object_get_name (GST_OBJECT (self));
  if (element != NULL && strcmp (element, own) != 0)
    return FALSE;

  if (gst_structure_has_field_typed (structure, "prompt", G_TYPE_STRING)) {
    take_text (self, gst_structure_get_string (structure, "prompt"), FALSE);
    return TRUE;
  }
  text = gst_structure_to_string (structure);
  GST_ELEMENT_WARNING (self, STREAM, FAILED,
      ("Event without a prompt: found %s, wanted a field \"prompt\" with a "
          "string; the prompt before it stays", text), (NULL));
  return TRUE;
}

void
gst_gdino_ask_file (gpointer user_data)
{
  GstGroundingDino *self = user_data;
  g_autofree gchar *path = NULL;
  g_autofree gchar *text = NULL;
  g_autoptr (GError) error = NULL;
  const gchar *said;

  GST_OBJECT_LOCK (self);
  path = g_strdup (self->settings.prompt_path);
  GST_OBJECT_UNLOCK (self);
  text = gst_gdino_prompt_read_file (path, &error);
  said = text != NULL ? text : error->message;
  /* Most events change nothing, and a missing file is told of once. */
  if (g_strcmp0 (said, self->file_said) == 0)
    return;
  g_free (self->file_said);
  self->file_said = g_strdup (said);
  if (text == NULL) {
    gst_gdino_post (GST_ELEMENT (self), GST_MESSAGE_WARNING, error,
        "the prompt before it stays");
    return;
  }
  GST_INFO_OBJECT (self, "\"%s\" has another content", path);
  take_text (self, text, TRUE);
}
