/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The facade: a canvas and a prompt in, detections out. */
#pragma once

#include <gdino/detection.h>
#include <gdino/engine.h>
#include <gdino/export.h>
#include <gdino/letterbox.h>
#include <gdino/prompt.h>
#include <glib.h>

G_BEGIN_DECLS

/**
 * GdinoDetector:
 *
 * Finds what a prompt names. Owns the buffers of one stream.
 * Thread-safety: Unsafe; one thread at a time. Several detectors may share an
 * engine from several threads.
 *
 * |[<!-- language="C" -->
 * g_autoptr (GdinoPackage) package = gdino_package_open (folder, &error);
 * g_autoptr (GdinoEngine) engine = gdino_engine_get (package, "auto", &error);
 * g_autoptr (GdinoDetector) detector = gdino_detector_new (engine);
 * g_autoptr (GdinoPrompt) prompt =
 *     gdino_detector_make_prompt (detector, "a cat. red car.", &error);
 * g_autoptr (GdinoDetections) found = gdino_detector_detect (detector, canvas,
 *     stride, &letterbox, prompt, &params, NULL, &error);
 * ]|
 */
typedef struct _GdinoDetector GdinoDetector;

/**
 * GdinoTimings:
 * @text_us: microseconds in the text graph, 0 when every prompt was known
 * @graph_us: microseconds in the frame graph, one run for all frames of a batch,
 *   or more where prompts take several passes
 * @decode_us: microseconds from logits to boxes
 */
typedef struct
{
  gint64 text_us;
  gint64 graph_us;
  gint64 decode_us;
} GdinoTimings;

/**
 * GdinoFrame:
 * @canvas: (array): RGB bytes of the letterboxed frame, canvas height rows
 * @stride: bytes from one row to the next, at least 3 x canvas width
 * @letterbox: where the frame lies on the canvas
 * @prompt: what to look for in this frame
 *
 * One frame of a batch. Everything is borrowed for the time of a call.
 */
typedef struct
{
  const guint8 *canvas;
  gsize stride;
  const GdinoLetterbox *letterbox;
  GdinoPrompt *prompt;
} GdinoFrame;

/**
 * gdino_detector_new:
 * @engine: (transfer none): see below
 *
 * Returns: (transfer full): a detector
 */
GDINO_API GdinoDetector *gdino_detector_new (GdinoEngine * engine);

/**
 * gdino_detector_free: (skip)
 * @self: (transfer full) (nullable): the object
 *
 * The same as gdino_detector_unref().
 */
GDINO_API void gdino_detector_free (GdinoDetector * self);

GDINO_API GdinoDetector *gdino_detector_ref (GdinoDetector * self);

/**
 * gdino_detector_unref:
 * @self: (transfer full) (nullable): the object
 *
 * The last reference may be dropped by any thread.
 */
GDINO_API void gdino_detector_unref (GdinoDetector * self);

/**
 * gdino_detector_get_engine:
 *
 * Returns: (transfer none): its engine
 */
GDINO_API GdinoEngine *gdino_detector_get_engine (GdinoDetector * self);

/**
 * gdino_detector_make_prompt:
 *
 * gdino_prompt_new() with the package's vocabulary and token count. May be
 * called from any thread.
 */
GDINO_API GdinoPrompt *gdino_detector_make_prompt (GdinoDetector * self,
    const char *text, GError **error);

/**
 * gdino_detector_make_prompt_split:
 *
 * gdino_prompt_new_split() with the package's vocabulary and token count. May be
 * called from any thread.
 */
GDINO_API GdinoPrompt *gdino_detector_make_prompt_split (GdinoDetector * self,
    const char *text, guint max_passes, GError **error);

/**
 * gdino_detector_detect: (skip)
 * @canvas: (array): RGB bytes of the letterboxed frame, canvas height rows
 * @stride: bytes from one row to the next, at least 3 x canvas width
 * @letterbox: where the frame lies on the canvas
 * @prompt: what to look for; an empty prompt finds nothing and runs nothing
 * @params: thresholds and NMS
 * @timings: (out) (nullable): where the time went; untouched on failure
 * @error: return location for a #GError
 *
 * Runs the text graph when the engine has not met the prompt's tokens lately,
 * then the frame graph; both once for each pass of the prompt, and what is found
 * is put together before NMS. Of a package for B > 1 frames a run this fills one slot
 * and pays for all: see gdino_detector_detect_batch().
 *
 * Returns: (transfer full) (nullable): detections in frame pixels, or %NULL
 *   with %GDINO_ERROR_GRAPH, %GDINO_ERROR_MEMORY or
 *   %GDINO_ERROR_INVALID_ARGUMENT (a letterbox or prompt made for another
 *   canvas or token count, parameters out of range, rules for another number
 *   of phrases)
 */
GDINO_API GdinoDetections *gdino_detector_detect (GdinoDetector * self,
    const guint8 * canvas, gsize stride, const GdinoLetterbox * letterbox,
    GdinoPrompt * prompt, const GdinoDecodeParams * params,
    GdinoTimings * timings, GError **error);

/**
 * gdino_detector_detect_bytes:
 * @canvas: RGB bytes of the letterboxed frame, @stride times canvas height
 * @stride: bytes from one row to the next, at least 3 x canvas width
 * @letterbox: where the frame lies on the canvas
 * @prompt: what to look for
 * @params: thresholds and NMS
 * @timings: (out) (optional): where the time went; untouched on failure
 * @error: return location for a #GError
 *
 * gdino_detector_detect() with bytes that know their length, which is checked.
 *
 * Returns: (transfer full): as gdino_detector_detect(), and %NULL with
 *   %GDINO_ERROR_INVALID_ARGUMENT for too few bytes
 */
GDINO_API GdinoDetections *gdino_detector_detect_bytes (GdinoDetector * self,
    GBytes * canvas, gsize stride, const GdinoLetterbox * letterbox,
    GdinoPrompt * prompt, const GdinoDecodeParams * params,
    GdinoTimings * timings, GError **error);

/**
 * gdino_detector_detect_batch: (skip)
 * @frames: (array length=n_frames): frames, each with a prompt of its own or
 *   all with one
 * @n_frames: 1 to B, see gdino_package_get_batch()
 * @params: thresholds and NMS of all of them
 * @found: (out caller-allocates) (array length=n_frames) (element-type GdinoDetections) (transfer full):
 *   detections in pixels of each frame, in the order of @frames; untouched on
 *   failure
 * @timings: (out) (nullable): of all frames together; untouched on failure
 * @error: return location for a #GError
 *
 * gdino_detector_detect() of up to B frames in one run of the frame graph,
 * which takes as long for one as for B; in more runs where prompts take several
 * passes. Frames with an empty prompt find
 * nothing and take no part in the run; when all are empty, nothing is run.
 *
 * Returns: %TRUE, or %FALSE with an error of gdino_detector_detect(), or with
 *   %GDINO_ERROR_INVALID_ARGUMENT for another number of frames
 */
GDINO_API gboolean gdino_detector_detect_batch (GdinoDetector * self,
    const GdinoFrame * frames, guint n_frames,
    const GdinoDecodeParams * params, GdinoDetections ** found,
    GdinoTimings * timings, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GdinoDetector, gdino_detector_free)

G_END_DECLS
