/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Any logits and boxes, any thresholds, frame and canvas: what comes out must
 * lie in the frame, be sorted, and account for every row.
 * Input: a header, then floats taken as they are, NaN and infinities too. */

#include <glib.h>
#include <stdint.h>
#include <string.h>

#include "decode.h"

#define T 12
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
} Header;

static GdinoPrompt *
make_prompt (void)
{
  g_autoptr (GdinoTokenizer) tokenizer =
      gdino_tokenizer_new_from_data (vocabulary, strlen (vocabulary), NULL);
  GdinoPrompt *prompt = gdino_prompt_new (tokenizer, "red car. dog. car?", T,
      NULL);

  CHECK (prompt != NULL && gdino_prompt_get_n_phrases (prompt) == 3);
  return prompt;
}

static void
check_box (const GdinoDetection * box, const GdinoDecodeParams * params,
    const GdinoLetterbox * letterbox)
{
  CHECK (box->width >= 1 && box->height >= 1 && box->x >= 0 && box->y >= 0);
  CHECK ((guint) (box->x + box->width) <= letterbox->frame_width);
  CHECK ((guint) (box->y + box->height) <= letterbox->frame_height);
  CHECK (box->score > params->box_threshold && box->score <= 1);
  CHECK (box->n_classes >= 1 && box->n_classes <= 3);
  CHECK (box->classes[0].phrase == box->phrase);
  for (guint c = 1; c < box->n_classes; c++) {
    CHECK (box->classes[c].phrase < 3);
    CHECK (box->classes[c].score > params->text_threshold);
    CHECK (box->classes[c].score <= box->classes[c - 1].score);
  }
}

static void
check_result (GdinoDetections * found, guint n_queries,
    const GdinoDecodeParams * params, const GdinoLetterbox * letterbox)
{
  const GdinoDecodeStats *stats = gdino_detections_get_stats (found);
  guint n = gdino_detections_get_n (found);

  CHECK (stats->n_queries == n_queries && n <= params->max_detections);
  CHECK (stats->n_invalid + stats->n_below + stats->n_size + stats->n_outside
      + stats->n_suppressed + stats->n_cut + n == n_queries);
  CHECK (stats->best_score >= 0 && stats->best_score <= 1);
  for (guint i = 0; i < n; i++) {
    const GdinoDetection *box = gdino_detections_get (found, i);

    check_box (box, params, letterbox);
    CHECK (box->query < n_queries && box->score <= stats->best_score);
    CHECK (i == 0 || box->score <= gdino_detections_get (found, i - 1)->score);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  const gsize row = (T + 4) * sizeof (float);
  g_autoptr (GdinoPrompt) prompt = NULL;
  g_autoptr (GdinoDetections) found = NULL;
  g_autofree float *logits = NULL;
  g_autofree float *boxes = NULL;
  GdinoDecodeParams params;
  GdinoLetterbox letterbox;
  Header header;
  guint n_queries;

  if (size < sizeof header)
    return 0;
  memcpy (&header, data, sizeof header);
  data += sizeof header;
  n_queries = (guint) ((size - sizeof header) / row);

  gdino_decode_params_init (&params);
  params.box_threshold = header.thresholds[0];
  params.text_threshold = header.thresholds[1];
  params.iou_threshold = header.thresholds[2];
  params.size_threshold = header.thresholds[3];
  params.nms = (GdinoNms) header.nms;
  params.scoring = (GdinoScoring) header.scoring;
  params.max_detections = header.max_detections;
  if (!gdino_decode_params_check (&params, NULL)
      || !gdino_letterbox_init (&letterbox, header.frame[0], header.frame[1],
          header.par[0], header.par[1], header.canvas[0], header.canvas[1],
          NULL))
    return 0;

  /* Blocks of the exact size, so that a sanitizer sees a step beyond. */
  logits = g_memdup2 (data, n_queries * T * sizeof (float));
  boxes = g_memdup2 (data + n_queries * T * sizeof (float),
      n_queries * 4 * sizeof (float));
  prompt = make_prompt ();
  found = gdino_decode (logits, boxes, n_queries, prompt, &letterbox, &params);
  check_result (found, n_queries, &params, &letterbox);
  return 0;
}
