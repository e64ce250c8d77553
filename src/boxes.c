/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Arithmetic on single boxes. No allocation, no GLib, no frame geometry. */

#include "boxes.h"

#include <math.h>

/* A side of exactly one pixel may arrive a little short: floats of up to 65536
 * pixels have steps of 1/256 pixel. */
#define PIXEL_SLACK (1.0f / 128)

static float
clamp (float value, float low, float high)
{
  return fminf (fmaxf (value, low), high);
}

static int
clamp_int (int value, int low, int high)
{
  return value < low ? low : value > high ? high : value;
}

bool
gdino_box_is_sound (const float *cxcywh)
{
  return isfinite (cxcywh[0]) && isfinite (cxcywh[1]) && isfinite (cxcywh[2])
      && isfinite (cxcywh[3]) && cxcywh[2] > 0 && cxcywh[3] > 0;
}

GdinoBox
gdino_box_clip (GdinoBox box, float width, float height)
{
  GdinoBox clipped = {
    .x0 = clamp (box.x0, 0, width),
    .y0 = clamp (box.y0, 0, height),
    .x1 = clamp (box.x1, 0, width),
    .y1 = clamp (box.y1, 0, height),
  };

  return clipped;
}

float
gdino_box_area (GdinoBox box)
{
  float width = box.x1 - box.x0;
  float height = box.y1 - box.y0;

  return width > 0 && height > 0 ? width * height : 0;
}

float
gdino_box_iou (GdinoBox a, GdinoBox b)
{
  GdinoBox both = {
    .x0 = fmaxf (a.x0, b.x0),
    .y0 = fmaxf (a.y0, b.y0),
    .x1 = fminf (a.x1, b.x1),
    .y1 = fminf (a.y1, b.y1),
  };
  float shared = gdino_box_area (both);

  if (!(shared > 0))
    return 0;
  return fminf (shared / (gdino_box_area (a) + gdino_box_area (b) - shared), 1);
}

bool
gdino_box_to_pixels (GdinoBox box, int width, int height, GdinoPixelBox * out)
{
  int left, top, right, bottom;

  if (!(box.x1 - box.x0 >= 1 - PIXEL_SLACK)
      || !(box.y1 - box.y0 >= 1 - PIXEL_SLACK))
    return false;

  /* The clamps keep one pixel inside the frame whatever rounding did. */
  left = clamp_int ((int) floorf (box.x0 + 0.5f), 0, width - 1);
  top = clamp_int ((int) floorf (box.y0 + 0.5f), 0, height - 1);
  right = clamp_int ((int) floorf (box.x1 + 0.5f), left + 1, width);
  bottom = clamp_int ((int) floorf (box.y1 + 0.5f), top + 1, height);

  out->x = left;
  out->y = top;
  out->width = right - left;
  out->height = bottom - top;
  return true;
}
