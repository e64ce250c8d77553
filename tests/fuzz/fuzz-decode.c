/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Any logits and boxes, any thresholds and rules, frame and canvas, in one pass
 * or several: what comes out must lie in the frame, be sorted, and account for
 * every row.
 * Input: a header, then floats taken as they are, NaN and infinities too. */

#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "decode.h"

#define N_PHRASES 3
#define CHECK(condition) \
  do { \
    if (!(condition)) \
      g_error ("%s does not hold", #condition); \
  } while (0)

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

static const char vocabulary[] =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n.\n?\nred\ncar\ndog\n";

typedef struct
{
  uint16_t frame[2];
  uint16_t canvas[2];
  uint8_t par[2];
  uint8_t nms;
  uint8_t scoring;
  float thresholds[4];
  uint32_t max_detections;
  uint8_t split;
  uint8_t with_rules;
  uint8_t groups[N_PHRASES];
  uint8_t unused[3];
  float own[N_PHRASES];         /* thresholds */
} Header;

/* "red car. dog. car?" in @n_passes of 1 to 3. */
static GdinoPrompt *
make_prompt (guint n_passes)
{
  static const guint n_tokens[] = { 12, 6, 5 };
  g_autoptr (GdinoTokenizer) tokenizer =
      gdino_tokenizer_new_from_data (vocabulary, strlen (vocabulary), NULL);
  GdinoPrompt *prompt = gdino_prompt_new_split (tokenizer,
      "red car. dog. car?", n_tokens[n_passes - 1], n_passes, NULL);

  CHECK (prompt != NULL);
  CHECK (gdino_prompt_get_n_phrases (prompt) == N_PHRASES);
  CHECK (gdino_prompt_get_n_passes (prompt) == n_passes);
  return prompt;
}

static float
limit_of (const GdinoDecodeParams * params, guint phrase, float without)
{
  const GdinoPhraseRule *rules = params->phrase_rules;

  return rules == NULL || rules[phrase].threshold < 0 ?
      without : rules[phrase].threshold;
}

static void
check_box (const GdinoDetection * box, const GdinoDecodeParams * params,
    const GdinoLetterbox * letterbox)
{
  CHECK (box->width >= 1 && box->height >= 1 && box->x >= 0 && box->y >= 0);
  CHECK ((guint) (box->x + box->width) <= letterbox->frame_width);
  CHECK ((guint) (box->y + box->height) <= letterbox->frame_height);
  CHECK (box->phrase < N_PHRASES && box->score <= 1);
  CHECK (box->score > limit_of (params, box->phrase, params->box_threshold));
  CHECK (box->n_classes >= 1 && box->n_classes <= N_PHRASES);
  CHECK (box->classes[0].phrase == box->phrase);
  CHECK (box->classes[0].score == box->score);
  for (guint c = 1; c < box->n_classes; c++) {
    const GdinoClass *other = &box->classes[c];

    CHECK (other->phrase < N_PHRASES && other->phrase != box->phrase);
    CHECK (other->score > limit_of (params, other->phrase,
            params->text_threshold));
    /* A phrase of a low threshold of its own may come first. */
    CHECK ((c == 1 && params->phrase_rules != NULL)
        || other->score <= box->classes[c - 1].score);
  }
}

static void
check_result (GdinoDetections * found, guint n_queries, guint n_passes,
    const GdinoDecodeParams * params, const GdinoLetterbox * letterbox)
{
  const GdinoDecodeStats *stats = gdino_detections_get_stats (found);
  guint n = gdino_detections_get_n (found);

  CHECK (stats->n_queries == n_queries * n_passes);
  CHECK (n <= params->max_detections);
  CHECK (stats->n_invalid + stats->n_below + stats->n_size + stats->n_outside
      + stats->n_suppressed + stats->n_cut + n == stats->n_queries);
  CHECK (stats->best_score >= 0 && stats->best_score <= 1);
  for (guint i = 0; i < n; i++) {
    const GdinoDetection *box = gdino_detections_get (found, i);

    check_box (box, params, letterbox);
    CHECK (box->query < n_queries && box->score <= stats->best_score);
    CHECK (i == 0 || box->score <= gdino_detections_get (found, i - 1)->score);
  }
}

/* In blocks of the exact size, so that a sanitizer sees a step beyond, each gone
 * before the next pass. */
static GdinoDetections *
decode (const uint8_t * data, guint n_queries, GdinoPrompt * prompt,
    const GdinoLetterbox * letterbox, const GdinoDecodeParams * params)
{
  const gsize n_logits =
      n_queries * gdino_prompt_get_n_tokens (prompt) * sizeof (float);
  const gsize n_boxes = n_queries * 4 * sizeof (float);
  GdinoDecoder *decoder = gdino_decoder_new (prompt, letterbox, params);

  for (guint i = 0; i < gdino_prompt_get_n_passes (prompt); i++) {
    g_autofree float *logits = g_memdup2 (data, n_logits);
    g_autofree float *boxes = g_memdup2 (data + n_logits, n_boxes);

    gdino_decoder_add (decoder, logits, boxes, n_queries);
    data += n_logits + n_boxes;
    /* Those of a single pass are borrowed to the end. */
    if (gdino_prompt_get_n_passes (prompt) == 1)
      return gdino_decoder_finish (decoder);
  }
  return gdino_decoder_finish (decoder);
}

/* FALSE for what callers must not pass. */
static gboolean
read_header (const Header * header, GdinoDecodeParams * params,
    GdinoPhraseRule rules[N_PHRASES], GdinoLetterbox * letterbox)
{
  gdino_decode_params_init (params);
  params->box_threshold = header->thresholds[0];
  params->text_threshold = header->thresholds[1];
  params->iou_threshold = header->thresholds[2];
  params->size_threshold = header->thresholds[3];
  params->nms = (GdinoNms) header->nms;
  params->scoring = (GdinoScoring) header->scoring;
  params->max_detections = header->max_detections;
  if (header->with_rules % 2 == 1) {
    for (guint p = 0; p < N_PHRASES; p++)
      rules[p] = (GdinoPhraseRule) {
      .threshold = header->own[p],.group = header->groups[p],};
    params->n_phrase_rules = N_PHRASES;
    params->phrase_rules = rules;
  }
  return gdino_decode_params_check (params, NULL)
      && gdino_letterbox_init (letterbox, header->frame[0], header->frame[1],
      header->par[0], header->par[1], header->canvas[0], header->canvas[1],
      NULL);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  g_autoptr (GdinoPrompt) prompt = NULL;
  g_autoptr (GdinoDetections) found = NULL;
  GdinoPhraseRule rules[N_PHRASES];
  GdinoDecodeParams params;
  GdinoLetterbox letterbox;
  Header header;
  guint n_passes, n_queries;
  gsize row;

  if (size < sizeof header)
    return 0;
  memcpy (&header, data, sizeof header);
  if (!read_header (&header, &params, rules, &letterbox))
    return 0;
  n_passes = header.split % 3 + 1;
  prompt = make_prompt (n_passes);
  row = (gdino_prompt_get_n_tokens (prompt) + 4) * sizeof (float);
  n_queries = (guint) ((size - sizeof header) / (row * n_passes));

  found = decode (data + sizeof header, n_queries, prompt, &letterbox, &params);
  check_result (found, n_queries, n_passes, &params, &letterbox);
  return 0;
}
