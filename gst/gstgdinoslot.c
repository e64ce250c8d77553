/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinoslot.h"

#include "gstgdinoprompt.h"

void
gst_gdino_slot_init (GstGdinoSlot * self)
{
  g_mutex_init (&self->lock);
}

void
gst_gdino_slot_clear (GstGdinoSlot * self)
{
  gst_gdino_slot_close (self);
  g_clear_pointer (&self->text, g_free);
  g_mutex_clear (&self->lock);
}

/* Turns @text into a prompt and puts it in use, unless a later one is. */
static gboolean
fill (GstGdinoSlot * self, GdinoPackage * package, const gchar * text,
    guint64 turn, GdinoPrompt ** accepted, GError ** error)
{
  g_autoptr (GdinoPrompt) prompt = NULL;
  g_autoptr (GdinoPrompt) old = NULL;

  prompt = gdino_prompt_new (gdino_package_get_tokenizer (package), text,
      gdino_package_get_text_tokens (package), error);
  if (prompt == NULL)
    return FALSE;

  g_mutex_lock (&self->lock);
  if (self->package == package && turn >= self->used) {
    old = self->prompt;
    self->prompt = gdino_prompt_ref (prompt);
    self->used = turn;
    *accepted = gdino_prompt_ref (prompt);
  }
  g_mutex_unlock (&self->lock);
  return TRUE;
}

gboolean
gst_gdino_slot_set_text (GstGdinoSlot * self, const gchar * text,
    GdinoPrompt ** accepted, GError ** error)
{
  g_autoptr (GdinoPackage) package = NULL;
  guint64 turn;

  *accepted = NULL;
  g_mutex_lock (&self->lock);
  g_free (self->text);
  self->text = g_strdup (text);
  turn = ++self->given;
  if (self->package != NULL)
    package = gdino_package_ref (self->package);
  g_mutex_unlock (&self->lock);

  /* While closed, opening will look at the text. */
  return package == NULL || fill (self, package, text, turn, accepted, error);
}

gchar *
gst_gdino_slot_dup_text (GstGdinoSlot * self)
{
  gchar *text;

  g_mutex_lock (&self->lock);
  text = g_strdup (self->text);
  g_mutex_unlock (&self->lock);
  return text;
}

gboolean
gst_gdino_slot_open (GstGdinoSlot * self, GdinoPackage * package,
    const gchar * path, GdinoPrompt ** accepted, GError ** error)
{
  g_autofree gchar *text = NULL;
  guint64 turn;

  *accepted = NULL;
  g_mutex_lock (&self->lock);
  self->package = gdino_package_ref (package);
  text = g_strdup (self->text);
  turn = self->given;
  g_mutex_unlock (&self->lock);

  if ((text == NULL || *text == '\0') && path != NULL && *path != '\0') {
    g_free (text);
    text = gst_gdino_prompt_read_file (path, error);
    if (text == NULL)
      return FALSE;
  }
  return fill (self, package, text, turn, accepted, error);
}

void
gst_gdino_slot_close (GstGdinoSlot * self)
{
  g_autoptr (GdinoPackage) package = NULL;
  g_autoptr (GdinoPrompt) prompt = NULL;

  g_mutex_lock (&self->lock);
  package = g_steal_pointer (&self->package);
  prompt = g_steal_pointer (&self->prompt);
  g_mutex_unlock (&self->lock);
}

GdinoPrompt *
gst_gdino_slot_get (GstGdinoSlot * self)
{
  GdinoPrompt *prompt;

  g_mutex_lock (&self->lock);
  prompt = self->prompt != NULL ? gdino_prompt_ref (self->prompt) : NULL;
  g_mutex_unlock (&self->lock);
  return prompt;
}
