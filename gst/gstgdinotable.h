/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What a user says of single phrases: a text such as
 * "a cat=0.5; red car=0.3", read. Knows no prompt and no element. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * GstGdinoTableKind:
 * @GST_GDINO_TABLE_THRESHOLDS: values are numbers from 0 to 1
 * @GST_GDINO_TABLE_LABELS: values are texts, not empty
 */
typedef enum
{
  GST_GDINO_TABLE_THRESHOLDS,
  GST_GDINO_TABLE_LABELS
} GstGdinoTableKind;

/**
 * GstGdinoEntry:
 * @phrase: as the user wrote it
 * @key: the same as phrases are compared
 * @label: (nullable): of a table of labels
 * @threshold: of a table of thresholds
 */
typedef struct
{
  gchar *phrase;
  gchar *key;
  gchar *label;
  gdouble threshold;
} GstGdinoEntry;

/**
 * GstGdinoTable:
 *
 * Entries in the order they were written. Immutable and reference counted.
 * Thread-safety: Safe.
 */
typedef struct _GstGdinoTable GstGdinoTable;

/**
 * gst_gdino_table_parse:
 * @text: (nullable): entries PHRASE=VALUE, ended by ';' or the end of a line; of
 *   several '=' the last one counts; double quotes, in which a backslash takes the
 *   next character as it is, keep ';' and '=' together. Or what GStreamer makes
 *   of a structure called "phrase-thresholds" or "labels" with phrases as fields, or
 *   of an array of structures with the fields "phrase" and "threshold" or "label"
 * @error: return location for a #GError
 *
 * Returns: (transfer full) (nullable): the table, or %NULL with
 *   %GDINO_ERROR_INVALID_ARGUMENT that names the entry and what was wanted
 */
GstGdinoTable *gst_gdino_table_parse (const gchar * text,
    GstGdinoTableKind kind, GError ** error);

GstGdinoTable *gst_gdino_table_ref (GstGdinoTable * self);

/** gst_gdino_table_unref: @self: (transfer full) (nullable) */
void gst_gdino_table_unref (GstGdinoTable * self);

/** gst_gdino_table_get_n: Returns: number of entries; @self: (nullable) */
guint gst_gdino_table_get_n (GstGdinoTable * self);

/** gst_gdino_table_get: Returns: (transfer none): entry @index, below n */
const GstGdinoEntry *gst_gdino_table_get (GstGdinoTable * self, guint index);

/** gst_gdino_table_find: @self: (nullable). Returns: (transfer none) (nullable): the entry of a phrase */
const GstGdinoEntry *gst_gdino_table_find (GstGdinoTable * self,
    const gchar * phrase);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstGdinoTable, gst_gdino_table_unref)

G_END_DECLS
