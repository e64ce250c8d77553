/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Boxes as numbers: valid, clip, overlap, whole pixels. Plain C11. */
#pragma once

#include <stdbool.h>

/* Corners in pixels; x0 <= x1 and y0 <= y1 unless stated. */
typedef struct
{
  float x0;
  float y0;
  float x1;
  float y1;
} GdinoBox;

/* A box in whole pixels; width and height are at least 1. */
typedef struct
{
  int x;
  int y;
  int width;
  int height;
} GdinoPixelBox;

/* True when centre and size of a model's box are finite and the size is above
 * zero. @cxcywh: four floats. */
bool gdino_box_is_sound (const float *cxcywh);

/* @box cut to 0..width, 0..height. A box wholly outside becomes one without
 * area on the nearest edge. */
GdinoBox gdino_box_clip (GdinoBox box, float width, float height);

/* 0 when a side is not above zero. */
float gdino_box_area (GdinoBox box);

/* Intersection over union, 0..1; 0 when either box has no area, never NaN. */
float gdino_box_iou (GdinoBox a, GdinoBox b);

/* Rounds a clipped box to the nearest pixel edges. @width, @height: the frame.
 * Returns false, @out untouched, when a side of @box is under one pixel. */
bool gdino_box_to_pixels (GdinoBox box, int width, int height,
    GdinoPixelBox * out);
