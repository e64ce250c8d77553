/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinonames.h"

struct _GstGdinoNames
{
  gatomicrefcount ref_count;
  GdinoPrompt *prompt;
  GstGdinoTable *thresholds;    /* (nullable) */
  GstGdinoTable *labels;        /* (nullable) */
  guint n;                      /* phrases */
  GdinoPhraseRule *rules;       /* (nullable) where there is no table */
  const gchar **shown;          /* (nullable) likewise; label of each phrase */
};

/* The first phrase of a label gives its number to the others. */
static void
make_rules (GstGdinoNames * self)
{
  g_autoptr (GHashTable) groups = g_hash_table_new (g_str_hash, g_str_equal);
  guint i;

  self->rules = g_new (GdinoPhraseRule, MAX (self->n, 1));
  self->shown = g_new (const gchar *, MAX (self->n, 1));
  for (i = 0; i < self->n; i++) {
    const gchar *phrase = gdino_prompt_get_phrase (self->prompt, i)->text;
    const GstGdinoEntry *entry = gst_gdino_table_find (self->thresholds,
        phrase);
    const GstGdinoEntry *alias = gst_gdino_table_find (self->labels, phrase);
    gpointer group;

    self->rules[i].threshold = entry == NULL ? -1 : (float) entry->threshold;
    self->shown[i] = alias == NULL ? phrase : alias->label;
    if (!g_hash_table_lookup_extended (groups, self->shown[i], NULL, &group)) {
      group = GUINT_TO_POINTER (i);
      g_hash_table_insert (groups, (gpointer) self->shown[i], group);
    }
    self->rules[i].group = GPOINTER_TO_UINT (group);
  }
}

GstGdinoNames *
gst_gdino_names_new (GdinoPrompt * prompt, GstGdinoTable * thresholds,
    GstGdinoTable * labels)
{
  GstGdinoNames *self = g_new0 (GstGdinoNames, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->prompt = gdino_prompt_ref (prompt);
  self->n = gdino_prompt_get_n_phrases (prompt);
  if (thresholds != NULL)
    self->thresholds = gst_gdino_table_ref (thresholds);
  if (labels != NULL)
    self->labels = gst_gdino_table_ref (labels);
  if (gst_gdino_table_get_n (thresholds) + gst_gdino_table_get_n (labels) > 0)
    make_rules (self);
  return self;
}

GstGdinoNames *
gst_gdino_names_ref (GstGdinoNames * self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
gst_gdino_names_unref (GstGdinoNames * self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;
  gdino_prompt_unref (self->prompt);
  gst_gdino_table_unref (self->thresholds);
  gst_gdino_table_unref (self->labels);
  g_free (self->rules);
  g_free (self->shown);
  g_free (self);
}

gboolean
gst_gdino_names_are_for (const GstGdinoNames * self, GdinoPrompt * prompt,
    GstGdinoTable * thresholds, GstGdinoTable * labels)
{
  return self->prompt == prompt && self->thresholds == thresholds
      && self->labels == labels;
}

void
gst_gdino_names_apply (const GstGdinoNames * self, GdinoDecodeParams * params)
{
  params->phrase_rules = self->rules;
  params->n_phrase_rules = self->rules == NULL ? 0 : self->n;
}

const gchar *
gst_gdino_names_get_label (const GstGdinoNames * self, guint index)
{
  return self->shown != NULL ? self->shown[index]
      : gdino_prompt_get_phrase (self->prompt, index)->text;
}

static void
list_strangers (GString * text, GstGdinoTable * table, GHashTable * known,
    const gchar * property)
{
  gboolean first = TRUE;
  guint i;

  for (i = 0; i < gst_gdino_table_get_n (table); i++) {
    const GstGdinoEntry *entry = gst_gdino_table_get (table, i);

    if (g_hash_table_contains (known, entry))
      continue;
    if (first)
      g_string_append_printf (text, "%s%s names phrases that the prompt does "
          "not have: ", text->len > 0 ? ". " : "", property);
    g_string_append_printf (text, "%s\"%s\"", first ? "" : ", ", entry->phrase);
    first = FALSE;
  }
}

gchar *
gst_gdino_names_complaint (const GstGdinoNames * self)
{
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  guint i;

  for (i = 0; i < self->n; i++) {
    const gchar *phrase = gdino_prompt_get_phrase (self->prompt, i)->text;

    g_hash_table_add (known,
        (gpointer) gst_gdino_table_find (self->thresholds, phrase));
    g_hash_table_add (known,
        (gpointer) gst_gdino_table_find (self->labels, phrase));
  }
  list_strangers (text, self->thresholds, known, "phrase-thresholds");
  list_strangers (text, self->labels, known, "labels");
  return text->len == 0 ? NULL : g_string_free (g_steal_pointer (&text), FALSE);
}
