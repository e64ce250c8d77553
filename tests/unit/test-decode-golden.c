/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Whole frames against an independent decoder: tests/data/decode-cases.json and
 * decode-split-cases.json (several passes, rules of phrases), made by
 * generate-decode-cases.py beside them. */

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "decode.h"

static const char vocabulary[] =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n.\n?\ncat\ndog\nred\ncar\na\nbig\n"
    "ball\nbox\nflag\n";

static float
get_float (JsonArray * array, guint index)
{
  JsonNode *node = json_array_get_element (array, index);

  if (json_node_get_value_type (node) == G_TYPE_STRING)
    return (float) g_ascii_strtod (json_node_get_string (node), NULL);
  return (float) json_node_get_double (node);
}

/* Rows of @columns numbers to one block. Returns: (transfer full) */
static float *
read_matrix (JsonObject * test, const char *name, guint columns, guint * rows)
{
  JsonArray *array = json_object_get_array_member (test, name);
  float *matrix;

  *rows = json_array_get_length (array);
  matrix = g_new (float, (gsize) * rows * columns);
  for (guint r = 0; r < *rows; r++) {
    JsonArray *row = json_array_get_array_element (array, r);

    g_assert_cmpuint (json_array_get_length (row), ==, columns);
    for (guint c = 0; c < columns; c++)
      matrix[r * columns + c] = get_float (row, c);
  }
  return matrix;
}

static void
read_params (JsonObject * object, GdinoDecodeParams * params)
{
  const char *nms = json_object_get_string_member (object, "nms");

  params->box_threshold =
      (float) json_object_get_double_member (object, "box_threshold");
  params->text_threshold =
      (float) json_object_get_double_member (object, "text_threshold");
  params->iou_threshold =
      (float) json_object_get_double_member (object, "iou_threshold");
  params->size_threshold =
      (float) json_object_get_double_member (object, "size_threshold");
  params->nms = g_str_equal (nms, "off") ? GDINO_NMS_OFF
      : g_str_equal (nms, "all") ? GDINO_NMS_ALL : GDINO_NMS_PHRASE;
  params->scoring =
      g_str_equal (json_object_get_string_member (object, "scoring"), "mean")
      ? GDINO_SCORING_MEAN : GDINO_SCORING_MAX;
  params->max_detections =
      (guint) json_object_get_int_member (object, "max_detections");
}

/* (transfer full) (nullable): of [threshold, group] of each phrase */
static GdinoPhraseRule *
read_rules (JsonObject * object, GdinoDecodeParams * params)
{
  GdinoPhraseRule *rules;
  JsonArray *array;

  if (!json_object_has_member (object, "rules"))
    return NULL;
  array = json_object_get_array_member (object, "rules");
  params->n_phrase_rules = json_array_get_length (array);
  rules = g_new (GdinoPhraseRule, params->n_phrase_rules);
  for (guint p = 0; p < params->n_phrase_rules; p++) {
    JsonArray *rule = json_array_get_array_element (array, p);

    rules[p].threshold = (float) json_array_get_double_element (rule, 0);
    rules[p].group = (guint) json_array_get_int_element (rule, 1);
  }
  params->phrase_rules = rules;
  return rules;
}

/* Phrases of each pass. Returns: their number, 1 where it is not said */
static guint
count_passes (JsonObject * test)
{
  return json_object_has_member (test, "passes") ?
      json_array_get_length (json_object_get_array_member (test, "passes")) : 1;
}

static void
check_passes (JsonObject * test, GdinoPrompt * prompt)
{
  const guint n = count_passes (test);
  guint offset = 0;

  g_assert_cmpuint (gdino_prompt_get_n_passes (prompt), ==, n);
  for (guint i = 0; n > 1 && i < n; i++) {
    g_assert_cmpuint (gdino_prompt_get_pass_offset (prompt, i), ==, offset);
    offset += (guint) json_array_get_int_element (json_object_get_array_member
        (test, "passes"), i);
  }
}

static GdinoPrompt *
make_prompt (JsonObject * test)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoTokenizer) tokenizer =
      gdino_tokenizer_new_from_data (vocabulary, strlen (vocabulary), &error);
  JsonArray *spans = json_object_get_array_member (test, "spans");
  GdinoPrompt *prompt;

  g_assert_no_error (error);
  prompt = gdino_prompt_new_split (tokenizer,
      json_object_get_string_member (test, "prompt"),
      (guint) json_object_get_int_member (test, "tokens"),
      count_passes (test), &error);
  g_assert_no_error (error);
  check_passes (test, prompt);
  g_assert_cmpuint (gdino_prompt_get_n_phrases (prompt), ==,
      json_array_get_length (spans));
  for (guint p = 0; p < json_array_get_length (spans); p++) {
    JsonArray *span = json_array_get_array_element (spans, p);
    const GdinoPhrase *phrase = gdino_prompt_get_phrase (prompt, p);

    g_assert_cmpint (phrase->token_start, ==,
        json_array_get_int_element (span, 0));
    g_assert_cmpint (phrase->token_end, ==,
        json_array_get_int_element (span, 1));
  }
  return prompt;
}

static void
compare_box (const GdinoDetection * got, JsonObject * wanted)
{
  JsonArray *box = json_object_get_array_member (wanted, "box");
  JsonArray *classes = json_object_get_array_member (wanted, "classes");

  g_assert_cmpint (got->query, ==, json_object_get_int_member (wanted,
          "query"));
  g_assert_cmpint (got->x, ==, json_array_get_int_element (box, 0));
  g_assert_cmpint (got->y, ==, json_array_get_int_element (box, 1));
  g_assert_cmpint (got->width, ==, json_array_get_int_element (box, 2));
  g_assert_cmpint (got->height, ==, json_array_get_int_element (box, 3));
  g_assert_cmpuint (got->n_classes, ==, json_array_get_length (classes));
  for (guint c = 0; c < got->n_classes; c++) {
    JsonArray *pair = json_array_get_array_element (classes, c);

    g_assert_cmpint (got->classes[c].phrase, ==,
        json_array_get_int_element (pair, 0));
    g_assert_cmpfloat_with_epsilon (got->classes[c].score,
        json_array_get_double_element (pair, 1), 1e-6);
  }
  g_assert_cmpuint (got->phrase, ==, got->classes[0].phrase);
  g_assert_cmpfloat (got->score, ==, got->classes[0].score);
}

static void
compare_stats (const GdinoDecodeStats * got, JsonObject * wanted)
{
  g_assert_cmpint (got->n_invalid, ==, json_object_get_int_member (wanted,
          "invalid"));
  g_assert_cmpint (got->n_below, ==, json_object_get_int_member (wanted,
          "below"));
  g_assert_cmpint (got->n_outside, ==, json_object_get_int_member (wanted,
          "outside"));
  g_assert_cmpint (got->n_size, ==, json_object_get_int_member (wanted,
          "size"));
  g_assert_cmpint (got->n_suppressed, ==, json_object_get_int_member (wanted,
          "suppressed"));
  g_assert_cmpint (got->n_cut, ==, json_object_get_int_member (wanted, "cut"));
  g_assert_cmpfloat_with_epsilon (got->best_score,
      json_object_get_double_member (wanted, "best_score"), 1e-6);
}

/* Pass by pass, in memory that is gone by the next. */
static GdinoDetections *
decode (const float *logits, const float *boxes, guint n_rows,
    GdinoPrompt * prompt, const GdinoLetterbox * letterbox,
    const GdinoDecodeParams * params)
{
  const guint n_passes = gdino_prompt_get_n_passes (prompt);
  const guint n = n_rows / n_passes;
  const gsize n_logits = (gsize) n * gdino_prompt_get_n_tokens (prompt);
  GdinoDecoder *decoder;

  if (n_passes == 1)
    return gdino_decode (logits, boxes, n, prompt, letterbox, params);
  decoder = gdino_decoder_new (prompt, letterbox, params);
  for (guint i = 0; i < n_passes; i++) {
    g_autofree float *some_logits =
        g_memdup2 (logits + i * n_logits, n_logits * sizeof (float));
    g_autofree float *some_boxes =
        g_memdup2 (boxes + (gsize) i * n * 4, (gsize) n * 4 * sizeof (float));

    gdino_decoder_add (decoder, some_logits, some_boxes, n);
  }
  return gdino_decoder_finish (decoder);
}

static void
test_case (gconstpointer data)
{
  JsonObject *test = (JsonObject *) data;
  JsonArray *frame = json_object_get_array_member (test, "frame");
  JsonArray *canvas = json_object_get_array_member (test, "canvas");
  JsonArray *expected = json_object_get_array_member (test, "expected");
  g_autoptr (GdinoPrompt) prompt = make_prompt (test);
  g_autoptr (GdinoDetections) found = NULL;
  g_autofree float *logits = NULL;
  g_autofree float *boxes = NULL;
  g_autofree GdinoPhraseRule *rules = NULL;
  GdinoDecodeParams params = { 0 };
  GdinoLetterbox letterbox;
  guint n_queries, n_boxes;

  logits = read_matrix (test, "logits", gdino_prompt_get_n_tokens (prompt),
      &n_queries);
  boxes = read_matrix (test, "boxes", 4, &n_boxes);
  g_assert_cmpuint (n_queries, ==, n_boxes);
  read_params (json_object_get_object_member (test, "params"), &params);
  rules = read_rules (json_object_get_object_member (test, "params"), &params);
  g_assert_true (gdino_decode_params_check (&params, NULL));
  g_assert_true (gdino_letterbox_init (&letterbox,
          (guint) json_array_get_int_element (frame, 0),
          (guint) json_array_get_int_element (frame, 1), 1, 1,
          (guint) json_array_get_int_element (canvas, 0),
          (guint) json_array_get_int_element (canvas, 1), NULL));

  found = decode (logits, boxes, n_queries, prompt, &letterbox, &params);
  g_assert_cmpuint (gdino_detections_get_n (found), ==,
      json_array_get_length (expected));
  for (guint i = 0; i < gdino_detections_get_n (found); i++)
    compare_box (gdino_detections_get (found, i),
        json_array_get_object_element (expected, i));
  compare_stats (gdino_detections_get_stats (found),
      json_object_get_object_member (test, "stats"));
}

/* Returns: (transfer full): keep it for as long as tests run */
static JsonParser *
add_cases (const char *file, guint least)
{
  const char *source = g_getenv ("GDINO_SOURCE_DIR");
  g_autofree char *path = g_build_filename (source != NULL ? source : ".",
      "tests", "data", file, NULL);
  JsonParser *parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  JsonArray *cases;

  if (!json_parser_load_from_file (parser, path, &error))
    g_error ("%s: %s", path, error->message);
  cases = json_node_get_array (json_parser_get_root (parser));
  g_assert_cmpuint (json_array_get_length (cases), >=, least);
  for (guint i = 0; i < json_array_get_length (cases); i++) {
    JsonObject *test = json_array_get_object_element (cases, i);
    g_autofree char *name = g_strdup_printf ("/decode-golden/%s",
        json_object_get_string_member (test, "name"));

    g_test_add_data_func (name, test, test_case);
  }
  return parser;
}

int
main (int argc, char **argv)
{
  g_autoptr (JsonParser) one_pass = NULL;
  g_autoptr (JsonParser) split = NULL;

  g_test_init (&argc, &argv, NULL);
  one_pass = add_cases ("decode-cases.json", 10);
  split = add_cases ("decode-split-cases.json", 8);
  return g_test_run ();
}
