/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Scores of phrases, with values worked out by hand: the sigmoid of log 3 is 3/4,
 * of 0 is 1/2, of -log 3 is 1/4. */

#include "score.h"

#include <math.h>
#include <string.h>

#define T 16
#define LOG_3 1.0986123f

static const char vocabulary[] =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n.\n?\ncat\ndog\nred\ncar\n";

/* [CLS] cat . red car . [SEP]: phrase 0 is token 1, phrase 1 tokens 3 and 4. */
typedef struct
{
  GdinoTokenizer *tokenizer;
  GdinoPrompt *prompt;
  GdinoDecodeParams params;
  GdinoScorer scorer;
  float row[T];
} Fixture;

static void
prepare (Fixture * self)
{
  g_autoptr (GError) error = NULL;

  self->tokenizer = gdino_tokenizer_new_from_data (vocabulary,
      strlen (vocabulary), &error);
  g_assert_no_error (error);
  self->prompt = gdino_prompt_new (self->tokenizer, "cat. red car.", T, &error);
  g_assert_no_error (error);
  gdino_decode_params_init (&self->params);
  self->params.box_threshold = 0.3f;
  self->params.text_threshold = 0.2f;
  for (guint t = 0; t < T; t++)
    self->row[t] = -8;
}

static void
begin (Fixture * self)
{
  g_assert_true (gdino_decode_params_check (&self->params, NULL));
  gdino_scorer_init (&self->scorer, self->prompt, &self->params);
  gdino_scorer_begin (&self->scorer, self->prompt, 0);
}

static void
clear (Fixture * self)
{
  gdino_scorer_clear (&self->scorer);
  gdino_prompt_unref (self->prompt);
  gdino_tokenizer_unref (self->tokenizer);
}

/* The phrase that the row is of, and its score; -1 for none. */
static gint
best (Fixture * self, float *score)
{
  guint phrase = 99;

  g_assert_true (gdino_scorer_score_row (&self->scorer, self->row, &phrase,
          score));
  return *score < 0 ? -1 : (gint) phrase;
}

static void
test_mean_and_max (void)
{
  Fixture self = { 0 };
  float score;

  prepare (&self);
  self.row[1] = 0;
  self.row[3] = LOG_3;
  self.row[4] = -LOG_3;

  self.params.scoring = GDINO_SCORING_MAX;
  begin (&self);
  g_assert_cmpint (best (&self, &score), ==, 1);
  g_assert_cmpfloat_with_epsilon (score, 0.75, 1e-6);
  gdino_scorer_clear (&self.scorer);

  /* The mean of 3/4 and 1/4 is 1/2, as the other's; the first one wins. */
  self.params.scoring = GDINO_SCORING_MEAN;
  self.row[4] = -LOG_3 - 1e-3f;
  begin (&self);
  g_assert_cmpint (best (&self, &score), ==, 0);
  g_assert_cmpfloat_with_epsilon (score, 0.5, 1e-6);
  g_assert_cmpfloat_with_epsilon (self.scorer.best_score, 0.5, 1e-6);
  g_assert_true (gdino_scorer_score_class (&self.scorer, self.row, 1, &score));
  g_assert_cmpfloat_with_epsilon (score, 0.5, 1e-3);
  clear (&self);
}

/* Strictly above; what is below still counts as the best that was seen. */
static void
test_thresholds (void)
{
  Fixture self = { 0 };
  float score;

  prepare (&self);
  self.params.scoring = GDINO_SCORING_MAX;
  self.params.box_threshold = 0.5f;
  self.row[1] = 0;
  begin (&self);
  g_assert_cmpint (best (&self, &score), ==, -1);
  g_assert_cmpfloat_with_epsilon (self.scorer.best_score, 0.5, 1e-6);
  self.row[1] = 1e-3f;
  g_assert_cmpint (best (&self, &score), ==, 0);
  g_assert_false (gdino_scorer_score_class (&self.scorer, self.row, 1, &score));
  clear (&self);
}

/* The best of those that pass their own threshold. */
static void
test_rules (void)
{
  const GdinoPhraseRule rules[] = { {.threshold = 0.4f}, {.threshold = 0.9f} };
  Fixture self = { 0 };
  float score;

  prepare (&self);
  self.params.scoring = GDINO_SCORING_MAX;
  self.params.phrase_rules = rules;
  self.row[1] = 0;
  self.row[3] = LOG_3;
  begin (&self);
  g_assert_cmpint (best (&self, &score), ==, 0);
  g_assert_cmpfloat_with_epsilon (score, 0.5, 1e-6);
  g_assert_cmpfloat_with_epsilon (self.scorer.best_score, 0.75, 1e-6);
  self.row[1] = -LOG_3;
  g_assert_cmpint (best (&self, &score), ==, -1);
  clear (&self);
}

/* In any token of any phrase, wherever the row is otherwise dull or not. */
static void
test_not_a_number (void)
{
  Fixture self = { 0 };
  guint phrase;
  float score;

  prepare (&self);
  begin (&self);
  for (guint i = 0; i < 2; i++) {
    self.row[1] = i == 0 ? -8 : 4;
    for (guint t = 3; t <= 4; t++) {
      self.row[t] = NAN;
      g_assert_false (gdino_scorer_score_row (&self.scorer, self.row, &phrase,
              &score));
      self.row[t] = -8;
    }
    g_assert_true (gdino_scorer_score_row (&self.scorer, self.row, &phrase,
            &score));
  }
  clear (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/score/mean-and-max", test_mean_and_max);
  g_test_add_func ("/score/thresholds", test_thresholds);
  g_test_add_func ("/score/rules", test_rules);
  g_test_add_func ("/score/not-a-number", test_not_a_number);
  return g_test_run ();
}
