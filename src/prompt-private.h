/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* A prompt from inside. It does not change once gdino_prompt_new() has returned. */
#pragma once

#include <gdino/prompt.h>

G_BEGIN_DECLS

struct _GdinoPrompt
{
  gint ref_count;
  GPtrArray *passes;            /* (nullable) of GdinoPrompt, at least 2 */
  guint pass_offset;            /* phrases in the passes before this one */
  guint64 revision;
  char *text;
  GArray *phrases;              /* GdinoPhrase */
  GPtrArray *dropped;           /* NULL-terminated, as the next two */
  GPtrArray *duplicates;
  GPtrArray *unknown_words;
  guint n_tokens;
  guint n_used;
  gint64 *ids;
  gint64 *positions;
  guint8 *block_mask;
  guint8 *text_mask;
};

/* One without phrases and arrays.
 * Returns: (transfer full) */
GdinoPrompt *gdino_prompt_alloc (const char *text, guint n_tokens,
    guint64 revision);

G_END_DECLS
