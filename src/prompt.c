/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What a prompt holds, for those who read it. */

#include "prompt-private.h"

static void
clear_phrase (gpointer data)
{
  g_free ((char *) ((GdinoPhrase *) data)->text);
}

GdinoPrompt *
gdino_prompt_alloc (const char *text, guint n_tokens, guint64 revision)
{
  GdinoPrompt *self = g_new0 (GdinoPrompt, 1);

  self->ref_count = 1;
  self->revision = revision;
  self->text = g_strdup (text);
  self->n_tokens = n_tokens;
  self->phrases = g_array_new (FALSE, FALSE, sizeof (GdinoPhrase));
  g_array_set_clear_func (self->phrases, clear_phrase);
  self->dropped = g_ptr_array_new_with_free_func (g_free);
  self->duplicates = g_ptr_array_new_with_free_func (g_free);
  self->unknown_words = g_ptr_array_new_with_free_func (g_free);
  return self;
}

GdinoPrompt *
gdino_prompt_ref (GdinoPrompt * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_int_inc (&self->ref_count);
  return self;
}

void
gdino_prompt_unref (GdinoPrompt * self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_int_dec_and_test (&self->ref_count))
    return;
  g_clear_pointer (&self->passes, g_ptr_array_unref);
  g_free (self->text);
  g_array_unref (self->phrases);
  g_ptr_array_unref (self->dropped);
  g_ptr_array_unref (self->duplicates);
  g_ptr_array_unref (self->unknown_words);
  g_free (self->ids);
  g_free (self->positions);
  g_free (self->block_mask);
  g_free (self->text_mask);
  g_free (self);
}

const char *
gdino_prompt_get_text (GdinoPrompt * self)
{
  return self->text;
}

guint64
gdino_prompt_get_revision (GdinoPrompt * self)
{
  return self->revision;
}

gboolean
gdino_prompt_is_empty (GdinoPrompt * self)
{
  return self->phrases->len == 0;
}

guint
gdino_prompt_get_n_phrases (GdinoPrompt * self)
{
  return self->phrases->len;
}

const GdinoPhrase *
gdino_prompt_get_phrase (GdinoPrompt * self, guint index)
{
  g_return_val_if_fail (index < self->phrases->len, NULL);

  return &g_array_index (self->phrases, GdinoPhrase, index);
}

const char *const *
gdino_prompt_get_dropped (GdinoPrompt * self)
{
  return (const char *const *) self->dropped->pdata;
}

const char *const *
gdino_prompt_get_duplicates (GdinoPrompt * self)
{
  return (const char *const *) self->duplicates->pdata;
}

const char *const *
gdino_prompt_get_unknown_words (GdinoPrompt * self)
{
  return (const char *const *) self->unknown_words->pdata;
}

guint
gdino_prompt_get_n_passes (GdinoPrompt * self)
{
  return self->passes == NULL ? 1 : self->passes->len;
}

GdinoPrompt *
gdino_prompt_get_pass (GdinoPrompt * self, guint pass)
{
  g_return_val_if_fail (pass < gdino_prompt_get_n_passes (self), NULL);

  return self->passes == NULL ? self : g_ptr_array_index (self->passes, pass);
}

guint
gdino_prompt_get_pass_offset (GdinoPrompt * self, guint pass)
{
  return self->passes == NULL ? 0
      : gdino_prompt_get_pass (self, pass)->pass_offset;
}

guint
gdino_prompt_get_n_tokens (GdinoPrompt * self)
{
  return self->n_tokens;
}

guint
gdino_prompt_get_n_used (GdinoPrompt * self)
{
  return gdino_prompt_get_pass (self, 0)->n_used;
}

const gint64 *
gdino_prompt_get_ids (GdinoPrompt * self)
{
  return gdino_prompt_get_pass (self, 0)->ids;
}

const gint64 *
gdino_prompt_get_positions (GdinoPrompt * self)
{
  return gdino_prompt_get_pass (self, 0)->positions;
}

const guint8 *
gdino_prompt_get_block_mask (GdinoPrompt * self)
{
  return gdino_prompt_get_pass (self, 0)->block_mask;
}

const guint8 *
gdino_prompt_get_text_mask (GdinoPrompt * self)
{
  return gdino_prompt_get_pass (self, 0)->text_mask;
}
