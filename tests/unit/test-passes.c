/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Prompts of more phrases than one text context holds. */

#include <gdino/gdino.h>
#include <string.h>

#include "make-package.h"

#define T 16

static const char vocabulary[] =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n.\n?\ncat\ndog\nred\ncar\n##a\n##b\n##c\n"
    "##d\n##e\n##f\n##g\n##h\n##i\n##j\nw\n";

static GdinoTokenizer *
make_tokenizer (void)
{
  g_autoptr (GError) error = NULL;
  GdinoTokenizer *tokenizer =
      gdino_tokenizer_new_from_data (vocabulary, strlen (vocabulary), &error);

  g_assert_no_error (error);
  return tokenizer;
}

static GdinoPrompt *
split (const char *text, guint n_tokens, guint max_passes)
{
  g_autoptr (GdinoTokenizer) tokenizer = make_tokenizer ();
  g_autoptr (GError) error = NULL;
  GdinoPrompt *prompt = gdino_prompt_new_split (tokenizer, text, n_tokens,
      max_passes, &error);

  g_assert_no_error (error);
  return prompt;
}

/* What fits is the same prompt however many passes are allowed. */
static void
test_one_is_enough (void)
{
  g_autoptr (GdinoPrompt) one = split ("cat.. dog. ? cat.", T, 1);
  g_autoptr (GdinoPrompt) many = split ("cat.. dog. ? cat.", T, 9);

  g_assert_cmpuint (gdino_prompt_get_n_passes (many), ==, 1);
  g_assert_true (gdino_prompt_get_pass (many, 0) == many);
  g_assert_cmpuint (gdino_prompt_get_pass_offset (many, 0), ==, 0);
  g_assert_cmpmem (gdino_prompt_get_ids (one), T * sizeof (gint64),
      gdino_prompt_get_ids (many), T * sizeof (gint64));
  g_assert_cmpuint (gdino_prompt_get_n_used (one), ==,
      gdino_prompt_get_n_used (many));
  g_assert_cmpstr (gdino_prompt_get_duplicates (many)[0], ==, "cat");
}

/* Each context is what a prompt of its phrases alone would be. */
static void
test_contexts (void)
{
  g_autoptr (GdinoPrompt) prompt =
      split ("cat. red car. dog.. red dog. car. cat. red cat.", 8, 8);
  static const char *const wanted[] = { "cat. red car.", "dog. red dog.",
    "car. red cat."
  };
  guint phrase = 0, used = 0;

  g_assert_cmpuint (gdino_prompt_get_n_passes (prompt), ==, 3);
  g_assert_cmpuint (gdino_prompt_get_n_phrases (prompt), ==, 6);
  g_assert_cmpstr (gdino_prompt_get_duplicates (prompt)[0], ==, "cat");
  g_assert_null (gdino_prompt_get_duplicates (prompt)[1]);
  g_assert_null (gdino_prompt_get_dropped (prompt)[0]);
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GdinoPrompt) alone = split (wanted[i], 8, 1);
    GdinoPrompt *pass = gdino_prompt_get_pass (prompt, i);

    g_assert_cmpuint (gdino_prompt_get_pass_offset (prompt, i), ==, phrase);
    g_assert_cmpuint (gdino_prompt_get_revision (pass), ==,
        gdino_prompt_get_revision (prompt));
    g_assert_cmpmem (gdino_prompt_get_ids (alone), 64,
        gdino_prompt_get_ids (pass), 64);
    g_assert_cmpmem (gdino_prompt_get_positions (alone), 64,
        gdino_prompt_get_positions (pass), 64);
    g_assert_cmpmem (gdino_prompt_get_block_mask (alone), 64,
        gdino_prompt_get_block_mask (pass), 64);
    g_assert_cmpmem (gdino_prompt_get_text_mask (alone), 8,
        gdino_prompt_get_text_mask (pass), 8);
    used += gdino_prompt_get_n_used (pass);
    for (guint j = 0; j < gdino_prompt_get_n_phrases (alone); j++, phrase++) {
      const GdinoPhrase *a = gdino_prompt_get_phrase (alone, j);
      const GdinoPhrase *b = gdino_prompt_get_phrase (prompt, phrase);

      g_assert_cmpstr (a->text, ==, b->text);
      g_assert_cmpuint (a->token_start, ==, b->token_start);
      g_assert_cmpuint (a->token_end, ==, b->token_end);
      g_assert_cmpint (strncmp (gdino_prompt_get_text (prompt) + b->byte_start,
              b->text, b->byte_length), ==, 0);
    }
  }
  g_assert_cmpuint (used, ==, 3 * 7);
  g_assert_cmpuint (gdino_prompt_get_n_used (prompt), ==, 7);
  g_assert_true (gdino_prompt_get_ids (prompt) ==
      gdino_prompt_get_ids (gdino_prompt_get_pass (prompt, 0)));
}

/* What is left out is named: beyond the last pass, and too long alone. */
static void
test_left_out (void)
{
  g_autoptr (GdinoTokenizer) tokenizer = make_tokenizer ();
  g_autoptr (GdinoPrompt) prompt = split ("cat. dog. red car red car red car. "
      "red cat. red dog. red car. dog.", 6, 2);
  g_autoptr (GError) error = NULL;
  const char *const *dropped = gdino_prompt_get_dropped (prompt);

  g_assert_cmpuint (gdino_prompt_get_n_passes (prompt), ==, 2);
  g_assert_cmpuint (gdino_prompt_get_n_phrases (prompt), ==, 3);
  g_assert_cmpstr (dropped[0], ==, "red car red car red car");
  g_assert_cmpstr (dropped[1], ==, "red dog");
  g_assert_cmpstr (dropped[2], ==, "red car");
  g_assert_null (dropped[3]);
  g_assert_cmpstr (gdino_prompt_get_duplicates (prompt)[0], ==, "dog");
  g_assert_null (gdino_prompt_get_duplicates (prompt)[1]);

  g_assert_null (gdino_prompt_new_split (tokenizer,
          "red car red car red car. cat.", 6, 9, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_PROMPT);
  g_clear_error (&error);
  g_assert_null (gdino_prompt_new_split (tokenizer, "cat.", 6, 0, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_null (gdino_prompt_new_split (tokenizer, "cat.", 6,
          GDINO_PROMPT_MAX_PASSES + 1, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT);
}

/* Name @n of many, three pieces long. */
static char *
name_of (guint n)
{
  return g_strdup_printf ("w%c%c%c%c", 'a' + n / 1000 % 10, 'a' + n / 100 % 10,
      'a' + n / 10 % 10, 'a' + n % 10);
}

/* As many names as LVIS has: all are there, each in its place. */
static void
test_many_names (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GdinoPrompt) prompt = NULL;
  guint pass = 0;

  for (guint i = 0; i < 1203; i++) {
    g_autofree char *name = name_of (i);

    g_string_append_printf (text, "%s. ", name);
  }
  prompt = split (text->str, 256, GDINO_PROMPT_MAX_PASSES);
  /* Six tokens each, 254 of 256 for them: 42 names a pass. */
  g_assert_cmpuint (gdino_prompt_get_n_passes (prompt), ==, 29);
  g_assert_cmpuint (gdino_prompt_get_n_phrases (prompt), ==, 1203);
  g_assert_null (gdino_prompt_get_dropped (prompt)[0]);
  for (guint i = 0; i < 1203; i++) {
    g_autofree char *name = name_of (i);

    g_assert_cmpstr (gdino_prompt_get_phrase (prompt, i)->text, ==, name);
    if (pass + 1 < 29 && i == gdino_prompt_get_pass_offset (prompt, pass + 1))
      pass++;
    g_assert_cmpuint (pass, ==, i / 42);
  }
}

/* The detector runs each pass, its text once, and puts the boxes together. */
static void
test_detector (gconstpointer data)
{
  const GdinoFakeOptions options = {
    .width = 64,
    .height = 64,
    .text_tokens = 6,
    .queries = 8,
    .batch = GPOINTER_TO_INT (data)
  };
  g_autofree char *path = gdino_fake_package_new (NULL, &options);
  g_autoptr (GdinoPackage) package = gdino_package_open (path, NULL);
  g_autoptr (GdinoEngine) engine = gdino_engine_get (package, "auto", NULL);
  g_autoptr (GdinoDetector) detector = gdino_detector_new (engine);
  g_autoptr (GdinoPrompt) prompt = NULL;
  g_autofree guint8 *canvas = g_malloc (64 * 64 * 3);
  const guint batch = (guint) options.batch;
  GdinoLetterbox letterbox;
  GdinoDecodeParams params;
  GdinoTimings timings;
  gint runs;

  memset (canvas, 110, 64 * 64 * 3);
  for (guint y = 8; y < 24; y++)
    for (guint x = 8; x < 24; x++) {
      canvas[(y * 64 + x) * 3] = 230;   /* red */
      canvas[(y * 64 + x) * 3 + 1] = canvas[(y * 64 + x) * 3 + 2] = 20;
      canvas[((y + 32) * 64 + x + 32) * 3 + 2] = 230;   /* blue */
      canvas[((y + 32) * 64 + x + 32) * 3] = 20;
      canvas[((y + 32) * 64 + x + 32) * 3 + 1] = 20;
    }
  g_assert_true (gdino_letterbox_init (&letterbox, 64, 64, 1, 1, 64, 64, NULL));
  gdino_decode_params_init (&params);
  prompt = gdino_detector_make_prompt_split (detector,
      "green. white. red. black. blue.", 9, NULL);
  g_assert_cmpuint (gdino_prompt_get_n_passes (prompt), ==, 3);

  runs = gdino_fake_get (frame_runs);
  for (guint i = 1; i <= 3; i++) {
    g_autoptr (GdinoDetections) found = gdino_detector_detect (detector, canvas,
        64 * 3, &letterbox, prompt, &params, &timings, NULL);

    g_assert_nonnull (found);
    g_assert_cmpuint (gdino_detections_get_n (found), ==, 2);
    for (guint j = 0; j < 2; j++) {
      const GdinoDetection *box = gdino_detections_get (found, j);
      const char *label = gdino_detections_get_label (found, j);

      g_assert_cmpuint (box->phrase, ==, box->x < 32 ? 2 : 4);
      g_assert_cmpstr (label, ==, box->x < 32 ? "red" : "blue");
      g_assert_cmpint (ABS (box->width - 16), <=, 2);
    }
    /* As many runs as slots allow; texts only the first time. */
    g_assert_cmpint (gdino_fake_get (frame_runs) - runs, ==,
        i * ((3 + batch - 1) / batch));
    g_assert_cmpuint (gdino_engine_get_text_runs (engine), ==, 3);
    g_assert_cmpint (timings.text_us > 0, ==, i == 1);
  }

  /* Rules are for all phrases of all passes. */
  {
    const GdinoPhraseRule rules[] = {
      {-1, 0}, {-1, 1}, {1, 2}, {-1, 3}, {-1, 4}
    };
    g_autoptr (GdinoDetections) found = NULL;
    g_autoptr (GError) error = NULL;

    params.phrase_rules = rules;
    params.n_phrase_rules = 5;
    found = gdino_detector_detect (detector, canvas, 64 * 3, &letterbox, prompt,
        &params, NULL, NULL);
    g_assert_cmpuint (gdino_detections_get_n (found), ==, 1);
    g_assert_cmpstr (gdino_detections_get_label (found, 0), ==, "blue");
    params.n_phrase_rules = 4;
    g_assert_null (gdino_detector_detect (detector, canvas, 64 * 3, &letterbox,
            prompt, &params, NULL, &error));
    g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT);
    g_assert_nonnull (strstr (error->message, "rules for 4 phrases, wanted 5"));
  }

  /* Several frames, each with a prompt of its own. */
  if (batch > 1) {
    g_autoptr (GdinoPrompt) one =
        gdino_detector_make_prompt (detector, "blue.", NULL);
    g_autoptr (GdinoPrompt) none =
        gdino_detector_make_prompt (detector, "", NULL);
    GdinoPrompt *const pairs[][2] = {
      {prompt, one}, {one, prompt}, {prompt, prompt}, {none, prompt}
    };

    params.phrase_rules = NULL;
    for (guint i = 0; i < G_N_ELEMENTS (pairs); i++) {
      GdinoDetections *found[2];
      const GdinoFrame frames[] = {
        {canvas, 64 * 3, &letterbox, pairs[i][0]},
        {canvas, 64 * 3, &letterbox, pairs[i][1]},
      };

      g_assert_true (gdino_detector_detect_batch (detector, frames, 2, &params,
              found, NULL, NULL));
      for (guint j = 0; j < 2; j++) {
        g_assert_true (gdino_detections_get_prompt (found[j]) == pairs[i][j]);
        g_assert_cmpuint (gdino_detections_get_n (found[j]), ==,
            pairs[i][j] == prompt ? 2 : pairs[i][j] == one ? 1 : 0);
        gdino_detections_unref (found[j]);
      }
    }
  }

  /* A run that fails leaves nothing behind. */
  {
    g_autoptr (GError) error = NULL;

    params.phrase_rules = NULL;
    gdino_fake_set (fail_runs, 1);
    g_assert_null (gdino_detector_detect (detector, canvas, 64 * 3, &letterbox,
            prompt, &params, NULL, &error));
    g_assert_error (error, GDINO_ERROR, GDINO_ERROR_GRAPH);
  }
  gdino_fake_package_remove (path);
}

/* Even when others have pushed them out of what the engine remembers. */
static void
test_texts_are_held (void)
{
  static const GdinoFakeOptions options = {
    .width = 32,
    .height = 32,
    .text_tokens = 8,
    .queries = 4
  };
  g_autofree char *path = gdino_fake_package_new (NULL, &options);
  g_autoptr (GdinoPackage) package = gdino_package_open (path, NULL);
  g_autoptr (GdinoEngine) engine = gdino_engine_get (package, "auto", NULL);
  g_autoptr (GdinoDetector) detector = gdino_detector_new (engine);
  g_autoptr (GdinoDetector) other = gdino_detector_new (engine);
  g_autoptr (GdinoPrompt) prompt = NULL;
  g_autofree guint8 *canvas = g_malloc0 (32 * 32 * 3);
  GdinoLetterbox letterbox;
  GdinoDecodeParams params;

  g_assert_true (gdino_letterbox_init (&letterbox, 32, 32, 1, 1, 32, 32, NULL));
  gdino_decode_params_init (&params);
  prompt = gdino_detector_make_prompt_split (detector,
      "red. green. blue. white. black. yellow.", GDINO_PROMPT_MAX_PASSES, NULL);
  g_assert_cmpuint (gdino_prompt_get_n_passes (prompt), ==, 2);
  gdino_detections_unref (gdino_detector_detect (detector, canvas, 32 * 3,
          &letterbox, prompt, &params, NULL, NULL));
  g_assert_cmpuint (gdino_engine_get_text_runs (engine), ==, 2);
  for (guint i = 0; i < 200; i++) {
    g_autofree char *text = g_strdup_printf ("%c%c.", 'a' + i / 26,
        'a' + i % 26);
    g_autoptr (GdinoPrompt) one =
        gdino_detector_make_prompt (other, text, NULL);

    gdino_detections_unref (gdino_detector_detect (other, canvas, 32 * 3,
            &letterbox, one, &params, NULL, NULL));
  }
  g_assert_cmpuint (gdino_engine_get_text_runs (engine), ==, 202);
  gdino_detections_unref (gdino_detector_detect (detector, canvas, 32 * 3,
          &letterbox, prompt, &params, NULL, NULL));
  g_assert_cmpuint (gdino_engine_get_text_runs (engine), ==, 202);
  gdino_fake_package_remove (path);
}

/* Two detectors with as many passes as there may be take turns: together more
 * texts than the engine remembers, but each still runs once. */
static void
test_most_passes (void)
{
  static const GdinoFakeOptions options = {
    .width = 32,
    .height = 32,
    .text_tokens = 6,
    .queries = 4
  };
  static const char *const words[] =
      { "car", "cat", "dog", "ball", "box", "person", "remote", "flag" };
  const guint n = GDINO_PROMPT_MAX_PASSES;
  g_autofree char *path = gdino_fake_package_new (NULL, &options);
  g_autoptr (GdinoPackage) package = gdino_package_open (path, NULL);
  g_autoptr (GdinoEngine) engine = gdino_engine_get (package, "auto", NULL);
  g_autofree guint8 *canvas = g_malloc (32 * 32 * 3);
  GdinoDetector *detectors[2];
  GdinoPrompt *prompts[2];
  GdinoLetterbox letterbox;
  GdinoDecodeParams params;

  memset (canvas, 110, 32 * 32 * 3);
  for (guint y = 8; y < 24; y++)
    for (guint x = 8; x < 24; x++) {
      canvas[(y * 32 + x) * 3] = 230;   /* red */
      canvas[(y * 32 + x) * 3 + 1] = canvas[(y * 32 + x) * 3 + 2] = 20;
    }
  g_assert_true (gdino_letterbox_init (&letterbox, 32, 32, 1, 1, 32, 32, NULL));
  gdino_decode_params_init (&params);

  /* Three words are a pass; what is there stands in the first and the last. */
  for (guint d = 0; d < 2; d++) {
    g_autoptr (GString) text = g_string_new (NULL);

    for (guint i = 0; i < n; i++)
      g_string_append_printf (text, "%s %s %s. ",
          i == 0 || i == n - 1 ? "red" : d == 0 ? "big" : "control",
          words[(i / 8 + d) % 8], words[i % 8]);
    detectors[d] = gdino_detector_new (engine);
    prompts[d] = gdino_detector_make_prompt_split (detectors[d], text->str, n,
        NULL);
    g_assert_cmpuint (gdino_prompt_get_n_phrases (prompts[d]), ==, n);
    g_assert_cmpuint (gdino_prompt_get_n_passes (prompts[d]), ==, n);
  }

  for (guint i = 0; i < 6; i++) {
    g_autoptr (GdinoDetections) found = gdino_detector_detect (detectors[i % 2],
        canvas, 32 * 3, &letterbox, prompts[i % 2], &params, NULL, NULL);

    g_assert_nonnull (found);
    g_assert_cmpuint (gdino_detections_get_n (found), ==, 2);
    g_assert_cmpuint (gdino_detections_get (found, 0)->phrase
        + gdino_detections_get (found, 1)->phrase, ==, n - 1);
    g_assert_cmpuint (gdino_engine_get_text_runs (engine), ==,
        i == 0 ? n : 2 * n);
  }
  for (guint d = 0; d < 2; d++) {
    gdino_prompt_unref (prompts[d]);
    gdino_detector_unref (detectors[d]);
  }
  gdino_fake_package_remove (path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gdino_fake_use_torch ();
  g_test_add_func ("/passes/one-is-enough", test_one_is_enough);
  g_test_add_func ("/passes/contexts", test_contexts);
  g_test_add_func ("/passes/left-out", test_left_out);
  g_test_add_func ("/passes/many-names", test_many_names);
  g_test_add_data_func ("/passes/detector", GINT_TO_POINTER (1), test_detector);
  g_test_add_data_func ("/passes/detector-of-batches", GINT_TO_POINTER (2),
      test_detector);
  g_test_add_func ("/passes/texts-are-held", test_texts_are_held);
  g_test_add_func ("/passes/most-passes", test_most_passes);
  return g_test_run ();
}
