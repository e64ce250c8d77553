/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* WordPiece: longest piece first, over cleaned words. Adds no special tokens. */

#include <gdino/tokenizer.h>

#include <errno.h>
#include <fcntl.h>
#include <gdino/error.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unicode.h"
#include "vocab.h"

/* Pieces in UTF-8: no character needs more than 4 bytes. */
#define WORD_MAX_BYTES (4 * GDINO_WORD_MAX_CHARS)

struct _GdinoTokenizer
{
  gint ref_count;
  GdinoVocab *vocab;
  gint32 unknown;
};

static GdinoTokenizer *
tokenizer_new (const char *data, gsize length, const char *name,
    GError ** error)
{
  static const char *const wanted[] = { "[PAD]", "[UNK]", "[CLS]", "[SEP]" };
  g_autoptr (GdinoVocab) vocab = gdino_vocab_new (data, length, name, error);
  GdinoTokenizer *self;

  if (vocab == NULL)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (wanted); i++) {
    if (gdino_vocab_find (vocab, FALSE, wanted[i], strlen (wanted[i])) < 0) {
      g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
          "%s: vocabulary of %u tokens lacks %s", name,
          gdino_vocab_get_size (vocab), wanted[i]);
      return NULL;
    }
  }

  self = g_new0 (GdinoTokenizer, 1);
  self->ref_count = 1;
  self->unknown = gdino_vocab_find (vocab, FALSE, "[UNK]", 5);
  self->vocab = g_steal_pointer (&vocab);
  return self;
}

/* Reads at most GDINO_VOCAB_MAX_BYTES + 1 bytes, so that a file that is too
 * long or grows is noticed. */
static gboolean
read_all (int fd, GByteArray * bytes)
{
  gsize done = 0;

  g_byte_array_set_size (bytes, 256 * 1024);
  for (;;) {
    gssize got;

    if (done == bytes->len)
      g_byte_array_set_size (bytes, MIN (2 * bytes->len,
              GDINO_VOCAB_MAX_BYTES + 1));
    got = read (fd, bytes->data + done, bytes->len - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return FALSE;
    done += (gsize) got;
    if (got == 0 || done > GDINO_VOCAB_MAX_BYTES)
      break;
  }
  g_byte_array_set_size (bytes, (guint) done);
  return TRUE;
}

GdinoTokenizer *
gdino_tokenizer_new_from_file (const char *path, GError ** error)
{
  g_autoptr (GByteArray) bytes = NULL;
  g_autofree char *name = NULL;
  struct stat info;
  gboolean ok;
  int saved_errno;
  int fd;

  g_return_val_if_fail (path != NULL, NULL);

  name = g_filename_display_name (path);
  /* A pipe must not keep us waiting. */
  fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_NOT_FOUND,
        "%s: cannot open the vocabulary: %s", name, g_strerror (errno));
    return NULL;
  }
  if (fstat (fd, &info) < 0 || !S_ISREG (info.st_mode)) {
    close (fd);
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_NOT_FOUND,
        "%s: the vocabulary is not a regular file", name);
    return NULL;
  }

  bytes = g_byte_array_new ();
  ok = read_all (fd, bytes);
  saved_errno = errno;
  close (fd);
  if (!ok) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_NOT_FOUND,
        "%s: cannot read the vocabulary: %s", name, g_strerror (saved_errno));
    return NULL;
  }
  return tokenizer_new ((const char *) bytes->data, bytes->len, name, error);
}

GdinoTokenizer *
gdino_tokenizer_new_from_data (const char *data, gsize length, GError ** error)
{
  g_return_val_if_fail (data != NULL || length == 0, NULL);

  return tokenizer_new (data, length, "vocabulary in memory", error);
}

GdinoTokenizer *
gdino_tokenizer_ref (GdinoTokenizer * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_int_inc (&self->ref_count);
  return self;
}

void
gdino_tokenizer_unref (GdinoTokenizer * self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_int_dec_and_test (&self->ref_count))
    return;
  gdino_vocab_free (self->vocab);
  g_free (self);
}

static void
append_token (GArray * tokens, gint32 id, gsize start, gsize end)
{
  GdinoToken token;

  token.id = id;
  token.start = start;
  token.end = end;
  g_array_append_val (tokens, token);
}

/* Finds the longest piece that starts at character @first of the word.
 * @offsets: of each character in @bytes, and of the end.
 * Returns: the character after the piece, or @first when there is none. */
static guint
find_piece (GdinoTokenizer * self, const char *bytes, const guint * offsets,
    guint first, guint n_chars, gint32 * id)
{
  gsize longest = gdino_vocab_get_longest (self->vocab);
  guint last = n_chars;

  for (; last > first; last--) {
    gsize length = offsets[last] - offsets[first];

    if (length > longest)
      continue;
    *id = gdino_vocab_find (self->vocab, first > 0, bytes + offsets[first],
        length);
    if (*id >= 0)
      break;
  }
  return last;
}

/* Marks may have changed places, so look at every character. */
static void
append_piece (GArray * tokens, gint32 id, const GdinoWordChar * chars,
    guint n_chars)
{
  gsize start = chars[0].start, end = chars[0].end;

  for (guint i = 1; i < n_chars; i++) {
    start = MIN (start, chars[i].start);
    end = MAX (end, chars[i].end);
  }
  append_token (tokens, id, start, end);
}

static void
encode_word (GdinoTokenizer * self, const GdinoWord * word, GArray * tokens)
{
  char bytes[WORD_MAX_BYTES + 2];       /* g_unichar_to_utf8() may write 6 */
  guint offsets[GDINO_WORD_MAX_CHARS + 1];
  guint n_before = tokens->len;
  guint first = 0;

  if (word->n_chars > GDINO_WORD_MAX_CHARS) {
    append_token (tokens, self->unknown, word->start, word->end);
    return;
  }

  offsets[0] = 0;
  for (guint i = 0; i < word->n_chars; i++)
    offsets[i + 1] = offsets[i]
        + (guint) g_unichar_to_utf8 (word->chars[i].c, bytes + offsets[i]);

  while (first < word->n_chars) {
    gint32 id = -1;
    guint last = find_piece (self, bytes, offsets, first, word->n_chars, &id);

    if (last == first) {
      g_array_set_size (tokens, n_before);
      append_token (tokens, self->unknown, word->start, word->end);
      return;
    }
    append_piece (tokens, id, word->chars + first, last - first);
    first = last;
  }
}

GArray *
gdino_tokenizer_encode (GdinoTokenizer * self, const char *text, gsize length)
{
  GArray *tokens;
  GdinoWordReader reader;
  GdinoWord word;

  g_return_val_if_fail (self != NULL, NULL);
  g_return_val_if_fail (text != NULL || length == 0, NULL);

  tokens = g_array_new (FALSE, FALSE, sizeof (GdinoToken));
  gdino_word_reader_init (&reader, text, length);
  while (gdino_word_reader_next (&reader, &word))
    encode_word (self, &word, tokens);
  return tokens;
}

gint32
gdino_tokenizer_lookup (GdinoTokenizer * self, const char *token)
{
  g_return_val_if_fail (self != NULL, -1);
  g_return_val_if_fail (token != NULL, -1);

  return gdino_vocab_find (self->vocab, FALSE, token, strlen (token));
}

const char *
gdino_tokenizer_get_token (GdinoTokenizer * self, gint32 id)
{
  g_return_val_if_fail (self != NULL, NULL);

  return gdino_vocab_get_token (self->vocab, id);
}

guint
gdino_tokenizer_get_size (GdinoTokenizer * self)
{
  g_return_val_if_fail (self != NULL, 0);

  return gdino_vocab_get_size (self->vocab);
}
