/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Reading and searching a vocab.txt. */

#include <gdino/error.h>
#include <glib.h>
#include <string.h>

#include "vocab.h"

static GdinoVocab *
make (const char *text)
{
  g_autoptr (GError) error = NULL;
  GdinoVocab *vocab = gdino_vocab_new (text, strlen (text), "v", &error);

  g_assert_no_error (error);
  g_assert_nonnull (vocab);
  return vocab;
}

static void
refuse (const char *data, gsize length, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (gdino_vocab_new (data, length, "v.txt", &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_find (void)
{
  g_autoptr (GdinoVocab) vocab = make ("[PAD]\nplay\n##ing\n##\n#\nplaying\n");

  g_assert_cmpuint (gdino_vocab_get_size (vocab), ==, 6);
  g_assert_cmpuint (gdino_vocab_get_longest (vocab), ==, 7);
  g_assert_cmpint (gdino_vocab_find (vocab, FALSE, "play", 4), ==, 1);
  g_assert_cmpint (gdino_vocab_find (vocab, FALSE, "playing", 7), ==, 5);
  g_assert_cmpint (gdino_vocab_find (vocab, FALSE, "playi", 5), ==, -1);
  g_assert_cmpint (gdino_vocab_find (vocab, FALSE, "playing", 4), ==, 1);
  g_assert_cmpint (gdino_vocab_find (vocab, TRUE, "ing", 3), ==, 2);
  g_assert_cmpint (gdino_vocab_find (vocab, FALSE, "ing", 3), ==, -1);
  g_assert_cmpint (gdino_vocab_find (vocab, FALSE, "##ing", 5), ==, 2);
  g_assert_cmpint (gdino_vocab_find (vocab, TRUE, "", 0), ==, 3);
  g_assert_cmpint (gdino_vocab_find (vocab, FALSE, "", 0), ==, -1);
  g_assert_cmpint (gdino_vocab_find (vocab, TRUE, "play", 4), ==, -1);
}

static void
test_get_token (void)
{
  g_autoptr (GdinoVocab) vocab = make ("a\nb");

  g_assert_cmpstr (gdino_vocab_get_token (vocab, 0), ==, "a");
  g_assert_cmpstr (gdino_vocab_get_token (vocab, 1), ==, "b");
  g_assert_null (gdino_vocab_get_token (vocab, 2));
  g_assert_null (gdino_vocab_get_token (vocab, -1));
  g_assert_null (gdino_vocab_get_token (vocab, G_MAXINT32));
  g_assert_null (gdino_vocab_get_token (vocab, G_MININT32));
}

static void
test_line_ends (void)
{
  g_autoptr (GdinoVocab) plain = make ("a\nb\nc");
  g_autoptr (GdinoVocab) dos = make ("a\r\nb\r\nc\r\n");

  for (gint32 id = 0; id < 3; id++)
    g_assert_cmpstr (gdino_vocab_get_token (plain, id), ==,
        gdino_vocab_get_token (dos, id));
  g_assert_cmpuint (gdino_vocab_get_size (plain), ==, 3);
  g_assert_cmpuint (gdino_vocab_get_size (dos), ==, 3);
}

static void
test_many (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GdinoVocab) vocab = NULL;

  for (guint i = 0; i < 50000; i++)
    g_string_append_printf (text, "%s%u\n", i % 3 ? "" : "##", i);
  vocab = make (text->str);
  g_assert_cmpuint (gdino_vocab_get_size (vocab), ==, 50000);
  for (gint32 i = 0; i < 50000; i++) {
    g_autofree char *word = g_strdup_printf ("%d", i);
    gsize length = strlen (word);

    g_assert_cmpint (gdino_vocab_find (vocab, i % 3 == 0, word, length), ==, i);
    g_assert_cmpint (gdino_vocab_find (vocab, i % 3 != 0, word, length), ==,
        -1);
  }
}

static void
test_refused (void)
{
  g_autofree char *line = g_strnfill (GDINO_VOCAB_MAX_LINE + 1, 'x');
  g_autofree char *large = g_strnfill (GDINO_VOCAB_MAX_BYTES + 1, '\n');
  g_autofree char *message = NULL;

  refuse ("", 0, "v.txt: vocabulary is empty");
  refuse ("a\nb\na\n", 6,
      "v.txt: lines 1 and 3 of the vocabulary are the same: a");
  refuse ("a\n\nb\n", 5,
      "v.txt: line 2 of the vocabulary has 0 bytes, wanted 1 to 512");
  refuse ("a\n\r\nb\n", 6,
      "v.txt: line 2 of the vocabulary has 0 bytes, wanted 1 to 512");
  refuse (line, strlen (line),
      "v.txt: line 1 of the vocabulary has 513 bytes, wanted 1 to 512");
  refuse ("a\n\xff\n", 4,
      "v.txt: vocabulary is not text in UTF-8: byte 0xff at offset 2");
  refuse ("a\0b\n", 4,
      "v.txt: vocabulary is not text in UTF-8: byte 0x00 at offset 1");
  refuse ("a\n\xc3", 3,
      "v.txt: vocabulary is not text in UTF-8: byte 0xc3 at offset 2");
  message = g_strdup_printf ("v.txt: vocabulary has %d bytes, at most %d are "
      "read", GDINO_VOCAB_MAX_BYTES + 1, GDINO_VOCAB_MAX_BYTES);
  refuse (large, GDINO_VOCAB_MAX_BYTES + 1, message);
}

static void
test_limits_are_allowed (void)
{
  g_autofree char *line = g_strnfill (GDINO_VOCAB_MAX_LINE, 'x');
  g_autoptr (GdinoVocab) vocab = make (line);

  g_assert_cmpuint (gdino_vocab_get_longest (vocab), ==, GDINO_VOCAB_MAX_LINE);
  gdino_vocab_free (NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/vocab/find", test_find);
  g_test_add_func ("/vocab/get-token", test_get_token);
  g_test_add_func ("/vocab/line-ends", test_line_ends);
  g_test_add_func ("/vocab/many", test_many);
  g_test_add_func ("/vocab/refused", test_refused);
  g_test_add_func ("/vocab/limits-are-allowed", test_limits_are_allowed);
  return g_test_run ();
}
