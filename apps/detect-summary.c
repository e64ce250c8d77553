/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "detect-summary.h"

typedef struct
{
  char *label;
  guint64 frames;               /* with at least one box */
  guint64 boxes;
  float best;
} Row;

struct _DetectSummary
{
  GPtrArray *rows;              /* in order of first mention */
  GHashTable *by_label;         /* borrowed label to borrowed row */
  guint64 frames;
  guint64 invalid;
  gint64 graph_us;
  gint64 text_us;
  float best_seen;
  guint64 last_revision;        /* of the prompt whose phrases are listed */
};

static void
free_row (gpointer data)
{
  Row *row = data;

  g_free (row->label);
  g_free (row);
}

DetectSummary *
detect_summary_new (void)
{
  DetectSummary *self = g_new0 (DetectSummary, 1);

  self->rows = g_ptr_array_new_with_free_func (free_row);
  self->by_label = g_hash_table_new (g_str_hash, g_str_equal);
  return self;
}

void
detect_summary_free (DetectSummary * self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->by_label);
  g_ptr_array_unref (self->rows);
  g_free (self);
}

static Row *
get_row (DetectSummary * self, const char *label)
{
  Row *row = g_hash_table_lookup (self->by_label, label);

  if (row == NULL) {
    row = g_new0 (Row, 1);
    row->label = g_strdup (label);
    g_ptr_array_add (self->rows, row);
    g_hash_table_insert (self->by_label, row->label, row);
  }
  return row;
}

/* Phrases count from when they are looked for, found or not. */
static void
list_phrases (DetectSummary * self, GdinoPrompt * prompt)
{
  if (gdino_prompt_get_revision (prompt) == self->last_revision)
    return;
  self->last_revision = gdino_prompt_get_revision (prompt);
  for (guint p = 0; p < gdino_prompt_get_n_phrases (prompt); p++)
    get_row (self, gdino_prompt_get_phrase (prompt, p)->text);
}

void
detect_summary_add (DetectSummary * self, GdinoDetections * found)
{
  const GdinoDecodeStats *stats = gdino_detections_get_stats (found);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  list_phrases (self, gdino_detections_get_prompt (found));
  for (guint i = 0; i < gdino_detections_get_n (found); i++) {
    Row *row = get_row (self, gdino_detections_get_label (found, i));

    row->boxes++;
    row->frames += g_hash_table_add (seen, row) ? 1 : 0;
    row->best = MAX (row->best, gdino_detections_get (found, i)->score);
  }
  self->frames++;
  self->invalid += stats->n_invalid;
  self->best_seen = MAX (self->best_seen, stats->best_score);
}

void
detect_summary_add_time (DetectSummary * self, const GdinoTimings * timings)
{
  self->graph_us += timings->graph_us;
  self->text_us += timings->text_us;
}

void
detect_summary_print (DetectSummary * self, FILE * stream,
    double box_threshold, double seconds)
{
  guint64 boxes = 0;

  fprintf (stream, "%8s %8s %8s  %s\n", "frames", "boxes", "best", "phrase");
  for (guint i = 0; i < self->rows->len; i++) {
    const Row *row = g_ptr_array_index (self->rows, i);

    boxes += row->boxes;
    if (row->boxes > 0)
      fprintf (stream, "%8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT
          " %8.2f  %s\n", row->frames, row->boxes, (double) row->best,
          row->label);
    else
      fprintf (stream, "%8d %8d %8s  %s\n", 0, 0, "-", row->label);
  }
  if (boxes == 0)
    fprintf (stream, "nothing found: the best score of any box was %.2f, "
        "--box-threshold is %.2f\n", (double) self->best_seen, box_threshold);
  if (self->invalid > 0)
    fprintf (stream, "%" G_GUINT64_FORMAT " boxes were dropped: the model gave "
        "values that are not numbers\n", self->invalid);
  if (self->frames > 0)
    fprintf (stream, "%" G_GUINT64_FORMAT " frames in %.1f s, %.1f frames/s; "
        "%.1f ms a frame in the model, %.1f ms in its text part\n",
        self->frames, seconds, seconds > 0 ? self->frames / seconds : 0,
        (double) self->graph_us / 1e3 / self->frames,
        (double) self->text_us / 1e3);
}
