/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Prompts as users give them and as they are told about them. Knows no
 * element and no stream. */
#pragma once

#include <gdino/gdino.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/* Name of the message and of the event about a prompt. */
#define GST_GDINO_PROMPT_NAME "groundingdino-prompt"

/* Longest file taken, in bytes. */
#define GST_GDINO_PROMPT_FILE_MAX (1024 * 1024)

/**
 * gst_gdino_prompt_read_file:
 * @path: a text file; UTF-8, a byte order mark is skipped
 * @error: return location for a #GError
 *
 * The end of a line ends a phrase, as a period does; blank lines count for
 * nothing.
 *
 * Returns: (transfer full) (nullable): a prompt, or %NULL with a message that
 *   names @path
 */
gchar *gst_gdino_prompt_read_file (const gchar * path, GError ** error);

/** gst_gdino_prompt_count_tokens: Returns: tokens used, of all passes */
guint gst_gdino_prompt_count_tokens (GdinoPrompt * prompt);

/**
 * gst_gdino_prompt_describe:
 *
 * Returns: (transfer full): what became of the prompt: text, revision,
 *   phrases, dropped, unknown-words, tokens-used, tokens, passes
 */
GstStructure *gst_gdino_prompt_describe (GdinoPrompt * prompt);

/**
 * gst_gdino_prompt_complaints:
 *
 * Returns: (transfer full) (nullable): a sentence that names the phrases that
 *   did not fit and the words that the vocabulary cannot spell, or %NULL when
 *   all is well
 */
gchar *gst_gdino_prompt_complaints (GdinoPrompt * prompt);

G_END_DECLS
