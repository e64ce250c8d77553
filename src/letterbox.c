/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Fits a frame into the canvas and maps boxes back. Knows no pixels. */

#include <gdino/error.h>
#include <gdino/letterbox.h>

#define MAX_SIZE 65536

static gboolean
check_size (const char *what, guint value, GError ** error)
{
  if (value >= 1 && value <= MAX_SIZE)
    return TRUE;

  g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
      "%s is %u, must be 1 to %d", what, value, MAX_SIZE);
  return FALSE;
}

/* round (a * b / c), halves up, at least 1 and at most @max. a * b must fit 64
 * bits, which MAX_SIZE and 32-bit ratios guarantee. */
static guint
scale_round (guint64 a, guint64 b, guint64 c, guint max)
{
  guint64 quotient = a * b / c;
  guint64 rest = a * b % c;

  if (rest >= c - rest)
    quotient++;
  return (guint) CLAMP (quotient, 1, max);
}

gboolean
gdino_letterbox_init (GdinoLetterbox * self, guint frame_width,
    guint frame_height, guint par_n, guint par_d, guint canvas_width,
    guint canvas_height, GError ** error)
{
  guint64 shape_width, shape_height;

  g_return_val_if_fail (self != NULL, FALSE);

  if (!check_size ("frame width", frame_width, error)
      || !check_size ("frame height", frame_height, error)
      || !check_size ("canvas width", canvas_width, error)
      || !check_size ("canvas height", canvas_height, error))
    return FALSE;
  if (par_n == 0 || par_d == 0) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "pixel aspect ratio is %u/%u, both parts must be above 0", par_n,
        par_d);
    return FALSE;
  }

  /* Shown size, times par_d to stay in whole numbers: below 2^48 each. */
  shape_width = frame_width;
  shape_width *= par_n;
  shape_height = frame_height;
  shape_height *= par_d;

  self->canvas_width = canvas_width;
  self->canvas_height = canvas_height;
  self->frame_width = frame_width;
  self->frame_height = frame_height;
  if (shape_height * canvas_width <= shape_width * canvas_height) {
    self->width = canvas_width;
    self->height =
        scale_round (shape_height, canvas_width, shape_width, canvas_height);
  } else {
    self->width =
        scale_round (shape_width, canvas_height, shape_height, canvas_width);
    self->height = canvas_height;
  }
  self->x = (canvas_width - self->width) / 2;
  self->y = (canvas_height - self->height) / 2;

  return TRUE;
}

void
gdino_letterbox_to_frame (const GdinoLetterbox * self, float cx, float cy,
    float w, float h, float box[4])
{
  /* Each axis has its own scale, since the picture's size is rounded. */
  double scale_x = (double) self->frame_width / self->width;
  double scale_y = (double) self->frame_height / self->height;
  double left = ((double) cx - 0.5 * w) * self->canvas_width - self->x;
  double right = ((double) cx + 0.5 * w) * self->canvas_width - self->x;
  double top = ((double) cy - 0.5 * h) * self->canvas_height - self->y;
  double bottom = ((double) cy + 0.5 * h) * self->canvas_height - self->y;

  box[0] = (float) (left * scale_x);
  box[1] = (float) (top * scale_y);
  box[2] = (float) (right * scale_x);
  box[3] = (float) (bottom * scale_y);
}
