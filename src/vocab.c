/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Vocabulary as one block of text, an index of lines and an open hash table,
 * so that pieces of a word are looked up without copying them. */

#include "vocab.h"

#include <gdino/error.h>
#include <string.h>

#define EMPTY G_MAXUINT32

typedef struct
{
  guint32 offset;               /* into the text */
  guint32 length;
} Line;

struct _GdinoVocab
{
  char *text;                   /* lines, each ended by a NUL */
  Line *lines;
  guint n_lines;
  gsize longest;
  guint32 *slots;               /* ids by hash, or EMPTY */
  guint32 slot_mask;
};

/* FNV-1a, which can be continued. */
static guint32
hash_bytes (guint32 hash, const char *bytes, gsize length)
{
  for (gsize i = 0; i < length; i++)
    hash = (hash ^ (guint8) bytes[i]) * 16777619u;
  return hash;
}

static guint32
hash_piece (gboolean continued, const char *piece, gsize length)
{
  guint32 hash = 2166136261u;

  if (continued)
    hash = hash_bytes (hash, "##", 2);
  hash = hash_bytes (hash, piece, length);
  /* The low bits alone pick the slot. */
  return hash ^ (hash >> 15);
}

static gboolean
equals (const GdinoVocab * self, guint32 id, gboolean continued,
    const char *piece, gsize length)
{
  const char *token = self->text + self->lines[id].offset;
  gsize token_length = self->lines[id].length;

  if (continued) {
    if (token_length < 2 || token[0] != '#' || token[1] != '#')
      return FALSE;
    token += 2;
    token_length -= 2;
  }
  return token_length == length && memcmp (token, piece, length) == 0;
}

/* Returns: the slot that holds the piece, or the free one where it belongs. */
static guint32
find_slot (const GdinoVocab * self, gboolean continued, const char *piece,
    gsize length)
{
  guint32 slot = hash_piece (continued, piece, length) & self->slot_mask;

  while (self->slots[slot] != EMPTY
      && !equals (self, self->slots[slot], continued, piece, length))
    slot = (slot + 1) & self->slot_mask;
  return slot;
}

static gboolean
check_data (const char *data, gsize length, const char *name, GError ** error)
{
  const char *bad;

  if (length == 0) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
        "%s: vocabulary is empty", name);
    return FALSE;
  }
  if (length > GDINO_VOCAB_MAX_BYTES) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
        "%s: vocabulary has %" G_GSIZE_FORMAT " bytes, at most %d are read",
        name, length, GDINO_VOCAB_MAX_BYTES);
    return FALSE;
  }
  if (!g_utf8_validate_len (data, length, &bad)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
        "%s: vocabulary is not text in UTF-8: byte 0x%02x at offset %"
        G_GSIZE_FORMAT, name, (guint8) * bad, (gsize) (bad - data));
    return FALSE;
  }
  return TRUE;
}

/* Cuts the text at line ends, in place. */
static gboolean
split_lines (GdinoVocab * self, gsize length, const char *name, GError ** error)
{
  gsize start = 0;

  while (start < length) {
    char *line = self->text + start;
    char *end = memchr (line, '\n', length - start);
    gsize line_length = end ? (gsize) (end - line) : length - start;
    gsize token_length = line_length;

    if (token_length > 0 && line[token_length - 1] == '\r')
      token_length--;
    line[token_length] = '\0';
    if (token_length == 0 || token_length > GDINO_VOCAB_MAX_LINE) {
      g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
          "%s: line %u of the vocabulary has %" G_GSIZE_FORMAT
          " bytes, wanted 1 to %d", name, self->n_lines + 1, token_length,
          GDINO_VOCAB_MAX_LINE);
      return FALSE;
    }
    self->lines[self->n_lines].offset = (guint32) start;
    self->lines[self->n_lines].length = (guint32) token_length;
    self->longest = MAX (self->longest, token_length);
    self->n_lines++;
    start += line_length + 1;
  }
  return TRUE;
}

static gboolean
fill_slots (GdinoVocab * self, const char *name, GError ** error)
{
  guint32 n_slots = 16;

  while (n_slots < 2 * self->n_lines)
    n_slots *= 2;
  self->slot_mask = n_slots - 1;
  self->slots = g_new (guint32, n_slots);
  memset (self->slots, 0xff, n_slots * sizeof (guint32));

  for (guint32 id = 0; id < self->n_lines; id++) {
    const char *token = self->text + self->lines[id].offset;
    guint32 slot = find_slot (self, FALSE, token, self->lines[id].length);

    if (self->slots[slot] != EMPTY) {
      g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
          "%s: lines %u and %u of the vocabulary are the same: %s", name,
          self->slots[slot] + 1, id + 1, token);
      return FALSE;
    }
    self->slots[slot] = id;
  }
  return TRUE;
}

static guint
count_lines (const char *data, gsize length)
{
  guint n = 1;

  for (gsize i = 0; i + 1 < length; i++)
    n += data[i] == '\n';
  return n;
}

GdinoVocab *
gdino_vocab_new (const char *data, gsize length, const char *name,
    GError ** error)
{
  g_autoptr (GdinoVocab) self = NULL;

  if (!check_data (data, length, name, error))
    return NULL;

  self = g_new0 (GdinoVocab, 1);
  self->text = g_malloc (length + 1);
  memcpy (self->text, data, length);
  self->text[length] = '\0';
  self->lines = g_new (Line, count_lines (data, length));

  if (!split_lines (self, length, name, error)
      || !fill_slots (self, name, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
gdino_vocab_free (GdinoVocab * self)
{
  if (self == NULL)
    return;
  g_free (self->text);
  g_free (self->lines);
  g_free (self->slots);
  g_free (self);
}

guint
gdino_vocab_get_size (const GdinoVocab * self)
{
  return self->n_lines;
}

gsize
gdino_vocab_get_longest (const GdinoVocab * self)
{
  return self->longest;
}

const char *
gdino_vocab_get_token (const GdinoVocab * self, gint32 id)
{
  if (id < 0 || (guint32) id >= self->n_lines)
    return NULL;
  return self->text + self->lines[id].offset;
}

gint32
gdino_vocab_find (const GdinoVocab * self, gboolean continued,
    const char *piece, gsize length)
{
  guint32 id = self->slots[find_slot (self, continued, piece, length)];

  return id == EMPTY ? -1 : (gint32) id;
}
