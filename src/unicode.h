/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* BERT's clean-up of text: into lower-case words without accents, each
 * character with its place in the text as given. Knows no vocabulary. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Longer words are never in a vocabulary; their characters are not kept. */
#define GDINO_WORD_MAX_CHARS 100

/* One character of a word, and where it came from. */
typedef struct
{
  gunichar c;
  guint8 combining;             /* canonical combining class */
  gsize start;                  /* byte offsets in the text as given */
  gsize end;
} GdinoWordChar;

/* A run between blanks, one punctuation mark, or one CJK ideograph. */
typedef struct
{
  gsize start;                  /* byte offsets in the text as given */
  gsize end;
  guint n_chars;                /* may exceed GDINO_WORD_MAX_CHARS */
  GdinoWordChar chars[GDINO_WORD_MAX_CHARS];
} GdinoWord;

#define GDINO_WORD_QUEUE 24

/* Reads words off a text; plain data, on the stack. */
typedef struct
{
  const char *text;
  gsize length;
  gsize offset;                 /* of the next character */
  guint n_queued;               /* characters of one decomposition */
  guint next_queued;
  gunichar queue[GDINO_WORD_QUEUE];
  gsize queue_start;
  gsize queue_end;
} GdinoWordReader;

/* @text: (array length=length): valid UTF-8, borrowed by the reader; may hold
 * NULs, which are left out as other control characters are. */
void gdino_word_reader_init (GdinoWordReader * self, const char *text,
    gsize length);

/* Returns: FALSE at the end, with @word undefined. */
gboolean gdino_word_reader_next (GdinoWordReader * self, GdinoWord * word);

/* Blank to Python's str.strip(), which the original applies to prompts. */
gboolean gdino_unicode_is_strippable (gunichar c);

G_END_DECLS
