/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Rules of a prompt: phrases and labels, what does not fit, what is refused.
 * Ids and masks of known prompts are in test-prompt-cases.c. */

#include <gdino/error.h>
#include <gdino/prompt.h>
#include <glib.h>
#include <string.h>
#include <time.h>

/* Ids:                     0      1      2      3   4  5   6    7    8   9 */
static const char words[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n.\n?\na\ncat\ndog\nred"
    "\n##s\n,\n;\ncafe\n";

static GdinoTokenizer *tokenizer;

static GdinoPrompt *
make (const char *text, guint n_tokens)
{
  g_autoptr (GError) error = NULL;
  GdinoPrompt *prompt = gdino_prompt_new (tokenizer, text, n_tokens, &error);

  g_assert_no_error (error);
  g_assert_nonnull (prompt);
  g_assert_cmpuint (gdino_prompt_get_n_tokens (prompt), ==, n_tokens);
  return prompt;
}

static void
refuse (const char *text, guint n_tokens, gint code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (gdino_prompt_new (tokenizer, text, n_tokens, &error));
  g_assert_error (error, GDINO_ERROR, code);
  g_assert_cmpstr (error->message, ==, message);
}

/* The phrases' texts, joined by '|'. */
static void
check_labels (GdinoPrompt * prompt, const char *wanted)
{
  g_autoptr (GString) got = g_string_new (NULL);

  for (guint i = 0; i < gdino_prompt_get_n_phrases (prompt); i++)
    g_string_append_printf (got, "%s%s", i ? "|" : "",
        gdino_prompt_get_phrase (prompt, i)->text);
  g_assert_cmpstr (got->str, ==, wanted);
}

static void
check_list (const char *const *list, const char *wanted)
{
  g_autofree char *got = g_strjoinv ("|", (GStrv) list);

  g_assert_cmpstr (got, ==, wanted);
}

/* The ids that are not padding, joined by blanks. */
static void
check_ids (GdinoPrompt * prompt, const char *wanted)
{
  g_autoptr (GString) got = g_string_new (NULL);

  for (guint i = 0; i < gdino_prompt_get_n_used (prompt); i++)
    g_string_append_printf (got, "%s%d", i ? " " : "",
        (int) gdino_prompt_get_ids (prompt)[i]);
  g_assert_cmpstr (got->str, ==, wanted);
}

static void
test_labels (void)
{
  static const struct
  {
    const char *text;
    const char *labels;
  } rows[] = {
    {"a Cat. DOG", "a Cat|DOG"},
    {"  a   cat  .\n\tdog? red", "a   cat|dog|red"},
    {"Caf\xc3\xa9. cat", "Caf\xc3\xa9|cat"},
    {"cafe\xcc\x81 .cat", "cafe\xcc\x81|cat"},
    {"\xe3\x80\x80" "cat\xc2\xa0.", "cat"},
    {"cat, dog; red", "cat, dog; red"},
    {"cats.cat", "cats|cat"},
    {"\xf0\x9f\x90\x88", "\xf0\x9f\x90\x88"},
    {"..cat...dog..", "cat|dog"},
    {"cat.\xe2\x80\x8b.dog", "cat|dog"},        /* nothing but a zero-width space */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++) {
    g_autoptr (GdinoPrompt) prompt = make (rows[i].text, 32);

    check_labels (prompt, rows[i].labels);
    g_assert_cmpstr (gdino_prompt_get_text (prompt), ==, rows[i].text);
    g_assert_false (gdino_prompt_is_empty (prompt));
  }
}

static void
test_spans (void)
{
  g_autoptr (GdinoPrompt) prompt = make (" Red cats. ?dog", 16);
  const GdinoPhrase *cats = gdino_prompt_get_phrase (prompt, 0);
  const GdinoPhrase *dog = gdino_prompt_get_phrase (prompt, 1);

  check_ids (prompt, "2 9 7 10 4 5 8 4 3");
  g_assert_cmpuint (cats->token_start, ==, 1);
  g_assert_cmpuint (cats->token_end, ==, 4);
  g_assert_cmpuint (cats->byte_start, ==, 1);
  g_assert_cmpuint (cats->byte_length, ==, 8);
  g_assert_cmpuint (cats->n_unknown, ==, 0);
  g_assert_cmpuint (dog->token_start, ==, 6);
  g_assert_cmpuint (dog->token_end, ==, 7);
  g_assert_cmpuint (dog->byte_start, ==, 12);
  g_assert_cmpuint (dog->byte_length, ==, 3);
}

static void
test_empty (void)
{
  static const char *const texts[] = { NULL, "", "   ", ".", "...", " . ? .",
    "\n\t", "\xc2\xa0", "\xe2\x80\x8b", "\xcc\x81", "\x01", "?"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GdinoPrompt) prompt = make (texts[i], 16);

    g_assert_true (gdino_prompt_is_empty (prompt));
    g_assert_cmpuint (gdino_prompt_get_n_phrases (prompt), ==, 0);
    g_assert_cmpstr (gdino_prompt_get_text (prompt), ==,
        texts[i] ? texts[i] : "");
    g_assert_null (gdino_prompt_get_dropped (prompt)[0]);
  }
}

static void
test_final_period (void)
{
  g_autoptr (GdinoPrompt) plain = make ("cat", 16);
  g_autoptr (GdinoPrompt) period = make ("cat. \n", 16);
  g_autoptr (GdinoPrompt) question = make ("cat?", 16);

  check_ids (plain, "2 7 4 3");
  check_ids (period, "2 7 4 3");
  check_ids (question, "2 7 5 4 3");    /* as the original does */
}

static void
test_duplicates (void)
{
  g_autoptr (GdinoPrompt) prompt =
      make ("Caf\xc3\xa9. dog. CAFE?  cafe . a dog", 32);

  check_labels (prompt, "Caf\xc3\xa9|dog|a dog");
  check_list (gdino_prompt_get_duplicates (prompt), "CAFE|cafe");
  check_ids (prompt, "2 13 4 8 4 13 5 13 4 6 8 4 3");
  g_assert_cmpuint (gdino_prompt_get_phrase (prompt, 2)->token_start, ==, 9);
}

static void
test_unknown (void)
{
  g_autoptr (GdinoPrompt) prompt =
      make ("a Zebra zebra. cat. Zebra x. \xf0\x9f\x90\x88 cat", 32);

  check_list (gdino_prompt_get_unknown_words (prompt),
      "Zebra|zebra|x|\xf0\x9f\x90\x88");
  g_assert_cmpuint (gdino_prompt_get_phrase (prompt, 0)->n_unknown, ==, 2);
  g_assert_cmpuint (gdino_prompt_get_phrase (prompt, 1)->n_unknown, ==, 0);
  g_assert_cmpuint (gdino_prompt_get_phrase (prompt, 2)->n_unknown, ==, 2);
  g_assert_cmpuint (gdino_prompt_get_phrase (prompt, 3)->n_unknown, ==, 1);
}

static void
test_dropped (void)
{
  const char *text = "a Cat. dog. a red cat. Dog, dog.";
  g_autoptr (GdinoPrompt) all = make (text, 15);
  g_autoptr (GdinoPrompt) three = make (text, 14);
  g_autoptr (GdinoPrompt) two = make (text, 10);
  g_autoptr (GdinoPrompt) one = make (text, 5);

  check_labels (all, "a Cat|dog|a red cat|Dog, dog");
  check_list (gdino_prompt_get_dropped (all), "");
  g_assert_cmpuint (gdino_prompt_get_n_used (all), ==, 15);
  check_labels (three, "a Cat|dog|a red cat");
  check_list (gdino_prompt_get_dropped (three), "Dog, dog");
  g_assert_cmpuint (gdino_prompt_get_n_used (three), ==, 11);
  check_labels (two, "a Cat|dog");
  check_list (gdino_prompt_get_dropped (two), "a red cat|Dog, dog");
  check_labels (one, "a Cat");
  check_ids (one, "2 6 7 4 3");
  g_assert_cmpstr (gdino_prompt_get_text (one), ==, text);
}

/* A long phrase in the middle takes those after it along. */
static void
test_dropped_middle (void)
{
  g_autoptr (GdinoPrompt) prompt = make ("cat. a a a a a a. Dog.", 6);

  check_labels (prompt, "cat");
  check_list (gdino_prompt_get_dropped (prompt), "a a a a a a|Dog");
}

/* Delimiters that end nothing go before any phrase does. */
static void
test_bare_delimiters_go_first (void)
{
  g_autoptr (GdinoPrompt) fits = make ("cat...dog", 8);
  g_autoptr (GdinoPrompt) tight = make ("cat...dog", 7);
  g_autoptr (GdinoPrompt) none = make ("..............", 8);

  check_ids (fits, "2 7 4 4 4 8 4 3");
  check_ids (tight, "2 7 4 8 4 3");
  check_labels (tight, "cat|dog");
  check_list (gdino_prompt_get_dropped (tight), "");
  check_ids (none, "2 3");
  g_assert_true (gdino_prompt_is_empty (none));
}

static void
test_phrase_too_long (void)
{
  g_autoptr (GString) text = g_string_new (NULL);

  refuse ("a red cat. dog.", 5, GDINO_ERROR_PROMPT, "phrase \"a red cat\" "
      "needs 6 text tokens with its delimiter, [CLS] and [SEP], the model "
      "has 5");
  for (guint i = 0; i < 300; i++)
    g_string_append (text, "a ");
  refuse (text->str, 256, GDINO_ERROR_PROMPT, "phrase \"a a a a a a a a a a a "
      "a a a a a a a a a a a a a a a a a a a ...\" (599 characters) needs 303 "
      "text tokens with its delimiter, [CLS] and [SEP], the model has 256");
  g_assert_null (gdino_prompt_new (tokenizer, text->str, 256, NULL));
}

static void
test_not_utf8 (void)
{
  refuse ("\xff", 16, GDINO_ERROR_PROMPT,
      "prompt is not valid UTF-8: byte 0xff at offset 0");
  refuse ("caf\xe9. dog", 16, GDINO_ERROR_PROMPT,
      "prompt is not valid UTF-8: byte 0xe9 at offset 3");
  refuse ("cat\xed\xa0\x80", 16, GDINO_ERROR_PROMPT,
      "prompt is not valid UTF-8: byte 0xed at offset 3");
  refuse ("cat\xc0\x80", 16, GDINO_ERROR_PROMPT,
      "prompt is not valid UTF-8: byte 0xc0 at offset 3");
  refuse ("cat\xe2\x82", 16, GDINO_ERROR_PROMPT,
      "prompt is not valid UTF-8: byte 0xe2 at offset 3");
}

static void
test_text_size (void)
{
  const gsize limit = 1024 * 1024;
  g_autofree char *text = g_strnfill (limit + 1, ' ');
  g_autoptr (GdinoPrompt) prompt = NULL;

  refuse (text, 16, GDINO_ERROR_PROMPT,
      "prompt has 1048577 bytes, at most 1048576 are allowed");
  text[limit] = '\0';
  prompt = make (text, 16);
  g_assert_true (gdino_prompt_is_empty (prompt));
}

static void
test_token_counts (void)
{
  g_autoptr (GdinoPrompt) least = make ("cat", 4);
  g_autoptr (GdinoPrompt) large = make ("cat", 4096);

  check_ids (least, "2 7 4 3");
  check_ids (large, "2 7 4 3");
  refuse ("cat", 3, GDINO_ERROR_INVALID_ARGUMENT,
      "3 text tokens asked for, wanted 4 to 65536");
  refuse ("cat", 65537, GDINO_ERROR_INVALID_ARGUMENT,
      "65537 text tokens asked for, wanted 4 to 65536");
  refuse ("cat", 0, GDINO_ERROR_INVALID_ARGUMENT,
      "0 text tokens asked for, wanted 4 to 65536");
}

/* Repeats @unit up to about @size bytes. */
static char *
repeat (const char *unit, gsize size)
{
  g_autoptr (GString) text = g_string_new (NULL);

  while (text->len + strlen (unit) <= size)
    g_string_append (text, unit);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
test_huge_texts (void)
{
  static const char *const units[] = { "cat. ", ".", "x", "cat ", "zzzz yyyy. ",
    "\xf0\x9f\x90\x88", "a.", "\xcc\x81", "\xe5\x85\xac",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa "
  };

  for (gsize i = 0; i < G_N_ELEMENTS (units); i++) {
    g_autofree char *text = repeat (units[i], 200000);
    g_autoptr (GError) error = NULL;
    clock_t start = clock ();
    g_autoptr (GdinoPrompt) prompt =
        gdino_prompt_new (tokenizer, text, 256, &error);

    /* Generous: valgrind and sanitizers run this too. */
    g_assert_cmpint (clock () - start, <, 20 * CLOCKS_PER_SEC);
    if (prompt)
      g_assert_cmpuint (gdino_prompt_get_n_used (prompt), <=, 256);
    else
      g_assert_error (error, GDINO_ERROR, GDINO_ERROR_PROMPT);
  }
}

static void
test_vocabulary_without_period (void)
{
  const char *text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\ncat\n";
  g_autoptr (GdinoTokenizer) other =
      gdino_tokenizer_new_from_data (text, strlen (text), NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (gdino_prompt_new (other, "cat", 16, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_PROMPT);
  g_assert_cmpstr (error->message, ==,
      "vocabulary of 5 tokens has no '.' to end a phrase with");
}

/* Without a '?' of its own, that is an unknown word and ends nothing. */
static void
test_vocabulary_without_question (void)
{
  const char *text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\ncat\n.\n";
  g_autoptr (GdinoTokenizer) other =
      gdino_tokenizer_new_from_data (text, strlen (text), NULL);
  g_autoptr (GdinoPrompt) prompt =
      gdino_prompt_new (other, "cat? cat.", 16, NULL);

  check_labels (prompt, "cat? cat");
  check_list (gdino_prompt_get_unknown_words (prompt), "?");
}

static gpointer
make_many (gpointer data)
{
  guint64 last = 0;

  for (guint i = 0; i < 500; i++) {
    g_autoptr (GdinoPrompt) prompt = make ("a cat. dog.", 32);
    g_autoptr (GdinoPrompt) other = gdino_prompt_ref (data);

    g_assert_cmpuint (gdino_prompt_get_revision (prompt), >, last);
    last = gdino_prompt_get_revision (prompt);
    check_labels (other, "red");
  }
  return NULL;
}

static void
test_revisions_and_threads (void)
{
  g_autoptr (GdinoPrompt) shared = make ("red", 16);
  g_autoptr (GdinoPrompt) again = make ("red", 16);
  guint64 first = gdino_prompt_get_revision (again);
  g_autoptr (GdinoPrompt) after = NULL;
  GThread *threads[4];

  g_assert_cmpuint (gdino_prompt_get_revision (shared), >, 0);
  g_assert_cmpuint (first, >, gdino_prompt_get_revision (shared));
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("prompt", make_many, shared);
  for (gsize i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  /* Each prompt of each thread had a number of its own. */
  after = make ("red", 16);
  g_assert_cmpuint (gdino_prompt_get_revision (after), ==, first + 4 * 500 + 1);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  tokenizer = gdino_tokenizer_new_from_data (words, strlen (words), NULL);
  g_assert_nonnull (tokenizer);
  g_test_add_func ("/prompt/labels", test_labels);
  g_test_add_func ("/prompt/spans", test_spans);
  g_test_add_func ("/prompt/empty", test_empty);
  g_test_add_func ("/prompt/final-period", test_final_period);
  g_test_add_func ("/prompt/duplicates", test_duplicates);
  g_test_add_func ("/prompt/unknown", test_unknown);
  g_test_add_func ("/prompt/dropped", test_dropped);
  g_test_add_func ("/prompt/dropped-middle", test_dropped_middle);
  g_test_add_func ("/prompt/bare-delimiters-go-first",
      test_bare_delimiters_go_first);
  g_test_add_func ("/prompt/phrase-too-long", test_phrase_too_long);
  g_test_add_func ("/prompt/not-utf8", test_not_utf8);
  g_test_add_func ("/prompt/text-size", test_text_size);
  g_test_add_func ("/prompt/token-counts", test_token_counts);
  g_test_add_func ("/prompt/huge-texts", test_huge_texts);
  g_test_add_func ("/prompt/vocabulary-without-period",
      test_vocabulary_without_period);
  g_test_add_func ("/prompt/vocabulary-without-question",
      test_vocabulary_without_question);
  g_test_add_func ("/prompt/revisions-and-threads", test_revisions_and_threads);
  result = g_test_run ();
  gdino_tokenizer_unref (tokenizer);
  return result;
}
