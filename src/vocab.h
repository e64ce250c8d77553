/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The words of a vocab.txt and their ids. Knows no file path. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define GDINO_VOCAB_MAX_BYTES (16 * 1024 * 1024)
#define GDINO_VOCAB_MAX_LINE 512

/* Immutable. Thread-safety: Safe for readers. */
typedef struct _GdinoVocab GdinoVocab;

/* @data: (array length=length): one token a line, LF or CR LF, only read in
 * the call; @name: what to call it in messages.
 * Returns: (transfer full) (nullable): or NULL with GDINO_ERROR_CORRUPT. */
GdinoVocab *gdino_vocab_new (const char *data, gsize length, const char *name,
    GError ** error);

void gdino_vocab_free (GdinoVocab * self);

guint gdino_vocab_get_size (const GdinoVocab * self);

/* Bytes of the longest token, "##" included. */
gsize gdino_vocab_get_longest (const GdinoVocab * self);

/* Returns: (nullable): NUL-terminated token of @id, owned by @self. */
const char *gdino_vocab_get_token (const GdinoVocab * self, gint32 id);

/* @continued: look for "##" and the piece. Returns: its id, or -1. */
gint32 gdino_vocab_find (const GdinoVocab * self, gboolean continued,
    const char *piece, gsize length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GdinoVocab, gdino_vocab_free)

G_END_DECLS
