/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* WordPiece over a small vocabulary, and files that are none. */

#include <gdino/error.h>
#include <gdino/tokenizer.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SPECIALS "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"
#define UNK 1

/* Ids from 5 on. */
static const char words[] = SPECIALS
    ".\n[\n]\nun\n##aff\n##able\nunaff\nsep\na\n##a\n\xe5\x85\xac\ncls\n";

static GdinoTokenizer *
make (void)
{
  g_autoptr (GError) error = NULL;
  GdinoTokenizer *tokenizer =
      gdino_tokenizer_new_from_data (words, strlen (words), &error);

  g_assert_no_error (error);
  return tokenizer;
}

/* @wanted: pieces with their offsets, such as "un 0-2, ##able 2-6". */
static void
check (const char *text, const char *wanted)
{
  g_autoptr (GdinoTokenizer) tokenizer = make ();
  g_autoptr (GArray) tokens =
      gdino_tokenizer_encode (tokenizer, text, strlen (text));
  g_autoptr (GString) got = g_string_new (NULL);

  for (guint i = 0; i < tokens->len; i++) {
    const GdinoToken *token = &g_array_index (tokens, GdinoToken, i);

    g_string_append_printf (got, "%s%s %u-%u", i ? ", " : "",
        gdino_tokenizer_get_token (tokenizer, token->id),
        (guint) token->start, (guint) token->end);
  }
  g_assert_cmpstr (got->str, ==, wanted);
}

static void
test_pieces (void)
{
  check ("", "");
  check ("unable", "un 0-2, ##able 2-6");
  check ("unaffable", "unaff 0-5, ##able 5-9");
  check ("Unable UNAFF.", "un 0-2, ##able 2-6, unaff 7-12, . 12-13");
  check ("\xc3\x9anable", "un 0-3, ##able 3-7");
  check ("\xe5\x85\xac" "a", "\xe5\x85\xac 0-3, a 3-4");
}

static void
test_unknown (void)
{
  check ("zebra a", "[UNK] 0-5, a 6-7");
  /* No pieces of a word that ends in something unknown. */
  check ("unablez", "[UNK] 0-7");
  check ("\xf0\x9f\x98\x83", "[UNK] 0-4");
}

static void
test_special_tokens_of_users (void)
{
  check ("[SEP]", "[ 0-1, sep 1-4, ] 4-5");
  check ("a[CLS]a", "a 0-1, [ 1-2, cls 2-5, ] 5-6, a 6-7");
  check ("[UNK]", "[ 0-1, [UNK] 1-4, ] 4-5");
  check ("[PAD][MASK]", "[ 0-1, [UNK] 1-4, ] 4-5, [ 5-6, [UNK] 6-10, ] 10-11");
}

static void
test_word_length (void)
{
  g_autoptr (GdinoTokenizer) tokenizer = make ();
  g_autofree char *text = g_strnfill (101, 'a');
  g_autoptr (GArray) fits = gdino_tokenizer_encode (tokenizer, text, 100);
  g_autoptr (GArray) over = gdino_tokenizer_encode (tokenizer, text, 101);

  g_assert_cmpuint (fits->len, ==, 100);
  g_assert_cmpuint (over->len, ==, 1);
  g_assert_cmpint (g_array_index (over, GdinoToken, 0).id, ==, UNK);
  g_assert_cmpuint (g_array_index (over, GdinoToken, 0).end, ==, 101);
}

static void
test_length_and_nul (void)
{
  g_autoptr (GdinoTokenizer) tokenizer = make ();
  g_autoptr (GArray) cut = gdino_tokenizer_encode (tokenizer, "unable", 2);
  g_autoptr (GArray) nul = gdino_tokenizer_encode (tokenizer, "un\0able", 7);
  g_autoptr (GArray) none = gdino_tokenizer_encode (tokenizer, NULL, 0);

  g_assert_cmpuint (cut->len, ==, 1);
  g_assert_cmpuint (nul->len, ==, 2);
  g_assert_cmpuint (g_array_index (nul, GdinoToken, 1).start, ==, 3);
  g_assert_cmpuint (none->len, ==, 0);
}

static void
test_lookup (void)
{
  g_autoptr (GdinoTokenizer) tokenizer = make ();
  g_autoptr (GdinoTokenizer) other = gdino_tokenizer_ref (tokenizer);

  g_assert_cmpint (gdino_tokenizer_lookup (other, "[PAD]"), ==, 0);
  g_assert_cmpint (gdino_tokenizer_lookup (other, "##aff"), ==, 9);
  g_assert_cmpint (gdino_tokenizer_lookup (other, "##"), ==, -1);
  g_assert_cmpint (gdino_tokenizer_lookup (other, ""), ==, -1);
  g_assert_cmpstr (gdino_tokenizer_get_token (other, 9), ==, "##aff");
  g_assert_null (gdino_tokenizer_get_token (other, -1));
  g_assert_null (gdino_tokenizer_get_token (other, 17));
  g_assert_cmpuint (gdino_tokenizer_get_size (other), ==, 17);
}

static void
test_lacks_special (void)
{
  static const char *const specials[] = { "[PAD]", "[UNK]", "[CLS]", "[SEP]" };

  for (gsize i = 0; i < G_N_ELEMENTS (specials); i++) {
    g_autoptr (GString) text = g_string_new (words);
    g_autoptr (GError) error = NULL;
    g_autofree char *wanted = g_strdup_printf ("vocabulary in memory: "
        "vocabulary of 17 tokens lacks %s", specials[i]);

    g_string_replace (text, specials[i], "[other]", 1);
    g_assert_null (gdino_tokenizer_new_from_data (text->str, text->len,
            &error));
    g_assert_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT);
    g_assert_cmpstr (error->message, ==, wanted);
  }
}

static void
refuse_file (const char *path, gint code, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (gdino_tokenizer_new_from_file (path, &error));
  g_assert_error (error, GDINO_ERROR, code);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_nonnull (strstr (error->message, part));
  g_assert_null (gdino_tokenizer_new_from_file (path, NULL));
}

static void
test_files (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("gdino-vocab-XXXXXX", &error);
  g_autofree char *good = g_build_filename (folder, "vocab.txt", NULL);
  g_autofree char *large = g_build_filename (folder, "large", NULL);
  g_autofree char *fifo = g_build_filename (folder, "fifo", NULL);
  g_autoptr (GdinoTokenizer) tokenizer = NULL;

  g_assert_no_error (error);
  g_file_set_contents (good, words, -1, &error);
  g_assert_no_error (error);
  tokenizer = gdino_tokenizer_new_from_file (good, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (gdino_tokenizer_get_size (tokenizer), ==, 17);

  refuse_file ("/nowhere/vocab.txt", GDINO_ERROR_NOT_FOUND, "cannot open");
  refuse_file (folder, GDINO_ERROR_NOT_FOUND, "not a regular file");
  refuse_file ("/dev/zero", GDINO_ERROR_NOT_FOUND, "not a regular file");
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  refuse_file (fifo, GDINO_ERROR_NOT_FOUND, "not a regular file");
  g_file_set_contents (large, "", 0, &error);
  g_assert_no_error (error);
  refuse_file (large, GDINO_ERROR_CORRUPT, "is empty");
  /* Sparse, and longer than is ever read. */
  g_assert_cmpint (truncate (large, (off_t) 1 << 40), ==, 0);
  refuse_file (large, GDINO_ERROR_CORRUPT, "16777217 bytes");

  g_remove (good);
  g_remove (large);
  g_remove (fifo);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tokenizer/pieces", test_pieces);
  g_test_add_func ("/tokenizer/unknown", test_unknown);
  g_test_add_func ("/tokenizer/special-tokens-of-users",
      test_special_tokens_of_users);
  g_test_add_func ("/tokenizer/word-length", test_word_length);
  g_test_add_func ("/tokenizer/length-and-nul", test_length_and_nul);
  g_test_add_func ("/tokenizer/lookup", test_lookup);
  g_test_add_func ("/tokenizer/lacks-special", test_lacks_special);
  g_test_add_func ("/tokenizer/files", test_files);
  return g_test_run ();
}
