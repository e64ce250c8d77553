/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Whether a package still computes what its network computed. */
#pragma once

#include <gdino/engine.h>
#include <gdino/export.h>
#include <gdino/package.h>
#include <glib.h>

G_BEGIN_DECLS

/**
 * GdinoProbe:
 *
 * A picture and a prompt, and what the network found there before it was
 * compiled; docs/model-package.md defines all of it. Immutable.
 * Thread-safety: Safe; gdino_probe_free() comes last.
 *
 * |[<!-- language="C" -->
 * g_autoptr (GdinoProbe) probe = gdino_probe_new (package, &error);
 * GdinoProbeReport report;
 *
 * if (gdino_probe_run (probe, engine, &report, &error) && report.passed)
 *   g_print ("OK\n");
 * ]|
 */
typedef struct _GdinoProbe GdinoProbe;

/**
 * GdinoProbeDetection:
 * @phrase: of the prompt
 * @score: of that phrase, 0..1
 * @box: centre x, centre y, width and height in 0..1 of the canvas
 */
typedef struct
{
  const char *phrase;
  double score;
  double box[4];
} GdinoProbeDetection;

/**
 * GdinoProbeReport:
 * @passed: the package is as it should be
 * @n_pictures: pictures that were judged: B, all the same
 * @n_detections: what was looked for in each; 0 of a package without a probe
 * @n_needed: how many of them must be found
 * @n_found: how many were found, in the picture with the fewest
 * @score_difference: largest, of detections that were found
 * @box_difference: largest of any of the four numbers of their boxes
 * @missing: index of the strongest detection that was not found in some
 *   picture, or -1
 * @missing_score_difference: of the query that comes nearest to @missing
 * @missing_box_difference: likewise
 * @highest_score: of any phrase in any query
 * @highest_allowed: above this a query is one too many; 1 of a package without
 *   a probe
 * @n_invalid: numbers that are NaN; of a package without a probe also logits
 *   that are infinite and boxes outside 0..1
 *
 * Plain data.
 */
typedef struct
{
  gboolean passed;
  guint n_pictures;
  guint n_detections;
  guint n_needed;
  guint n_found;
  double score_difference;
  double box_difference;
  gint missing;
  double missing_score_difference;
  double missing_box_difference;
  double highest_score;
  double highest_allowed;
  guint n_invalid;
} GdinoProbeReport;

/**
 * gdino_probe_new: (skip)
 * @package: a package that has been checked
 * @error: return location for a #GError
 *
 * Reads the package's probe. A package without one gives a probe without
 * detections, with which gdino_probe_run() only sees whether the graphs run
 * and give numbers in range.
 *
 * Returns: (transfer full) (nullable): the probe, or %NULL with
 *   %GDINO_ERROR_NOT_FOUND, %GDINO_ERROR_CORRUPT or %GDINO_ERROR_INCOMPATIBLE
 *   (a kind of picture that this version of the library does not know)
 */
GDINO_API GdinoProbe *gdino_probe_new (GdinoPackage * package, GError **error);

/**
 * gdino_probe_free:
 * @self: (transfer full) (nullable): the object
 */
GDINO_API void gdino_probe_free (GdinoProbe * self);

/**
 * gdino_probe_get_prompt:
 *
 * Returns: (transfer none): text of the prompt
 */
GDINO_API const char *gdino_probe_get_prompt (GdinoProbe * self);

/**
 * gdino_probe_get_n_detections:
 *
 * Returns: 0 to 64; 0 of a package without a probe
 */
GDINO_API guint gdino_probe_get_n_detections (GdinoProbe * self);

/**
 * gdino_probe_get_detection:
 *
 * Returns: (transfer none): detection @index, below n_detections, strongest
 *   first
 */
GDINO_API const GdinoProbeDetection *gdino_probe_get_detection (GdinoProbe *
    self, guint index);

/**
 * gdino_probe_get_tolerance:
 * @score: (out): how far apart is still equal, and the part of the detections
 *   that must be found
 * @box: (out): how far apart is still equal, and the part of the detections
 *   that must be found
 * @share: (out): how far apart is still equal, and the part of the detections
 *   that must be found
 */
GDINO_API void gdino_probe_get_tolerance (GdinoProbe * self, double *score,
    double *box, double *share);

/**
 * gdino_probe_draw:
 * @canvas: (out caller-allocates) (array): @height rows of 3 x @width bytes, RGB
 * @width: 1 to 65536 pixels
 * @height: 1 to 65536 pixels
 *
 * Draws the picture "gradient-1".
 */
GDINO_API void gdino_probe_draw (guint8 * canvas, guint width, guint height);

/**
 * gdino_probe_run:
 * @engine: of the package that the probe was read from
 * @report: (out caller-allocates): what came of it; untouched on failure
 * @error: return location for a #GError
 *
 * Runs both graphs once and compares. Takes as long as a batch of frames.
 *
 * Returns: %TRUE when there is a report, which may say that the package did not
 *   pass; %FALSE with %GDINO_ERROR_GRAPH, or with %GDINO_ERROR_INVALID_ARGUMENT
 *   for the engine of a package with another number of text tokens
 */
GDINO_API gboolean gdino_probe_run (GdinoProbe * self, GdinoEngine * engine,
    GdinoProbeReport * report, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GdinoProbe, gdino_probe_free)

G_END_DECLS
