/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Arithmetic on boxes, by literal values and by what must always hold. */

#include <glib.h>
#include <math.h>

#include "boxes.h"

static GdinoBox
make (double x0, double y0, double x1, double y1)
{
  GdinoBox box = { (float) x0, (float) y0, (float) x1, (float) y1 };

  return box;
}

static void
test_sound (void)
{
  const float good[] = { 0.5f, -3.0f, 1e-30f, 2 };

  g_assert_true (gdino_box_is_sound (good));
  for (guint i = 0; i < 4; i++) {
    const float bad[] = { NAN, INFINITY, -INFINITY, 0, -0.25f };

    for (guint k = 0; k < (i < 2 ? 3 : 5); k++) {
      float box[] = { 0.5f, 0.5f, 0.25f, 0.25f };

      box[i] = bad[k];
      g_assert_false (gdino_box_is_sound (box));
    }
  }
}

static void
test_iou (void)
{
  GdinoBox unit = make (0, 0, 10, 10);

  g_assert_cmpfloat (gdino_box_iou (unit, unit), ==, 1);
  g_assert_cmpfloat (gdino_box_iou (unit, make (5, 0, 15, 10)), ==,
      50.0f / 150);
  g_assert_cmpfloat (gdino_box_iou (unit, make (2, 2, 4, 7)), ==, 0.1f);
  /* side by side, and apart */
  g_assert_cmpfloat (gdino_box_iou (unit, make (10, 0, 20, 10)), ==, 0);
  g_assert_cmpfloat (gdino_box_iou (unit, make (50, 50, 60, 60)), ==, 0);
  /* no area is 0, not NaN: with itself, and inside another */
  g_assert_cmpfloat (gdino_box_iou (make (3, 3, 3, 3), make (3, 3, 3, 3)), ==,
      0);
  g_assert_cmpfloat (gdino_box_iou (unit, make (3, 3, 3, 8)), ==, 0);
  g_assert_cmpfloat (gdino_box_iou (make (5, 5, 2, 2), unit), ==, 0);
  g_assert_cmpfloat (gdino_box_area (make (5, 5, 2, 2)), ==, 0);
}

static void
test_clip (void)
{
  GdinoBox box = gdino_box_clip (make (-3, 2.5, 700, 1e30), 640, 480);

  g_assert_cmpfloat (box.x0, ==, 0);
  g_assert_cmpfloat (box.y0, ==, 2.5f);
  g_assert_cmpfloat (box.x1, ==, 640);
  g_assert_cmpfloat (box.y1, ==, 480);

  box = gdino_box_clip (make (-30, -20, -10, -5), 640, 480);
  g_assert_cmpfloat (gdino_box_area (box), ==, 0);
  box = gdino_box_clip (make (INFINITY, 0, INFINITY, 480), 640, 480);
  g_assert_cmpfloat (box.x0, ==, 640);
  g_assert_cmpfloat (gdino_box_area (box), ==, 0);
}

static void
assert_pixels (GdinoBox box, int width, int height, int x, int y, int w, int h)
{
  GdinoPixelBox out;

  box = gdino_box_clip (box, (float) width, (float) height);
  g_assert_true (gdino_box_to_pixels (box, width, height, &out));
  g_assert_cmpint (out.x, ==, x);
  g_assert_cmpint (out.y, ==, y);
  g_assert_cmpint (out.width, ==, w);
  g_assert_cmpint (out.height, ==, h);
}

static void
assert_dropped (GdinoBox box, int width, int height)
{
  GdinoPixelBox out = { 7, 7, 7, 7 };

  box = gdino_box_clip (box, (float) width, (float) height);
  g_assert_false (gdino_box_to_pixels (box, width, height, &out));
  g_assert_cmpint (out.x, ==, 7);
}

static void
test_pixels (void)
{
  assert_pixels (make (256, 144, 384, 336), 640, 480, 256, 144, 128, 192);
  /* edges round, not sizes: halves go up */
  assert_pixels (make (0.5, 1.49, 10.49, 10.5), 640, 480, 1, 1, 9, 10);
  /* report OF-04, clipped after the scale: kept */
  assert_pixels (make (925.2, 709.0, 1391.7, 1081.3), 1920, 1080, 925, 709,
      467, 371);
  /* report OO-07: over the right edge */
  assert_pixels (make (88, 40, 108, 60), 100, 100, 88, 40, 12, 20);
  assert_pixels (make (-1e30, -1e30, 1e30, 1e30), 100, 100, 0, 0, 100, 100);
  /* one pixel, wherever it lies */
  assert_pixels (make (3.5, 7.25, 4.5, 8.25), 100, 100, 4, 7, 1, 1);
  assert_pixels (make (99, 99, 100, 100), 100, 100, 99, 99, 1, 1);
  assert_pixels (make (0, 0, 1, 1), 1, 1, 0, 0, 1, 1);
  /* one pixel less float noise */
  assert_pixels (make (20.1f, 5, 21.1f - 1e-5f, 9), 100, 100, 20, 5, 1, 4);
  assert_pixels (make (65535.004, 0, 65536, 1), 65536, 1, 65535, 0, 1, 1);

  assert_dropped (make (3, 3, 3.9, 9), 100, 100);
  assert_dropped (make (3, 3, 9, 3.9), 100, 100);
  assert_dropped (make (99.2, 10, 140, 20), 100, 100);
  assert_dropped (make (100, 10, 140, 20), 100, 100);
  assert_dropped (make (200, 200, 300, 300), 100, 100);
  assert_dropped (make (-30, 10, -20, 20), 100, 100);
  assert_dropped (make (5, 5, 4, 4), 100, 100);
}

/* Whatever the box: inside the frame, at least a pixel, near the true edges. */
static void
test_pixels_always (void)
{
  for (guint i = 0; i < 100000; i++) {
    int width = g_test_rand_int_range (1, 200);
    int height = g_test_rand_int_range (1, 200);
    double x = g_test_rand_double_range (-50, 250);
    double y = g_test_rand_double_range (-50, 250);
    GdinoBox box = make (x, y, x + g_test_rand_double_range (0, 60),
        y + g_test_rand_double_range (0, 60));
    GdinoPixelBox out;

    box = gdino_box_clip (box, (float) width, (float) height);
    if (!gdino_box_to_pixels (box, width, height, &out)) {
      g_assert_true (box.x1 - box.x0 < 1 || box.y1 - box.y0 < 1);
      continue;
    }
    g_assert_cmpint (out.x, >=, 0);
    g_assert_cmpint (out.y, >=, 0);
    g_assert_cmpint (out.width, >=, 1);
    g_assert_cmpint (out.height, >=, 1);
    g_assert_cmpint (out.x + out.width, <=, width);
    g_assert_cmpint (out.y + out.height, <=, height);
    g_assert_cmpfloat (fabsf ((float) out.x - box.x0), <=, 0.51f);
    g_assert_cmpfloat (fabsf ((float) (out.y + out.height) - box.y1), <=,
        0.51f);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/boxes/sound", test_sound);
  g_test_add_func ("/boxes/iou", test_iou);
  g_test_add_func ("/boxes/clip", test_clip);
  g_test_add_func ("/boxes/pixels", test_pixels);
  g_test_add_func ("/boxes/pixels-always", test_pixels_always);
  return g_test_run ();
}
