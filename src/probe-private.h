/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The inside of a probe, for probe.c and probe-run.c alone. */
#pragma once

#include <gdino/probe.h>
#include <gdino/prompt.h>
#include <glib.h>

G_BEGIN_DECLS

#define GDINO_PROBE_MAX_BYTES (1024 * 1024)
#define GDINO_PROBE_MAX_DETECTIONS 64

struct _GdinoProbe
{
  GdinoPrompt *prompt;
  double score, box, share;     /* tolerances */
  guint n_detections;
  GdinoProbeDetection detections[GDINO_PROBE_MAX_DETECTIONS];
  guint phrases[GDINO_PROBE_MAX_DETECTIONS];    /* index of each one's phrase */
};

/* Reads @length bytes of JSON. @tokenizer and @n_tokens: of the package.
 * Returns: (transfer full) (nullable): NULL with GDINO_ERROR_CORRUPT or
 *   GDINO_ERROR_INCOMPATIBLE. Thread-safety: Safe. */
GdinoProbe *gdino_probe_parse (const char *data, gsize length,
    GdinoTokenizer * tokenizer, guint n_tokens, GError ** error);

/* Judges the @queries rows of one picture and adds what it finds to @report,
 * whose @passed is left alone. @logits: Q x T, @boxes: Q x 4. */
void gdino_probe_judge (const GdinoProbe * self, const float *logits,
    const float *boxes, guint n_queries, GdinoProbeReport * report);

G_END_DECLS
