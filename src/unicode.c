/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* BERT's clean-up, equal to BertNormalizer followed by BertPreTokenizer of
 * Hugging Face tokenizers. What a character is comes from our own tables, so
 * that results do not depend on the Unicode version of the installed GLib;
 * GLib gives decompositions and combining classes, which never change. */

#include "unicode.h"

#include "unicode-tables.h"

/* Stands for a word's end in the queue. */
#define BREAK ((gunichar) ' ')

static gboolean
in_ranges (const UnicodeRange * ranges, gsize n_ranges, gunichar c)
{
  gsize low = 0, high = n_ranges;

  while (low < high) {
    gsize middle = (low + high) / 2;

    if (c > ranges[middle].last)
      low = middle + 1;
    else if (c < ranges[middle].first)
      high = middle;
    else
      return TRUE;
  }
  return FALSE;
}

#define IN(table, c) in_ranges (table, G_N_ELEMENTS (table), c)

static gunichar
to_lower (gunichar c)
{
  gsize low = 0, high = G_N_ELEMENTS (unicode_lower);

  if (c < 0x80)
    return (gunichar) g_ascii_tolower ((char) c);

  while (low < high) {
    gsize middle = (low + high) / 2;
    const UnicodeLower *row = &unicode_lower[middle];

    if (c > row->last)
      low = middle + 1;
    else if (c < row->first)
      high = middle;
    else if ((c - row->first) % row->step != 0)
      return c;
    else
      return (gunichar) ((gint32) c + row->delta);
  }
  return c;
}

static guint8
combining_class (gunichar c)
{
  for (gsize i = 0; i < G_N_ELEMENTS (unicode_combining); i++) {
    if (c < unicode_combining[i].first)
      break;
    if (c <= unicode_combining[i].last)
      return unicode_combining[i].combining;
  }
  return 0;
}

/* Blanks after clean-up, which turns them all into ' ' or leaves them out. */
static gboolean
is_blank (gunichar c)
{
  return c == BREAK || (c >= 0x80 && IN (unicode_blank, c));
}

static gboolean
is_punctuation (gunichar c)
{
  if (c < 0x80)
    return g_ascii_ispunct ((char) c);
  return IN (unicode_punctuation, c);
}

static guint
decompose (gunichar c, gunichar * out, guint n_out)
{
  if (c < 0x80 || (c > 0xffff && !IN (unicode_decomposed, c))) {
    out[0] = c;
    return 1;
  }
  return (guint) g_unichar_fully_decompose (c, FALSE, out, n_out);
}

/* Puts what becomes of the next character of the text into the queue. */
static void
fill_queue (GdinoWordReader * self)
{
  const char *at = self->text + self->offset;
  gunichar c = g_utf8_get_char (at);
  gboolean alone;

  self->queue_start = self->offset;
  self->offset += (gsize) (g_utf8_next_char (at) - at);
  self->queue_end = self->offset;
  self->n_queued = self->next_queued = 0;

  if (IN (unicode_blank, c)) {
    self->queue[self->n_queued++] = BREAK;
    return;
  }
  if (IN (unicode_dropped, c))
    return;

  alone = IN (unicode_cjk, c);
  if (alone)
    self->queue[self->n_queued++] = BREAK;
  self->n_queued += decompose (c, self->queue + self->n_queued,
      GDINO_WORD_QUEUE - 2);
  if (alone)
    self->queue[self->n_queued++] = BREAK;
}

/* Appends to the word, in canonical order: a mark goes before earlier marks of
 * a higher class, but never before character number @fixed. */
static void
append_char (GdinoWord * word, guint fixed, GdinoWordChar added)
{
  if (word->n_chars == 0) {
    word->start = added.start;
    word->end = added.end;
  }
  word->start = MIN (word->start, added.start);
  word->end = MAX (word->end, added.end);

  if (word->n_chars < GDINO_WORD_MAX_CHARS) {
    guint at = word->n_chars;

    while (added.combining != 0 && at > fixed
        && word->chars[at - 1].combining > added.combining) {
      word->chars[at] = word->chars[at - 1];
      at--;
    }
    word->chars[at] = added;
  }
  word->n_chars++;
}

void
gdino_word_reader_init (GdinoWordReader * self, const char *text, gsize length)
{
  self->text = text;
  self->length = length;
  self->offset = 0;
  self->n_queued = self->next_queued = 0;
  self->queue_start = self->queue_end = 0;
}

gboolean
gdino_word_reader_next (GdinoWordReader * self, GdinoWord * word)
{
  guint fixed = 0;

  word->n_chars = 0;
  for (;;) {
    GdinoWordChar next;

    while (self->next_queued == self->n_queued && self->offset < self->length)
      fill_queue (self);
    if (self->next_queued == self->n_queued)
      return word->n_chars > 0;

    next.c = self->queue[self->next_queued];
    next.combining = 0;
    next.start = self->queue_start;
    next.end = self->queue_end;

    if (IN (unicode_mark, next.c)) {
      /* It goes, but one of class 0 still keeps other marks apart. */
      if (g_unichar_combining_class (next.c) == 0)
        fixed = word->n_chars;
    } else if (is_blank (next.c)) {
      if (word->n_chars > 0)
        return TRUE;
      fixed = 0;
    } else if (is_punctuation (next.c)) {
      if (word->n_chars > 0)
        return TRUE;            /* and it starts the next word */
      self->next_queued++;
      append_char (word, 0, next);
      return TRUE;
    } else {
      next.combining = combining_class (next.c);
      if (next.combining == 0)
        fixed = word->n_chars;
      next.c = to_lower (next.c);
      append_char (word, fixed, next);
    }
    self->next_queued++;
  }
}

gboolean
gdino_unicode_is_strippable (gunichar c)
{
  return IN (unicode_blank, c) || (c >= 0x0b && c <= 0x0c)
      || (c >= 0x1c && c <= 0x1f) || c == 0x85;
}
