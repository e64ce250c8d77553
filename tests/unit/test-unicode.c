/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The clean-up of text into words. That every code point is treated as Hugging
 * Face does is checked in tests/python/test_tokenizer_diff.py. */

#include <glib.h>
#include <string.h>

#include "unicode.h"

/* The words of a text, joined by '|'. */
static char *
words_of (const char *text, gsize length)
{
  GString *out = g_string_new (NULL);
  GdinoWordReader reader;
  GdinoWord word;

  gdino_word_reader_init (&reader, text, length);
  while (gdino_word_reader_next (&reader, &word)) {
    if (out->len > 0)
      g_string_append_c (out, '|');
    g_assert_cmpuint (word.n_chars, >, 0);
    for (guint i = 0; i < MIN (word.n_chars, GDINO_WORD_MAX_CHARS); i++)
      g_string_append_unichar (out, word.chars[i].c);
  }
  return g_string_free (out, FALSE);
}

static void
check_words (const char *text, const char *wanted)
{
  g_autofree char *got = words_of (text, strlen (text));

  g_assert_cmpstr (got, ==, wanted);
}

static void
test_words (void)
{
  check_words ("", "");
  check_words (" \t\r\n ", "");
  check_words ("Red  CAR", "red|car");
  check_words ("cat.dog?", "cat|.|dog|?");
  check_words ("a$b+c<d=e>f^g`h|i~j", "a|$|b|+|c|<|d|=|e|>|f|^|g|`|h|||i|~|j");
  check_words ("don't", "don|'|t");
}

static void
test_blanks (void)
{
  check_words ("a\xc2\xa0" "b\xe2\x80\x83" "c\xe3\x80\x80" "d", "a|b|c|d");
  check_words ("a\xe2\x80\xa8" "b", "a|b");     /* line separator */
  check_words ("a\x0b" "b", "ab");      /* vertical tab: a control */
}

static void
test_controls (void)
{
  g_autofree char *with_nul = words_of ("a\0b", 3);

  g_assert_cmpstr (with_nul, ==, "ab");
  check_words ("a\x01\x1f\x7f" "b", "ab");
  check_words ("so\xc2\xad" "ft", "soft");      /* soft hyphen */
  check_words ("a\xe2\x80\x8b" "b", "ab");      /* zero-width space */
  check_words ("\xef\xbb\xbf" "cat", "cat");    /* byte-order mark */
  check_words ("a\xef\xbf\xbd" "b", "ab");      /* replacement character */
  check_words ("a\xee\x80\x80" "b", "ab");      /* private use */
}

static void
test_accents (void)
{
  check_words ("caf\xc3\xa8", "cafe");
  check_words ("cafe\xcc\x80", "cafe");
  check_words ("\xc3\x85ngstr\xc3\xb6m", "angstrom");
  check_words ("\xcc\x81", "");
  check_words ("\xe2\x89\xa0", "=");    /* not equal: '=' and a mark */
}

static void
test_case (void)
{
  check_words ("\xc4\xb0stanbul", "istanbul");  /* I with a dot */
  check_words ("\xce\x9f\xce\xa3", "\xce\xbf\xcf\x83"); /* final sigma too */
  check_words ("\xc3\x9f", "\xc3\x9f"); /* sharp s */
  check_words ("\xe1\xba\x9e", "\xc3\x9f");     /* capital sharp s */
  check_words ("\xe2\x85\xa7", "\xe2\x85\xb7"); /* Roman eight */
  check_words ("\xf0\x90\x90\x80", "\xf0\x90\x90\xa8"); /* Deseret */
  check_words ("\xf0\x90\xb5\x90", "\xf0\x90\xb5\xb0"); /* Garay, Unicode 16 */
}

static void
test_cjk (void)
{
  check_words ("\xe5\x85\xac\xe6\x96\x87" "ab", "\xe5\x85\xac|\xe6\x96\x87|ab");
  /* A compatibility ideograph becomes the plain one. */
  check_words ("\xef\xa4\x80", "\xe8\xb1\x88");
  /* Hangul is no ideograph: letters of one word. */
  check_words ("\xea\xb0\x80\xea\xb0\x81",
      "\xe1\x84\x80\xe1\x85\xa1\xe1\x84\x80\xe1\x85\xa1\xe1\x86\xa8");
  /* Kana: the voicing mark is an accent. */
  check_words ("\xe3\x81\x8c", "\xe3\x81\x8b");
}

static void
test_punctuation (void)
{
  check_words ("a\xe2\x80\x93" "b", "a|\xe2\x80\x93|b");        /* en dash */
  check_words ("\xc2\xbfqu\xc3\xa9?", "\xc2\xbf|que|?");
  check_words ("cat\xe3\x80\x82", "cat|\xe3\x80\x82");
  check_words ("5\xe2\x82\xac", "5\xe2\x82\xac");       /* a symbol is none */
}

/* Characters newer than the reference's tables are letters to it. */
static void
test_new_characters (void)
{
  /* U+2E52 (Unicode 14) is punctuation now. */
  check_words ("a\xe2\xb9\x92" "b", "a\xe2\xb9\x92" "b");
  /* U+11938 (Unicode 13) decomposes now. */
  check_words ("\xf0\x91\xa4\xb8", "\xf0\x91\xa4\xb8");
  /* U+105C9 (Unicode 16) decomposes now. */
  check_words ("\xf0\x90\x97\x89", "\xf0\x90\x97\x89");
}

/* Marks that stay are put into canonical order: U+302E (224) after U+1B44 (9),
 * unless something of class 0 stands between them, even if that goes. */
static void
test_canonical_order (void)
{
  check_words ("a\xe3\x80\xae\xe1\xad\x84", "a\xe1\xad\x84\xe3\x80\xae");
  check_words ("a\xe3\x80\xae" "b\xe1\xad\x84",
      "a\xe3\x80\xae" "b\xe1\xad\x84");
  check_words ("a\xe3\x80\xae\xcd\x8f\xe1\xad\x84",
      "a\xe3\x80\xae\xe1\xad\x84");
  check_words ("a\xe3\x80\xae\xcc\x81\xe1\xad\x84",
      "a\xe1\xad\x84\xe3\x80\xae");
}

static void
test_offsets (void)
{
  /* " Ca", e with grave accent in two characters, "!" */
  const char *text = " Cafe\xcc\x80!";
  GdinoWordReader reader;
  GdinoWord word;

  gdino_word_reader_init (&reader, text, strlen (text));
  g_assert_true (gdino_word_reader_next (&reader, &word));
  g_assert_cmpuint (word.start, ==, 1);
  g_assert_cmpuint (word.end, ==, 5);
  g_assert_cmpuint (word.n_chars, ==, 4);
  for (guint i = 0; i < 4; i++) {
    g_assert_cmpuint (word.chars[i].start, ==, 1 + i);
    g_assert_cmpuint (word.chars[i].end, ==, 2 + i);
  }
  g_assert_true (gdino_word_reader_next (&reader, &word));
  g_assert_cmpuint (word.start, ==, 7);
  g_assert_cmpuint (word.end, ==, 8);
  g_assert_false (gdino_word_reader_next (&reader, &word));
  g_assert_false (gdino_word_reader_next (&reader, &word));
}

static void
test_decomposed_offsets (void)
{
  /* One syllable is three letters, all of its three bytes. */
  const char *text = "\xed\x95\x9c";
  GdinoWordReader reader;
  GdinoWord word;

  gdino_word_reader_init (&reader, text, 3);
  g_assert_true (gdino_word_reader_next (&reader, &word));
  g_assert_cmpuint (word.n_chars, ==, 3);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpuint (word.chars[i].start, ==, 0);
    g_assert_cmpuint (word.chars[i].end, ==, 3);
  }
}

static void
test_long_word (void)
{
  g_autofree char *text = g_strnfill (100000, 'x');
  GdinoWordReader reader;
  GdinoWord word;

  gdino_word_reader_init (&reader, text, 100000);
  g_assert_true (gdino_word_reader_next (&reader, &word));
  g_assert_cmpuint (word.n_chars, ==, 100000);
  g_assert_cmpuint (word.start, ==, 0);
  g_assert_cmpuint (word.end, ==, 100000);
  g_assert_false (gdino_word_reader_next (&reader, &word));
}

static void
test_strippable (void)
{
  static const gunichar yes[] = { '\t', '\n', 0x0b, 0x0c, '\r', 0x1c, 0x1f, ' ',
    0x85, 0xa0, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000
  };
  static const gunichar no[] = { 0, 1, 0x1b, '!', 'a', 0x84, 0xad, 0x180e,
    0x200b, 0x2060, 0xfeff, 0x10ffff
  };

  for (gsize i = 0; i < G_N_ELEMENTS (yes); i++)
    g_assert_true (gdino_unicode_is_strippable (yes[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (no); i++)
    g_assert_false (gdino_unicode_is_strippable (no[i]));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/unicode/words", test_words);
  g_test_add_func ("/unicode/blanks", test_blanks);
  g_test_add_func ("/unicode/controls", test_controls);
  g_test_add_func ("/unicode/accents", test_accents);
  g_test_add_func ("/unicode/case", test_case);
  g_test_add_func ("/unicode/cjk", test_cjk);
  g_test_add_func ("/unicode/punctuation", test_punctuation);
  g_test_add_func ("/unicode/new-characters", test_new_characters);
  g_test_add_func ("/unicode/canonical-order", test_canonical_order);
  g_test_add_func ("/unicode/offsets", test_offsets);
  g_test_add_func ("/unicode/decomposed-offsets", test_decomposed_offsets);
  g_test_add_func ("/unicode/long-word", test_long_word);
  g_test_add_func ("/unicode/strippable", test_strippable);
  return g_test_run ();
}
