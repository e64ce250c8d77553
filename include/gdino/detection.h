/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What was found in one frame, and how it is decided. */
#pragma once

#include <gdino/export.h>
#include <gdino/prompt.h>
#include <glib.h>

G_BEGIN_DECLS

/**
 * GdinoNms:
 * @GDINO_NMS_OFF: keep every box
 * @GDINO_NMS_PHRASE: boxes of the same phrase suppress each other
 * @GDINO_NMS_ALL: boxes suppress each other whatever their phrase
 */
typedef enum
{
  GDINO_NMS_OFF,
  GDINO_NMS_PHRASE,
  GDINO_NMS_ALL
} GdinoNms;

/**
 * GdinoScoring:
 * @GDINO_SCORING_MAX: a phrase scores as its best token
 * @GDINO_SCORING_MEAN: a phrase scores as the mean of its tokens
 */
typedef enum
{
  GDINO_SCORING_MAX,
  GDINO_SCORING_MEAN
} GdinoScoring;

/**
 * GdinoPhraseRule:
 * @threshold: 0..1, for this phrase in place of the box threshold and the text
 *   threshold; below 0 it has none of its own
 * @group: phrases of one group count as one for %GDINO_NMS_PHRASE
 *
 * What is special about one phrase. Plain data.
 */
typedef struct
{
  float threshold;
  guint group;
} GdinoPhraseRule;

/**
 * GdinoDecodeParams:
 * @box_threshold: a query is reported when its best phrase scores above this, 0..1
 * @text_threshold: further phrases of the same query above this are attached, 0..1
 * @iou_threshold: overlap above which the lower-scored box goes, 0..1
 * @size_threshold: boxes covering more than this fraction of the frame are
 *   dropped, 0..1; 1 keeps all
 * @nms: which boxes suppress each other
 * @scoring: from tokens to phrase
 * @max_detections: most boxes reported, best first; at least 1
 * @n_phrase_rules: length of @phrase_rules
 * @phrase_rules: (nullable) (array length=n_phrase_rules): one for each phrase of
 *   the prompt, borrowed; without them each phrase is a group of its own
 *
 * Rules are for C: other languages could not keep borrowed memory alive. With
 * rules a query is reported when a phrase scores above its own threshold, or
 * above the box threshold where it has none; it gets the best of those phrases.
 * Comparisons with a threshold are strict. Fill with gdino_decode_params_init()
 * first. Plain data.
 */
typedef struct
{
  float box_threshold;
  float text_threshold;
  float iou_threshold;
  float size_threshold;
  GdinoNms nms;
  GdinoScoring scoring;
  guint max_detections;
  /*< private >*/
  guint n_phrase_rules;
  const GdinoPhraseRule *phrase_rules;
} GdinoDecodeParams;

/**
 * gdino_decode_params_init:
 *
 * Sets box 0.35, text 0.25, iou 0.7, size 1, NMS per phrase, max, 300, no
 *   rules
 */
GDINO_API void gdino_decode_params_init (GdinoDecodeParams * params);

/**
 * gdino_decode_params_check:
 *
 * Returns: %TRUE, or %FALSE with %GDINO_ERROR_INVALID_ARGUMENT naming the field
 *   (NaN included)
 */
GDINO_API gboolean gdino_decode_params_check (const GdinoDecodeParams * params,
    GError **error);

/**
 * GdinoClass:
 * @phrase: index into the prompt's phrases
 * @score: 0..1
 */
typedef struct
{
  guint phrase;
  float score;
} GdinoClass;

/**
 * GdinoDetection:
 * @x: left edge, whole frame pixels, within the frame
 * @y: top edge
 * @width: at least 1; x + width never passes the frame
 * @height: at least 1
 * @query: row of the graph's output it came from; of the run that had the text
 *   of @phrase, where a prompt takes several
 * @score: of the best phrase, 0..1
 * @phrase: index of the best phrase in the prompt
 * @n_classes: number of @classes, at least 1
 * @classes: (array length=n_classes): phrases above the text threshold, best
 *   first; index 0 is the best phrase; owned by the #GdinoDetections
 */
typedef struct
{
  gint x;
  gint y;
  gint width;
  gint height;
  guint query;
  float score;
  guint phrase;
  guint n_classes;
  const GdinoClass *classes;
} GdinoDetection;

/**
 * GdinoDecodeStats:
 * @n_queries: rows looked at, of all runs that the prompt takes
 * @n_invalid: rows dropped because of NaN or a degenerate box
 * @n_below: rows without a phrase above its threshold
 * @n_size: rows dropped by the size threshold
 * @n_outside: rows whose box lies outside the frame or under one pixel
 * @n_suppressed: rows dropped by NMS
 * @n_cut: rows beyond max_detections
 * @best_score: best phrase score seen, whether reported or not; 0..1
 */
typedef struct
{
  guint n_queries;
  guint n_invalid;
  guint n_below;
  guint n_size;
  guint n_outside;
  guint n_suppressed;
  guint n_cut;
  float best_score;
} GdinoDecodeStats;

/**
 * GdinoDetections:
 *
 * The result of one frame: boxes, best score first, and the prompt they answer.
 * Immutable and reference counted. Thread-safety: Safe.
 */
typedef struct _GdinoDetections GdinoDetections;

GDINO_API GdinoDetections *gdino_detections_ref (GdinoDetections * self);
GDINO_API void gdino_detections_unref (GdinoDetections * self);

/**
 * gdino_detections_get_n:
 *
 * Returns: number of boxes, possibly 0
 */
GDINO_API guint gdino_detections_get_n (GdinoDetections * self);

/**
 * gdino_detections_get:
 *
 * Returns: (transfer none): box @index, below n
 */
GDINO_API const GdinoDetection *gdino_detections_get (GdinoDetections * self,
    guint index);

/**
 * gdino_detections_get_label:
 *
 * Returns: (transfer none): text of the best phrase of box @index, never empty
 */
GDINO_API const char *gdino_detections_get_label (GdinoDetections * self,
    guint index);

/**
 * gdino_detections_get_prompt:
 *
 * Returns: (transfer none): the prompt used
 */
GDINO_API GdinoPrompt *gdino_detections_get_prompt (GdinoDetections * self);

/**
 * gdino_detections_get_stats:
 *
 * Returns: (transfer none): what was dropped, and why
 */
GDINO_API const GdinoDecodeStats *gdino_detections_get_stats (GdinoDetections *
    self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GdinoDetections, gdino_detections_unref)

G_END_DECLS
