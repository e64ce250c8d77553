/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What an application asks of an element that may be playing: prompts, by
 * property, file or event, and what is said of single phrases. Posts what becomes
 * of it; any thread, with no lock held. */
#pragma once

#include "gstgdinoelement.h"

G_BEGIN_DECLS

/* Name of the structure of an event that sets the prompt. */
#define GST_GDINO_SET_PROMPT_NAME "groundingdino-set-prompt"

/** gst_gdino_ask_prompt: @text: (nullable): the property prompt */
void gst_gdino_ask_prompt (GstGroundingDino * self, const gchar * text);

/** gst_gdino_ask_max_passes: @max_passes: the property max-passes */
void gst_gdino_ask_max_passes (GstGroundingDino * self, guint max_passes);

/** gst_gdino_ask_table: @text: (nullable): the property phrase-thresholds or labels. One that says nothing sensible changes nothing but what g_object_get() gives. */
void gst_gdino_ask_table (GstGroundingDino * self, GstGdinoTableKind kind,
    const gchar * text);

/**
 * gst_gdino_ask_event:
 * @event: (transfer none): any event
 *
 * Returns: whether it was meant for this element, and has been dealt with
 */
gboolean gst_gdino_ask_event (GstGroundingDino * self, GstEvent * event);

/** gst_gdino_ask_file: a #GstGdinoWatchChanged; @user_data is the element */
void gst_gdino_ask_file (gpointer user_data);

G_END_DECLS
