/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What the element says on the bus. Call with no lock held: a handler may
 * call back into the element. */
#pragma once

#include <gdino/gdino.h>
#include <gst/gst.h>

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_grounding_dino_debug);

/**
 * gst_gdino_post:
 * @element: who speaks
 * @type: %GST_MESSAGE_ERROR or %GST_MESSAGE_WARNING
 * @error: of domain #GDINO_ERROR or one of GStreamer's; its text is the message
 * @debug: (nullable): for developers
 */
void gst_gdino_post (GstElement * element, GstMessageType type,
    const GError * error, const gchar * debug);

/**
 * gst_gdino_post_prompt:
 *
 * The element message about an accepted prompt, and one warning where phrases
 * were dropped or words are unknown.
 */
void gst_gdino_post_prompt (GstElement * element, GdinoPrompt * prompt);

/**
 * gst_gdino_post_batch:
 *
 * One warning where @package computes several frames at each run: the element
 * has one at a time.
 */
void gst_gdino_post_batch (GstElement * element, GdinoPackage * package);

/**
 * gst_gdino_messages_explain:
 *
 * Returns: (transfer full) (nullable): for people, why there is no box in
 *   @found; %NULL when there is one
 */
gchar *gst_gdino_messages_explain (GdinoDetections * found);

G_END_DECLS
