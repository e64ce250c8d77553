/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinoslot.h"

void
gst_gdino_slot_init (GstGdinoSlot * self)
{
  g_mutex_init (&self->lock);
  self->max_passes = 1;
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
    guint64 turn, guint max_passes, GdinoPrompt ** accepted, GError ** error)
{
  g_autoptr (GdinoPrompt) prompt = NULL;
  g_autoptr (GdinoPrompt) old = NULL;

  prompt = gdino_prompt_new_split (gdino_package_get_tokenizer (package), text,
      gdino_package_get_text_tokens (package), max_passes, error);
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

/* The caller holds the lock, which is released. While closed, opening will look
 * at the text. */
static gboolean
refill (GstGdinoSlot * self, GdinoPrompt ** accepted, GError ** error)
{
  g_autoptr (GdinoPackage) package = NULL;
  g_autofree gchar *text = g_strdup (self->text);
  const guint64 turn = ++self->given;
  const guint max_passes = self->max_passes;

  *accepted = NULL;
  if (self->package != NULL)
    package = gdino_package_ref (self->package);
  g_mutex_unlock (&self->lock);
  return package == NULL
      || fill (self, package, text, turn, max_passes, accepted, error);
}

gboolean
gst_gdino_slot_set_text (GstGdinoSlot * self, const gchar * text,
    gboolean of_file, GdinoPrompt ** accepted, GError ** error)
{
  g_mutex_lock (&self->lock);
  g_free (self->text);
  self->text = g_strdup (text);
  self->of_file = of_file;
  return refill (self, accepted, error);
}

gboolean
gst_gdino_slot_set_max_passes (GstGdinoSlot * self, guint max_passes,
    GdinoPrompt ** accepted, GError ** error)
{
  g_mutex_lock (&self->lock);
  self->max_passes = max_passes;
  return refill (self, accepted, error);
}

guint
gst_gdino_slot_get_max_passes (GstGdinoSlot * self)
{
  guint max_passes;

  g_mutex_lock (&self->lock);
  max_passes = self->max_passes;
  g_mutex_unlock (&self->lock);
  return max_passes;
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

/* The caller holds the lock. */
static gboolean
wants_file (const GstGdinoSlot * self)
{
  return self->of_file || self->text == NULL || *self->text == '\0';
}

gboolean
gst_gdino_slot_wants_file (GstGdinoSlot * self)
{
  gboolean wants;

  g_mutex_lock (&self->lock);
  wants = wants_file (self);
  g_mutex_unlock (&self->lock);
  return wants;
}

gboolean
gst_gdino_slot_open (GstGdinoSlot * self, GdinoPackage * package,
    const gchar * file_text, GdinoPrompt ** accepted, GError ** error)
{
  g_autofree gchar *text = NULL;
  guint64 turn;
  guint max_passes;

  *accepted = NULL;
  g_mutex_lock (&self->lock);
  self->package = gdino_package_ref (package);
  if (file_text != NULL && wants_file (self)) {
    g_free (self->text);
    self->text = g_strdup (file_text);
    self->of_file = TRUE;
  }
  text = g_strdup (self->text);
  turn = self->given;
  max_passes = self->max_passes;
  g_mutex_unlock (&self->lock);
  return fill (self, package, text, turn, max_passes, accepted, error);
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
