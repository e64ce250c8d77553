/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The prompt in use, which any thread may replace at any time. Posts nothing;
 * works on texts outside its lock, so nobody waits for a tokenizer. */
#pragma once

#include <gdino/gdino.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstGdinoSlot:
 *
 * The last text given, and the prompt made of the last good one. Prompts are
 * made while the slot is open, that is while there is a package.
 * Thread-safety: Safe, but for init and clear. Members are private.
 */
typedef struct
{
  GMutex lock;
  gchar *text;
  gboolean of_file;
  guint64 given;
  guint max_passes;
  GdinoPackage *package;
  GdinoPrompt *prompt;
  guint64 used;
} GstGdinoSlot;

void gst_gdino_slot_init (GstGdinoSlot * self);
void gst_gdino_slot_clear (GstGdinoSlot * self);

/**
 * gst_gdino_slot_set_text:
 * @text: (nullable): what to look for from the next frame on
 * @of_file: it was read from the prompt file, which opening will read again
 * @accepted: (out) (transfer full) (nullable): the prompt made of @text, %NULL
 *   while closed or where another thread was given a later text meanwhile
 * @error: return location for a #GError
 *
 * A text given earlier never replaces one given later, whichever thread comes
 * first.
 *
 * Returns: %FALSE when @text is no usable prompt; the one in use stays
 */
gboolean gst_gdino_slot_set_text (GstGdinoSlot * self, const gchar * text,
    gboolean of_file, GdinoPrompt ** accepted, GError ** error);

/**
 * gst_gdino_slot_set_max_passes:
 * @max_passes: 1 to %GDINO_PROMPT_MAX_PASSES, for this text and those to come
 * @accepted: (out) (transfer full) (nullable): as above
 * @error: return location for a #GError
 *
 * Returns: as above
 */
gboolean gst_gdino_slot_set_max_passes (GstGdinoSlot * self,
    guint max_passes, GdinoPrompt ** accepted, GError ** error);

/** gst_gdino_slot_get_max_passes: Returns: the number set last, 1 at first */
guint gst_gdino_slot_get_max_passes (GstGdinoSlot * self);

/** gst_gdino_slot_dup_text: Returns: (transfer full) (nullable): the last text given, good or not */
gchar *gst_gdino_slot_dup_text (GstGdinoSlot * self);

/** gst_gdino_slot_wants_file: Returns: whether the text is to come from the prompt file: none was given, or the last one came from there */
gboolean gst_gdino_slot_wants_file (GstGdinoSlot * self);

/**
 * gst_gdino_slot_open:
 * @package: whose vocabulary and token count to use
 * @file_text: (nullable): what the prompt file says, taken where it is wanted
 * @accepted: (out) (transfer full) (nullable): as above
 * @error: return location for a #GError
 *
 * Returns: %FALSE when the text is no usable prompt; close the slot then
 */
gboolean gst_gdino_slot_open (GstGdinoSlot * self, GdinoPackage * package,
    const gchar * file_text, GdinoPrompt ** accepted, GError ** error);

/** gst_gdino_slot_close: forgets package and prompt, keeps the text */
void gst_gdino_slot_close (GstGdinoSlot * self);

/** gst_gdino_slot_get: Returns: (transfer full) (nullable): the prompt in use; not %NULL once opened */
GdinoPrompt *gst_gdino_slot_get (GstGdinoSlot * self);

G_END_DECLS
