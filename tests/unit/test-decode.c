/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* From logits to boxes: the rules one by one, with values from public reports.
 * test-decode-golden.c compares whole frames with an independent decoder. */

#include <gdino/error.h>
#include <math.h>
#include <string.h>

#include "decode.h"

#define T 16
#define Q 4

static const char vocabulary[] =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n.\n?\ncat\ndog\nred\ncar\njug\nonion\n"
    "glass\noil\nfire\nex\n##ting\n##uis\n##her\n";

/* One frame's output, all of it low, and what to decode it with. */
typedef struct
{
  GdinoTokenizer *tokenizer;
  GdinoPrompt *prompt;
  GdinoLetterbox letterbox;
  GdinoDecodeParams params;
  float logits[Q][T];
  float boxes[Q][4];
} Fixture;

/* Canvas and frame have one shape, so model boxes are fractions of the frame. */
static void
prepare (Fixture * self, const char *prompt, guint width, guint height)
{
  g_autoptr (GError) error = NULL;

  self->tokenizer = gdino_tokenizer_new_from_data (vocabulary,
      strlen (vocabulary), &error);
  g_assert_no_error (error);
  self->prompt = gdino_prompt_new (self->tokenizer, prompt, T, &error);
  g_assert_no_error (error);
  g_assert_true (gdino_letterbox_init (&self->letterbox, width, height, 1, 1,
          width, height, NULL));
  gdino_decode_params_init (&self->params);
  for (guint q = 0; q < Q; q++) {
    for (guint t = 0; t < T; t++)
      self->logits[q][t] = -8;
    self->boxes[q][0] = 0.125f + 0.25f * (float) q;
    self->boxes[q][1] = 0.5f;
    self->boxes[q][2] = self->boxes[q][3] = 0.25f;
  }
}

static void
clear (Fixture * self)
{
  gdino_prompt_unref (self->prompt);
  gdino_tokenizer_unref (self->tokenizer);
}

static GdinoDetections *
decode (Fixture * self)
{
  GdinoDetections *found;
  const GdinoDecodeStats *stats;

  g_assert_true (gdino_decode_params_check (&self->params, NULL));
  found = gdino_decode (&self->logits[0][0], &self->boxes[0][0], Q,
      self->prompt, &self->letterbox, &self->params);
  g_assert_nonnull (found);

  /* Every row is accounted for. */
  stats = gdino_detections_get_stats (found);
  g_assert_cmpuint (stats->n_queries, ==, Q);
  g_assert_cmpuint (stats->n_invalid + stats->n_below + stats->n_size
      + stats->n_outside + stats->n_suppressed + stats->n_cut
      + gdino_detections_get_n (found), ==, Q);
  return found;
}

static float
logit (double probability)
{
  return (float) log (probability / (1 - probability));
}

/* Scores each token of phrase @index in row @q. */
static void
set_phrase (Fixture * self, guint q, guint index, double probability)
{
  const GdinoPhrase *phrase = gdino_prompt_get_phrase (self->prompt, index);

  for (guint t = phrase->token_start; t < phrase->token_end; t++)
    self->logits[q][t] = logit (probability);
}

static void
set_box (Fixture * self, guint q, double cx, double cy, double w, double h)
{
  self->boxes[q][0] = (float) cx;
  self->boxes[q][1] = (float) cy;
  self->boxes[q][2] = (float) w;
  self->boxes[q][3] = (float) h;
}

static void
assert_box (GdinoDetections * found, guint index, const char *label,
    double score, gint x, gint y, gint width, gint height)
{
  const GdinoDetection *box = gdino_detections_get (found, index);

  g_assert_nonnull (box);
  g_assert_cmpstr (gdino_detections_get_label (found, index), ==, label);
  g_assert_cmpfloat_with_epsilon (box->score, score, 1e-6);
  g_assert_cmpint (box->x, ==, x);
  g_assert_cmpint (box->y, ==, y);
  g_assert_cmpint (box->width, ==, width);
  g_assert_cmpint (box->height, ==, height);
  g_assert_cmpuint (box->n_classes, >=, 1);
  g_assert_cmpuint (box->classes[0].phrase, ==, box->phrase);
  g_assert_cmpfloat (box->classes[0].score, ==, box->score);
}

/* OO-01: a model's box is centre and size. */
static void
test_centre (void)
{
  Fixture f;
  g_autoptr (GdinoDetections) found = NULL;

  prepare (&f, "cat.", 640, 480);
  set_phrase (&f, 2, 0, 0.8);
  set_box (&f, 2, 0.5, 0.5, 0.2, 0.4);
  found = decode (&f);
  g_assert_cmpuint (gdino_detections_get_n (found), ==, 1);
  assert_box (found, 0, "cat", 0.8, 256, 144, 128, 192);
  g_assert_cmpuint (gdino_detections_get (found, 0)->query, ==, 2);
  g_assert_true (gdino_detections_get_prompt (found) == f.prompt);
  clear (&f);
}

/* OO-02: one class for a box, never a joined label. */
static void
test_two_classes (void)
{
  Fixture f;
  g_autoptr (GdinoDetections) found = NULL;
  const GdinoDetection *box;

  prepare (&f, "jug . onion . glass . oil .", 640, 480);
  set_phrase (&f, 0, 2, 0.40);
  set_phrase (&f, 0, 3, 0.35);
  found = decode (&f);
  g_assert_cmpuint (gdino_detections_get_n (found), ==, 1);
  assert_box (found, 0, "glass", 0.40, 0, 180, 160, 120);
  box = gdino_detections_get (found, 0);
  g_assert_cmpuint (box->n_classes, ==, 2);
  g_assert_cmpuint (box->classes[1].phrase, ==, 3);
  g_assert_cmpfloat_with_epsilon (box->classes[1].score, 0.35, 1e-6);
  clear (&f);
}

/* OO-03: above the box threshold and below the text threshold: the best phrase
 * still names the box. Delimiters, [CLS] and [SEP] never count. */
static void
test_never_unnamed (void)
{
  Fixture f;
  g_autoptr (GdinoDetections) found = NULL;

  prepare (&f, "cat. dog.", 640, 480);
  f.params.box_threshold = 0.25f;
  f.params.text_threshold = 0.35f;
  set_phrase (&f, 0, 1, 0.30);
  for (guint q = 0; q < Q; q++) {
    f.logits[q][0] = f.logits[q][2] = f.logits[q][4] = f.logits[q][5] = 9;
    f.logits[q][6] = f.logits[q][T - 1] = 9;    /* padding */
  }
  found = decode (&f);
  g_assert_cmpuint (gdino_detections_get_n (found), ==, 1);
  assert_box (found, 0, "dog", 0.30, 0, 180, 160, 120);
  g_assert_cmpuint (gdino_detections_get (found, 0)->n_classes, ==, 1);
  g_assert_cmpfloat_with_epsilon (gdino_detections_get_stats
      (found)->best_score, 0.30, 1e-6);
  clear (&f);
}

static guint
count_at (Fixture * f, double box_threshold)
{
  g_autoptr (GdinoDetections) found = NULL;

  f->params.box_threshold = (float) box_threshold;
  found = decode (f);
  for (guint i = 0; i < gdino_detections_get_n (found); i++)
    g_assert_cmpfloat (gdino_detections_get (found, i)->score, >,
        f->params.box_threshold);
  return gdino_detections_get_n (found);
}

/* OO-04: strictly above. */
static void
test_thresholds (void)
{
  Fixture f;

  prepare (&f, "cat.", 640, 480);
  set_phrase (&f, 0, 0, 0.30);
  set_phrase (&f, 1, 0, 0.20);
  g_assert_cmpuint (count_at (&f, 0.30), ==, 0);
  g_assert_cmpuint (count_at (&f, 0.2999), ==, 1);
  g_assert_cmpuint (count_at (&f, 0.1999), ==, 2);
  g_assert_cmpuint (count_at (&f, 0), ==, Q);
  g_assert_cmpuint (count_at (&f, 1), ==, 0);

  /* Not above itself, at every other percentage that sigmoid can meet. */
  for (guint percent = 5; percent < 100; percent++) {
    set_phrase (&f, 0, 0, percent / 100.0);
    set_phrase (&f, 1, 0, percent / 100.0);
    g_assert_cmpuint (count_at (&f, percent / 100.0 + 1e-5), ==, 0);
    g_assert_cmpuint (count_at (&f, percent / 100.0 - 1e-5), ==, 2);
  }

  /* The ends: a certain score is not above 1, an impossible one not above 0. */
  f.logits[0][1] = INFINITY;
  f.logits[1][1] = f.logits[2][1] = -INFINITY;
  f.logits[3][1] = -200;
  g_assert_cmpuint (count_at (&f, 1), ==, 0);
  g_assert_cmpuint (count_at (&f, 0.9999999), ==, 1);
  g_assert_cmpuint (count_at (&f, 0), ==, 1);
  clear (&f);
}

/* OP-11, OP-12: one strong word piece names the whole phrase, as typed. */
static void
test_word_piece (void)
{
  Fixture f;
  g_autoptr (GdinoDetections) found = NULL;
  const GdinoPhrase *phrase;

  prepare (&f, "cat. Fire Extinguisher", 640, 480);
  g_assert_cmpuint (gdino_prompt_get_n_phrases (f.prompt), ==, 2);
  phrase = gdino_prompt_get_phrase (f.prompt, 1);
  g_assert_cmpuint (phrase->token_end - phrase->token_start, ==, 5);
  f.logits[0][phrase->token_start + 3] = logit (0.6);
  found = decode (&f);
  g_assert_cmpuint (gdino_detections_get_n (found), ==, 1);
  assert_box (found, 0, "Fire Extinguisher", 0.6, 0, 180, 160, 120);
  clear (&f);
}

/* Mean over the phrase's tokens; max may name another phrase. */
static void
test_mean (void)
{
  Fixture f;
  g_autoptr (GdinoDetections) by_max = NULL;
  g_autoptr (GdinoDetections) by_mean = NULL;

  prepare (&f, "red car. dog.", 640, 480);
  f.logits[0][1] = logit (0.9);
  f.logits[0][2] = logit (0.1);
  f.logits[0][4] = logit (0.6);
  by_max = decode (&f);
  assert_box (by_max, 0, "red car", 0.9, 0, 180, 160, 120);

  f.params.scoring = GDINO_SCORING_MEAN;
  by_mean = decode (&f);
  assert_box (by_mean, 0, "dog", 0.6, 0, 180, 160, 120);
  g_assert_cmpuint (gdino_detections_get (by_mean, 0)->n_classes, ==, 2);
  g_assert_cmpfloat_with_epsilon (gdino_detections_get (by_mean,
          0)->classes[1].score, 0.5, 1e-6);
  g_assert_cmpfloat_with_epsilon (gdino_detections_get_stats
      (by_mean)->best_score, 0.6, 1e-6);
  clear (&f);
}

/* Equal phrases: the first wins, and the rest follow in prompt order. */
static void
test_equal_phrases (void)
{
  Fixture f;
  g_autoptr (GdinoDetections) found = NULL;
  const GdinoDetection *box;

  prepare (&f, "cat. dog. car. jug.", 640, 480);
  for (guint p = 0; p < 4; p++)
    set_phrase (&f, 0, p, p == 3 ? 0.3 : 0.5);
  found = decode (&f);
  box = gdino_detections_get (found, 0);
  g_assert_cmpuint (box->n_classes, ==, 4);
  for (guint p = 0; p < 4; p++)
    g_assert_cmpuint (box->classes[p].phrase, ==, p);
  clear (&f);
}

/* OO-05. */
static void
test_two_names (void)
{
  Fixture f;

  prepare (&f, "car. dog.", 640, 480);
  set_phrase (&f, 0, 1, 0.45);
  set_phrase (&f, 3, 0, 0.60);
  memcpy (f.boxes[0], f.boxes[3], sizeof f.boxes[0]);
  for (int nms = GDINO_NMS_OFF; nms <= GDINO_NMS_ALL; nms++) {
    g_autoptr (GdinoDetections) found = NULL;

    f.params.nms = (GdinoNms) nms;
    found = decode (&f);
    assert_box (found, 0, "car", 0.60, 480, 180, 160, 120);
    g_assert_cmpuint (gdino_detections_get_n (found), ==,
        nms == GDINO_NMS_ALL ? 1 : 2);
    g_assert_cmpuint (gdino_detections_get_stats (found)->n_suppressed, ==,
        nms == GDINO_NMS_ALL ? 1 : 0);
  }
  clear (&f);
}

/* OO-06. */
static void
test_nothing (void)
{
  Fixture f;
  g_autoptr (GdinoDetections) found = NULL;

  prepare (&f, "cat.", 640, 480);
  f.logits[1][1] = logit (0.125);
  found = decode (&f);
  g_assert_cmpuint (gdino_detections_get_n (found), ==, 0);
  g_assert_cmpuint (gdino_detections_get_stats (found)->n_below, ==, Q);
  g_assert_cmpfloat_with_epsilon (gdino_detections_get_stats
      (found)->best_score, 0.125, 1e-6);
  clear (&f);
}

/* OO-07, and boxes that lie outside or are thinner than a pixel. */
static void
test_leaves_frame (void)
{
  Fixture f;
  g_autoptr (GdinoDetections) found = NULL;

  prepare (&f, "cat.", 100, 100);
  for (guint q = 0; q < Q; q++)
    set_phrase (&f, q, 0, 0.9 - 0.1 * q);
  set_box (&f, 0, 0.98, 0.5, 0.2, 0.2);
  set_box (&f, 1, 1.2, 0.5, 0.2, 0.2);
  set_box (&f, 2, 0.5, 0.5, 0.009, 0.2);
  set_box (&f, 3, -0.05, 0.5, 0.2, 0.2);
  found = decode (&f);
  g_assert_cmpuint (gdino_detections_get_n (found), ==, 2);
  assert_box (found, 0, "cat", 0.9, 88, 40, 12, 20);
  assert_box (found, 1, "cat", 0.6, 0, 40, 5, 20);
  g_assert_cmpuint (gdino_detections_get_stats (found)->n_outside, ==, 2);
  clear (&f);
}

/* OF-04: 0.4 canvas pixels in the pad; clipped after the scale, and kept. */
static void
test_edge_report (void)
{
  Fixture f;
  g_autoptr (GdinoDetections) found = NULL;

  prepare (&f, "cat.", 1920, 1080);
  g_assert_true (gdino_letterbox_init (&f.letterbox, 1920, 1080, 1, 1, 640,
          640, NULL));
  set_phrase (&f, 0, 0, 0.95);
  set_box (&f, 0, (308.406 + 463.912) / 2 / 640, (376.330 + 500.436) / 2 / 640,
      (463.912 - 308.406) / 640, (500.436 - 376.330) / 640);
  found = decode (&f);
  g_assert_cmpuint (gdino_detections_get_n (found), ==, 1);
  assert_box (found, 0, "cat", 0.95, 925, 709, 467, 371);
  clear (&f);
}

/* OR-05: NaN is dropped and counted, -inf scores 0. */
static void
test_not_a_number (void)
{
  Fixture f;
  g_autoptr (GdinoDetections) one_bad = NULL;
  g_autoptr (GdinoDetections) all_bad = NULL;

  prepare (&f, "red car. dog.", 640, 480);
  for (guint q = 0; q < Q; q++)
    set_phrase (&f, q, 0, 0.9 - 0.1 * q);
  f.boxes[0][1] = NAN;
  f.logits[1][4] = NAN;         /* another phrase of the row */
  f.logits[2][1] = -INFINITY;
  f.logits[3][7] = NAN;         /* padding: not looked at */
  one_bad = decode (&f);
  g_assert_cmpuint (gdino_detections_get_n (one_bad), ==, 2);
  assert_box (one_bad, 0, "red car", 0.7, 320, 180, 160, 120);
  assert_box (one_bad, 1, "red car", 0.6, 480, 180, 160, 120);
  g_assert_cmpuint (gdino_detections_get_stats (one_bad)->n_invalid, ==, 2);

  for (guint q = 0; q < Q; q++)
    for (guint t = 0; t < T; t++)
      f.logits[q][t] = NAN;
  all_bad = decode (&f);
  g_assert_cmpuint (gdino_detections_get_n (all_bad), ==, 0);
  g_assert_cmpuint (gdino_detections_get_stats (all_bad)->n_invalid, ==, Q);
  g_assert_cmpfloat (gdino_detections_get_stats (all_bad)->best_score, ==, 0);
  clear (&f);
}

static void
test_size_and_count (void)
{
  Fixture f;
  g_autoptr (GdinoDetections) found = NULL;

  prepare (&f, "cat.", 640, 480);
  f.params.max_detections = 1;
  f.params.size_threshold = 0.5f;
  for (guint q = 0; q < Q; q++)
    set_phrase (&f, q, 0, 0.6 + 0.1 * q);
  set_box (&f, 3, 0.5, 0.5, 1, 0.51);
  set_box (&f, 0, 0.5, 0.5, 1, 0.5);    /* exactly half: stays */
  found = decode (&f);
  g_assert_cmpuint (gdino_detections_get_n (found), ==, 1);
  g_assert_cmpuint (gdino_detections_get (found, 0)->query, ==, 2);
  g_assert_cmpuint (gdino_detections_get_stats (found)->n_size, ==, 1);
  g_assert_cmpuint (gdino_detections_get_stats (found)->n_cut, ==, 2);
  clear (&f);
}

static void
assert_params (const GdinoDecodeParams * params, const char *named)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (gdino_decode_params_check (params, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, named));
}

static void
test_params (void)
{
  const float bad[] = { -0.001f, 1.001f, NAN, INFINITY, -INFINITY };
  const float good[] = { 0, 1, 0.5f };
  GdinoDecodeParams params;

  gdino_decode_params_init (&params);
  g_assert_true (gdino_decode_params_check (&params, NULL));
  g_assert_cmpfloat (params.box_threshold, ==, 0.35f);
  g_assert_cmpfloat (params.text_threshold, ==, 0.25f);
  g_assert_cmpfloat (params.iou_threshold, ==, 0.7f);
  g_assert_cmpfloat (params.size_threshold, ==, 1);
  g_assert_cmpint (params.nms, ==, GDINO_NMS_PHRASE);
  g_assert_cmpint (params.scoring, ==, GDINO_SCORING_MAX);
  g_assert_cmpuint (params.max_detections, ==, 300);

  for (guint i = 0; i < 4; i++) {
    const char *names[] = { "box_threshold", "text_threshold", "iou_threshold",
      "size_threshold"
    };
    float *fields[] = { &params.box_threshold, &params.text_threshold,
      &params.iou_threshold, &params.size_threshold
    };

    for (guint k = 0; k < G_N_ELEMENTS (bad); k++) {
      *fields[i] = bad[k];
      assert_params (&params, names[i]);
    }
    for (guint k = 0; k < G_N_ELEMENTS (good); k++) {
      *fields[i] = good[k];
      g_assert_true (gdino_decode_params_check (&params, NULL));
    }
  }
  params.max_detections = 0;
  assert_params (&params, "max_detections is 0");
  gdino_decode_params_init (&params);
  params.nms = (GdinoNms) 3;
  assert_params (&params, "nms is 3");
  gdino_decode_params_init (&params);
  params.scoring = (GdinoScoring) 2;
  assert_params (&params, "scoring is 2");
}

/* The result outlives the prompt's owner and the buffers it came from. */
static void
test_lifetime (void)
{
  Fixture f;
  GdinoDetections *found, *same;

  prepare (&f, "cat.", 640, 480);
  set_phrase (&f, 0, 0, 0.9);
  found = decode (&f);
  memset (f.logits, 0xff, sizeof f.logits);
  memset (f.boxes, 0xff, sizeof f.boxes);
  clear (&f);
  same = gdino_detections_ref (found);
  gdino_detections_unref (found);
  assert_box (same, 0, "cat", 0.9, 0, 180, 160, 120);
  gdino_detections_unref (same);
}

static void
test_empty_result (void)
{
  Fixture f;
  g_autoptr (GdinoDetections) found = NULL;

  prepare (&f, " . ", 640, 480);
  found = gdino_decoder_finish (gdino_decoder_new (f.prompt, &f.letterbox,
          &f.params));
  g_assert_cmpuint (gdino_detections_get_n (found), ==, 0);
  g_assert_cmpuint (gdino_detections_get_stats (found)->n_queries, ==, 0);
  g_assert_true (gdino_detections_get_prompt (found) == f.prompt);
  clear (&f);
}

/* A phrase's own threshold takes the place of both, up and down. */
static void
test_phrase_thresholds (void)
{
  Fixture f;
  GdinoPhraseRule rules[] = { {0.6f, 0}, {-1, 1}, {0.1f, 2} };
  const GdinoDetection *box;

  prepare (&f, "cat. dog. car.", 640, 480);
  f.params.phrase_rules = rules;
  f.params.n_phrase_rules = 3;
  set_phrase (&f, 0, 0, 0.55);  /* the best, but not good enough for a cat */
  set_phrase (&f, 0, 1, 0.4);
  set_phrase (&f, 1, 0, 0.65);
  set_phrase (&f, 1, 1, 0.2);   /* below the text threshold */
  set_phrase (&f, 1, 2, 0.15);  /* above a car's own */
  set_phrase (&f, 2, 2, 0.12);  /* below the box threshold, above a car's own */
  set_phrase (&f, 3, 1, 0.3);   /* below the box threshold */
  for (guint scoring = GDINO_SCORING_MAX; scoring <= GDINO_SCORING_MEAN;
      scoring++) {
    g_autoptr (GdinoDetections) found = NULL;

    f.params.scoring = scoring;
    found = decode (&f);
    g_assert_cmpuint (gdino_detections_get_n (found), ==, 3);
    g_assert_cmpstr (gdino_detections_get_label (found, 0), ==, "cat");
    g_assert_cmpstr (gdino_detections_get_label (found, 1), ==, "dog");
    g_assert_cmpstr (gdino_detections_get_label (found, 2), ==, "car");
    box = gdino_detections_get (found, 0);
    g_assert_cmpuint (box->n_classes, ==, 2);
    g_assert_cmpuint (box->classes[1].phrase, ==, 2);
    /* The cat of the second box is below its threshold, so it is no class. */
    g_assert_cmpuint (gdino_detections_get (found, 1)->n_classes, ==, 1);
    g_assert_cmpfloat_with_epsilon (gdino_detections_get_stats
        (found)->best_score, 0.65, 1e-5);
  }

  /* The same number exactly is not above it. */
  rules[0].threshold = 1;
  rules[1].threshold = 0.3f;
  rules[2].threshold = 0;
  {
    g_autoptr (GdinoDetections) found = decode (&f);

    for (guint i = 0; i < gdino_detections_get_n (found); i++)
      g_assert_cmpstr (gdino_detections_get_label (found, i), !=, "cat");
    g_assert_cmpuint (gdino_detections_get_n (found), ==, Q);
  }
  clear (&f);
}

/* Phrases of one group suppress each other as if they were one. */
static void
test_groups (void)
{
  static const GdinoPhraseRule apart[] = { {-1, 0}, {-1, 1}, {-1, 2} };
  static const GdinoPhraseRule together[] = { {-1, 7}, {-1, 7}, {-1, 2} };
  Fixture f;

  prepare (&f, "cat. dog. car.", 640, 480);
  for (guint q = 0; q < 3; q++) {
    set_box (&f, q, 0.5, 0.5, 0.25, 0.25);
    set_phrase (&f, q, q, 0.9 - 0.1 * q);
  }
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GdinoDetections) found = NULL;

    f.params.phrase_rules = i == 0 ? apart : together;
    f.params.n_phrase_rules = 3;
    found = decode (&f);
    g_assert_cmpuint (gdino_detections_get_n (found), ==, i == 0 ? 3 : 2);
    g_assert_cmpstr (gdino_detections_get_label (found, 0), ==, "cat");
    g_assert_cmpstr (gdino_detections_get_label (found, 1), ==,
        i == 0 ? "dog" : "car");
  }
  clear (&f);
}

static void
test_bad_rules (void)
{
  static const float bad[] = { 1.01f, NAN, INFINITY };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    const GdinoPhraseRule rules[] = { {0.5f, 0}, {bad[i], 1} };
    g_autoptr (GError) error = NULL;
    GdinoDecodeParams params;

    gdino_decode_params_init (&params);
    params.phrase_rules = rules;
    params.n_phrase_rules = 2;
    g_assert_false (gdino_decode_params_check (&params, &error));
    g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT);
    g_assert_nonnull (strstr (error->message, "threshold of phrase 1"));
  }
}

/* Rows of a pass know the phrases of that pass only, and are read at once. */
static void
test_passes (void)
{
  Fixture f;
  g_autoptr (GdinoPrompt) split = NULL;
  g_autoptr (GdinoDetections) found = NULL;
  GdinoDecoder *decoder;
  float logits[2][Q][6], boxes[2][Q][4];

  prepare (&f, "cat. red car. dog.", 640, 480);
  /* Six tokens hold four of text. */
  split = gdino_prompt_new_split (f.tokenizer, "cat. red car. dog.", 6, 3,
      NULL);
  g_assert_cmpuint (gdino_prompt_get_n_passes (split), ==, 3);
  gdino_prompt_unref (g_steal_pointer (&split));
  split = gdino_prompt_new_split (f.tokenizer, "cat. dog. red car.", 6, 3,
      NULL);
  g_assert_cmpuint (gdino_prompt_get_n_passes (split), ==, 2);
  g_assert_cmpuint (gdino_prompt_get_pass_offset (split, 1), ==, 2);
  g_assert_cmpstr (gdino_prompt_get_phrase (split, 2)->text, ==, "red car");

  for (guint p = 0; p < 2; p++)
    for (guint q = 0; q < Q; q++) {
      for (guint t = 0; t < 6; t++)
        logits[p][q][t] = -8;
      memcpy (boxes[p][q], f.boxes[q], sizeof boxes[p][q]);
    }
  logits[0][0][1] = logit (0.9);        /* cat */
  logits[0][1][3] = logit (0.8);        /* dog */
  logits[0][1][1] = logit (0.3);        /* and a bit of a cat */
  logits[1][1][2] = logit (0.85);       /* red car, at the place of the dog */
  logits[1][2][1] = logit (0.7);        /* red car */
  logits[1][3][4] = logit (0.99);       /* no phrase */
  decoder = gdino_decoder_new (split, &f.letterbox, &f.params);
  gdino_decoder_add (decoder, &logits[0][0][0], &boxes[0][0][0], Q);
  gdino_decoder_add (decoder, &logits[1][0][0], &boxes[1][0][0], Q);
  memset (logits, 0xff, sizeof logits);
  memset (boxes, 0xff, sizeof boxes);
  found = gdino_decoder_finish (decoder);

  g_assert_cmpuint (gdino_detections_get_n (found), ==, 4);
  g_assert_cmpstr (gdino_detections_get_label (found, 0), ==, "cat");
  g_assert_cmpstr (gdino_detections_get_label (found, 1), ==, "red car");
  g_assert_cmpuint (gdino_detections_get (found, 1)->query, ==, 1);
  g_assert_cmpstr (gdino_detections_get_label (found, 2), ==, "dog");
  g_assert_cmpuint (gdino_detections_get (found, 2)->n_classes, ==, 2);
  g_assert_cmpuint (gdino_detections_get (found, 2)->classes[1].phrase, ==, 0);
  g_assert_cmpstr (gdino_detections_get_label (found, 3), ==, "red car");
  g_assert_cmpuint (gdino_detections_get (found, 3)->query, ==, 2);
  g_assert_cmpuint (gdino_detections_get_stats (found)->n_queries, ==, 2 * Q);
  g_assert_cmpuint (gdino_detections_get_stats (found)->n_below, ==, 4);
  g_assert_cmpfloat_with_epsilon (gdino_detections_get_stats
      (found)->best_score, 0.9, 1e-5);
  clear (&f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/decode/centre", test_centre);
  g_test_add_func ("/decode/two-classes", test_two_classes);
  g_test_add_func ("/decode/never-unnamed", test_never_unnamed);
  g_test_add_func ("/decode/thresholds", test_thresholds);
  g_test_add_func ("/decode/word-piece", test_word_piece);
  g_test_add_func ("/decode/mean", test_mean);
  g_test_add_func ("/decode/equal-phrases", test_equal_phrases);
  g_test_add_func ("/decode/two-names", test_two_names);
  g_test_add_func ("/decode/nothing", test_nothing);
  g_test_add_func ("/decode/leaves-frame", test_leaves_frame);
  g_test_add_func ("/decode/edge-report", test_edge_report);
  g_test_add_func ("/decode/not-a-number", test_not_a_number);
  g_test_add_func ("/decode/size-and-count", test_size_and_count);
  g_test_add_func ("/decode/params", test_params);
  g_test_add_func ("/decode/lifetime", test_lifetime);
  g_test_add_func ("/decode/empty-result", test_empty_result);
  g_test_add_func ("/decode/phrase-thresholds", test_phrase_thresholds);
  g_test_add_func ("/decode/groups", test_groups);
  g_test_add_func ("/decode/bad-rules", test_bad_rules);
  g_test_add_func ("/decode/passes", test_passes);
  return g_test_run ();
}
