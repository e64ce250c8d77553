/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinotable.h"

#include <gdino/gdino.h>
#include <gst/gst.h>
#include <string.h>

struct _GstGdinoTable
{
  gatomicrefcount ref_count;
  GstGdinoTableKind kind;
  GArray *entries;              /* GstGdinoEntry */
  GHashTable *by_key;           /* key of an entry -> its number + 1 */
};

/* Names of the property, and of the structure that may stand for it. */
static const gchar *const names[] = { "phrase-thresholds", "labels" };

static void
clear_entry (gpointer data)
{
  GstGdinoEntry *entry = data;

  g_free (entry->phrase);
  g_free (entry->key);
  g_free (entry->label);
}

/* Case, accents in one or two characters, and the width of blanks make no
 * difference; nor does the delimiter, which some write along. */
static gchar *
make_key (const gchar * phrase)
{
  g_autofree gchar *composed = g_utf8_normalize (phrase, -1, G_NORMALIZE_NFC);
  g_autofree gchar *lower = g_utf8_strdown (composed, -1);
  GString *key = g_string_new (NULL);
  const gchar *c;

  for (c = lower; *c != '\0'; c = g_utf8_next_char (c)) {
    const gunichar letter = g_utf8_get_char (c);

    if (!g_unichar_isspace (letter))
      g_string_append_unichar (key, letter);
    else if (key->len > 0 && key->str[key->len - 1] != ' ')
      g_string_append_c (key, ' ');
  }
  while (key->len > 0 && strchr (" .?", key->str[key->len - 1]) != NULL)
    g_string_truncate (key, key->len - 1);
  return g_string_free (key, FALSE);
}

static gboolean
refuse (const GstGdinoTable * self, const gchar * entry, const gchar * wanted,
    GError ** error)
{
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
      "%s: found \"%s\" as entry %u, wanted %s", names[self->kind], entry,
      self->entries->len + 1, wanted);
  return FALSE;
}

/* @label: of a table of labels. @entry: for messages */
static gboolean
add (GstGdinoTable * self, const gchar * phrase, gdouble threshold,
    const gchar * label, const gchar * entry, GError ** error)
{
  GstGdinoEntry added = { 0 };
  g_autofree gchar *key = make_key (phrase);

  if (*key == '\0')
    return refuse (self, entry, "a phrase before '='", error);
  if (strpbrk (key, ".?") != NULL)
    return refuse (self, entry, "one phrase, without '.' and '?', before '='",
        error);
  if (self->kind == GST_GDINO_TABLE_THRESHOLDS
      && !(threshold >= 0 && threshold <= 1))
    return refuse (self, entry, "a number from 0 to 1 after '='", error);
  if (self->kind == GST_GDINO_TABLE_LABELS && *label == '\0')
    return refuse (self, entry, "a label after '='", error);
  if (g_hash_table_contains (self->by_key, key))
    return refuse (self, entry, "each phrase once", error);

  added.phrase = g_strdup (phrase);
  added.key = g_steal_pointer (&key);
  added.threshold = threshold;
  added.label = g_strdup (label);
  g_array_append_val (self->entries, added);
  g_hash_table_insert (self->by_key, added.key,
      GUINT_TO_POINTER (self->entries->len));
  return TRUE;
}

static gboolean
add_value (GstGdinoTable * self, const gchar * phrase, const GValue * value,
    GError ** error)
{
  const GType type = self->kind == GST_GDINO_TABLE_LABELS ?
      G_TYPE_STRING : G_TYPE_DOUBLE;
  g_autofree gchar *entry = NULL;
  GValue wanted = G_VALUE_INIT;
  gboolean ok;

  if (value == NULL || phrase == NULL)
    return refuse (self, phrase == NULL ? "(no phrase)" : phrase,
        self->kind == GST_GDINO_TABLE_LABELS ?
        "the fields phrase and label" : "the fields phrase and threshold",
        error);
  entry = g_strdup_value_contents (value);
  g_value_init (&wanted, type);
  if (type == G_TYPE_DOUBLE && G_VALUE_HOLDS_STRING (value))
    ok = refuse (self, entry, "a number from 0 to 1", error);
  else if (!g_value_transform (value, &wanted))
    ok = refuse (self, entry, type == G_TYPE_STRING ? "a text" : "a number",
        error);
  else if (type == G_TYPE_STRING)
    ok = add (self, phrase, 0, g_value_get_string (&wanted), entry, error);
  else
    ok = add (self, phrase, g_value_get_double (&wanted), NULL, entry, error);
  g_value_unset (&wanted);
  return ok;
}

static gboolean
add_structure (GstGdinoTable * self, const gchar * text, GError ** error)
{
  g_autoptr (GstStructure) structure = gst_structure_from_string (text, NULL);
  gint i;

  if (structure == NULL)
    return refuse (self, text, "a structure", error);
  for (i = 0; i < gst_structure_n_fields (structure); i++) {
    const gchar *phrase = gst_structure_nth_field_name (structure, (guint) i);

    if (!add_value (self, phrase, gst_structure_get_value (structure, phrase),
            error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
add_array (GstGdinoTable * self, const gchar * text, GError ** error)
{
  const gchar *field =
      self->kind == GST_GDINO_TABLE_LABELS ? "label" : "threshold";
  GValue array = G_VALUE_INIT;
  gboolean ok = TRUE;
  guint i;

  g_value_init (&array, GST_TYPE_ARRAY);
  if (!gst_value_deserialize (&array, text)) {
    g_value_unset (&array);
    return refuse (self, text, "an array of structures", error);
  }
  for (i = 0; ok && i < gst_value_array_get_size (&array); i++) {
    const GValue *value = gst_value_array_get_value (&array, i);
    g_autoptr (GstStructure) structure = NULL;

    if (GST_VALUE_HOLDS_STRUCTURE (value))
      structure = gst_structure_copy (gst_value_get_structure (value));
    else if (G_VALUE_HOLDS_STRING (value))
      structure = gst_structure_from_string (g_value_get_string (value), NULL);
    ok = structure == NULL ?
        refuse (self, text, "an array of structures", error)
        : add_value (self, gst_structure_get_string (structure, "phrase"),
        gst_structure_get_value (structure, field), error);
  }
  g_value_unset (&array);
  return ok;
}

/* Reads on to the end of an entry; quotes and backslashes go. @equals: (out):
 * where in the result the last '=' outside quotes is, -1 without one.
 * Returns: FALSE for a quote that is not closed */
static gboolean
read_entry (const gchar ** text, GString * entry, gssize * equals)
{
  gboolean quoted = FALSE;
  const gchar *c;

  g_string_truncate (entry, 0);
  *equals = -1;
  for (c = *text; *c != '\0' && (quoted || (*c != ';' && *c != '\n')); c++) {
    if (*c == '"') {
      quoted = !quoted;
      continue;
    }
    if (quoted && *c == '\\' && c[1] != '\0')
      c++;
    else if (!quoted && *c == '=')
      *equals = (gssize) entry->len;
    g_string_append_c (entry, *c);
  }
  *text = *c == '\0' ? c : c + 1;
  return !quoted;
}

static gboolean
add_text (GstGdinoTable * self, const gchar * text, GError ** error)
{
  g_autoptr (GString) entry = g_string_new (NULL);
  gssize equals;

  while (*text != '\0') {
    const gchar *start = text;
    g_autofree gchar *written = NULL;
    g_autofree gchar *phrase = NULL;
    g_autofree gchar *value = NULL;
    gdouble threshold = 0;
    gchar *end;
    const gboolean closed = read_entry (&text, entry, &equals);

    written = g_strstrip (g_strndup (start, (gsize) (text - start)));
    if (g_str_has_suffix (written, ";"))
      written[strlen (written) - 1] = '\0';
    if (*written == '\0')
      continue;
    if (!closed)
      return refuse (self, written, "a closing quote", error);
    if (equals < 0)
      return refuse (self, written, "PHRASE=VALUE", error);
    phrase = g_strstrip (g_strndup (entry->str, (gsize) equals));
    value = g_strstrip (g_strdup (entry->str + equals + 1));
    if (self->kind == GST_GDINO_TABLE_THRESHOLDS) {
      threshold = g_ascii_strtod (value, &end);
      if (end == value || *end != '\0')
        return refuse (self, written, "a number from 0 to 1 after '='", error);
    }
    if (!add (self, phrase, threshold, value, written, error))
      return FALSE;
  }
  return TRUE;
}

GstGdinoTable *
gst_gdino_table_parse (const gchar * text, GstGdinoTableKind kind,
    GError ** error)
{
  g_autoptr (GstGdinoTable) self = g_new0 (GstGdinoTable, 1);
  g_autofree gchar *begin = g_strconcat (names[kind], ",", NULL);
  gboolean ok;

  g_atomic_ref_count_init (&self->ref_count);
  self->kind = kind;
  self->entries = g_array_new (FALSE, FALSE, sizeof (GstGdinoEntry));
  g_array_set_clear_func (self->entries, clear_entry);
  self->by_key = g_hash_table_new (g_str_hash, g_str_equal);
  if (text == NULL)
    return g_steal_pointer (&self);

  while (g_ascii_isspace (*text))
    text++;
  if (!g_utf8_validate (text, -1, NULL))
    ok = refuse (self, "bytes that are not UTF-8", "UTF-8 text", error);
  else if (g_str_has_prefix (text, begin))
    ok = add_structure (self, text, error);
  else if (*text == '<')
    ok = add_array (self, text, error);
  else
    ok = add_text (self, text, error);
  return ok ? g_steal_pointer (&self) : NULL;
}

GstGdinoTable *
gst_gdino_table_ref (GstGdinoTable * self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
gst_gdino_table_unref (GstGdinoTable * self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_hash_table_unref (self->by_key);
  g_array_unref (self->entries);
  g_free (self);
}

guint
gst_gdino_table_get_n (GstGdinoTable * self)
{
  return self == NULL ? 0 : self->entries->len;
}

const GstGdinoEntry *
gst_gdino_table_get (GstGdinoTable * self, guint index)
{
  return &g_array_index (self->entries, GstGdinoEntry, index);
}

const GstGdinoEntry *
gst_gdino_table_find (GstGdinoTable * self, const gchar * phrase)
{
  g_autofree gchar *key = NULL;
  guint number;

  if (gst_gdino_table_get_n (self) == 0)
    return NULL;
  key = make_key (phrase);
  number = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_key, key));
  return number == 0 ? NULL : gst_gdino_table_get (self, number - 1);
}
