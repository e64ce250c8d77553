/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Where a frame lies on the canvas, and back. */
#pragma once

#include <gdino/export.h>
#include <glib.h>

G_BEGIN_DECLS

/**
 * GdinoLetterbox:
 * @canvas_width: canvas size in pixels
 * @canvas_height: canvas size in pixels
 * @frame_width: frame size in pixels
 * @frame_height: frame size in pixels
 * @x: left edge of the picture on the canvas
 * @y: top edge of the picture on the canvas
 * @width: width of the picture on the canvas, at least 1
 * @height: height of the picture on the canvas, at least 1
 *
 * The frame keeps its shape and is centred; the rest of the canvas is filled
 * with the package's pad colour. Plain data. Thread-safety: Safe.
 */
typedef struct
{
  guint canvas_width;
  guint canvas_height;
  guint frame_width;
  guint frame_height;
  guint x;
  guint y;
  guint width;
  guint height;
} GdinoLetterbox;

/**
 * gdino_letterbox_init:
 * @self: geometry to fill in; untouched on failure
 * @frame_width: 1 to 65536 pixels
 * @frame_height: 1 to 65536 pixels
 * @par_n: numerator of the pixel aspect ratio, 1 for square pixels
 * @par_d: denominator of the pixel aspect ratio
 * @canvas_width: 1 to 65536 pixels
 * @canvas_height: 1 to 65536 pixels
 * @error: return location for a #GError
 *
 * Returns: %TRUE, or %FALSE with %GDINO_ERROR_INVALID_ARGUMENT
 */
GDINO_API gboolean gdino_letterbox_init (GdinoLetterbox * self,
    guint frame_width, guint frame_height, guint par_n, guint par_d,
    guint canvas_width, guint canvas_height, GError **error);

/**
 * gdino_letterbox_to_frame:
 * @cx: centre of a box, 0..1 of the canvas width
 * @cy: centre of a box, 0..1 of the canvas height
 * @w: width of a box, 0..1 of the canvas width
 * @h: height of a box, 0..1 of the canvas height
 * @box: (out) (array fixed-size=4): x0, y0, x1, y1 in frame pixels, neither
 *   clipped nor rounded
 *
 * Takes the pad off, then undoes the scale of each axis.
 */
GDINO_API void gdino_letterbox_to_frame (const GdinoLetterbox * self, float cx,
    float cy, float w, float h, float box[4]);

G_END_DECLS
