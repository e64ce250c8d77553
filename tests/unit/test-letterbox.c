/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Geometry of the letterbox, by literal values. */

#include <gdino/error.h>
#include <gdino/letterbox.h>
#include <math.h>
#include <string.h>

typedef struct
{
  guint frame_width, frame_height, par_n, par_d, canvas_width, canvas_height;
  guint x, y, width, height;    /* wanted */
} Case;

static const Case cases[] = {
  /* same shape, wider, taller */
  {896, 512, 1, 1, 448, 256, 0, 0, 448, 256},
  {1920, 1080, 1, 1, 640, 640, 0, 140, 640, 360},
  {1280, 720, 1, 1, 448, 256, 0, 2, 448, 252},
  {640, 480, 1, 1, 448, 256, 53, 0, 341, 256},
  {480, 640, 1, 1, 448, 256, 128, 0, 192, 256},
  /* smaller than the canvas: enlarged */
  {4, 3, 1, 1, 448, 256, 53, 0, 341, 256},
  {1, 1, 1, 1, 448, 256, 96, 0, 256, 256},
  /* the free side is an odd number: the rest goes to the right and bottom */
  {3, 2, 1, 1, 100, 101, 0, 17, 100, 67},
  {333, 500, 1, 1, 100, 100, 16, 0, 67, 100},
  /* exactly half a pixel rounds up */
  {200, 101, 1, 1, 100, 100, 0, 24, 100, 51},
  /* never thinner than a pixel */
  {65536, 1, 1, 1, 448, 256, 0, 127, 448, 1},
  {1, 65536, 1, 1, 448, 256, 223, 0, 1, 256},
  {65536, 65536, 1, 1, 65536, 65536, 0, 0, 65536, 65536},
  /* pixels that are not square: PAL wide screen, anamorphic, and the extremes */
  {720, 576, 64, 45, 1024, 1024, 0, 224, 1024, 576},
  {720, 480, 8, 9, 640, 480, 0, 0, 640, 480},
  {100, 100, 1, 2, 100, 100, 25, 0, 50, 100},
  {65536, 1, G_MAXUINT, 1, 65536, 65536, 0, 32767, 65536, 1},
  {1, 65536, 1, G_MAXUINT, 65536, 65536, 32767, 0, 1, 65536},
};

static void
test_geometry (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Case *c = &cases[i];
    g_autoptr (GError) error = NULL;
    GdinoLetterbox box;

    g_test_message ("%ux%u in %ux%u", c->frame_width, c->frame_height,
        c->canvas_width, c->canvas_height);
    g_assert_true (gdino_letterbox_init (&box, c->frame_width,
            c->frame_height, c->par_n, c->par_d, c->canvas_width,
            c->canvas_height, &error));
    g_assert_no_error (error);
    g_assert_cmpuint (box.x, ==, c->x);
    g_assert_cmpuint (box.y, ==, c->y);
    g_assert_cmpuint (box.width, ==, c->width);
    g_assert_cmpuint (box.height, ==, c->height);
    g_assert_cmpuint (box.frame_width, ==, c->frame_width);
    g_assert_cmpuint (box.frame_height, ==, c->frame_height);
    g_assert_cmpuint (box.canvas_width, ==, c->canvas_width);
    g_assert_cmpuint (box.canvas_height, ==, c->canvas_height);
  }
}

static void
assert_refused (guint frame_width, guint frame_height, guint par_n,
    guint par_d, guint canvas_width, guint canvas_height, const char *named)
{
  g_autoptr (GError) error = NULL;
  GdinoLetterbox box, before;

  memset (&box, 0x5a, sizeof box);
  before = box;
  g_assert_false (gdino_letterbox_init (&box, frame_width, frame_height,
          par_n, par_d, canvas_width, canvas_height, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, named));
  g_assert_cmpmem (&box, sizeof box, &before, sizeof before);
  g_assert_false (gdino_letterbox_init (&box, frame_width, frame_height,
          par_n, par_d, canvas_width, canvas_height, NULL));
}

static void
test_refused (void)
{
  assert_refused (0, 1, 1, 1, 448, 256, "frame width is 0");
  assert_refused (65537, 1, 1, 1, 448, 256, "frame width is 65537");
  assert_refused (1, 0, 1, 1, 448, 256, "frame height is 0");
  assert_refused (1, G_MAXUINT, 1, 1, 448, 256, "frame height is 4294967295");
  assert_refused (1, 1, 1, 1, 0, 256, "canvas width is 0");
  assert_refused (1, 1, 1, 1, 448, 65537, "canvas height is 65537");
  assert_refused (1, 1, 0, 1, 448, 256, "aspect ratio is 0/1");
  assert_refused (1, 1, 1, 0, 448, 256, "aspect ratio is 1/0");
}

static void
assert_near (float got, double wanted, double tolerance)
{
  g_assert_cmpfloat_with_epsilon (got, wanted, tolerance);
}

/* Report OF-04: the pad comes off before the scale is undone. */
static void
test_edge_report (void)
{
  GdinoLetterbox box;
  float out[4];

  g_assert_true (gdino_letterbox_init (&box, 1920, 1080, 1, 1, 640, 640, NULL));
  gdino_letterbox_to_frame (&box, (308.406f + 463.912f) / 2 / 640,
      (376.330f + 500.436f) / 2 / 640, (463.912f - 308.406f) / 640,
      (500.436f - 376.330f) / 640, out);
  assert_near (out[0], 925.218, 0.01);
  assert_near (out[1], 708.990, 0.01);
  assert_near (out[2], 1391.736, 0.01);
  assert_near (out[3], 1081.308, 0.01);
}

/* The reference's own size for a frame has no pad: 1333x750 for 1280x720. */
static void
test_no_pad (void)
{
  GdinoLetterbox box;
  float out[4];

  g_assert_true (gdino_letterbox_init (&box, 640, 480, 1, 1, 1066, 800, NULL));
  g_assert_cmpuint (box.x + box.y, ==, 0);
  gdino_letterbox_to_frame (&box, 0.5f, 0.5f, 0.2f, 0.4f, out);
  assert_near (out[0], 256, 1e-3);
  assert_near (out[1], 144, 1e-3);
  assert_near (out[2], 384, 1e-3);
  assert_near (out[3], 336, 1e-3);
}

/* Each axis has its own scale: 341 canvas pixels are 640 frame pixels. */
static void
test_scale_per_axis (void)
{
  GdinoLetterbox box;
  float out[4];

  g_assert_true (gdino_letterbox_init (&box, 640, 480, 1, 1, 448, 256, NULL));
  gdino_letterbox_to_frame (&box, (53 + 341 / 2.0f) / 448, 0.5f,
      341.0f / 448, 1, out);
  assert_near (out[0], 0, 1e-3);
  assert_near (out[1], 0, 1e-3);
  assert_near (out[2], 640, 1e-3);
  assert_near (out[3], 480, 1e-3);
}

/* A box drawn on the frame, carried to the canvas by hand, comes back. */
static void
test_round_trip (void)
{
  for (guint i = 0; i < 2000; i++) {
    guint fw = (guint) g_test_rand_int_range (1, 8193);
    guint fh = (guint) g_test_rand_int_range (1, 8193);
    guint cw = (guint) g_test_rand_int_range (32, 1400);
    guint ch = (guint) g_test_rand_int_range (32, 1400);
    double x = g_test_rand_double_range (-10, fw);
    double y = g_test_rand_double_range (-10, fh);
    double w = g_test_rand_double_range (0, fw);
    double h = g_test_rand_double_range (0, fh);
    GdinoLetterbox box;
    float out[4];
    double sx, sy;

    g_assert_true (gdino_letterbox_init (&box, fw, fh, 1, 1, cw, ch, NULL));
    g_assert_cmpuint (box.x + box.width, <=, cw);
    g_assert_cmpuint (box.y + box.height, <=, ch);
    g_assert_true (box.width == cw || box.height == ch);

    sx = (double) box.width / fw;
    sy = (double) box.height / fh;
    gdino_letterbox_to_frame (&box, (float) (((x + w / 2) * sx + box.x) / cw),
        (float) (((y + h / 2) * sy + box.y) / ch), (float) (w * sx / cw),
        (float) (h * sy / ch), out);
    /* canvas coordinates are floats of 24 bits, magnified by the scale */
    assert_near (out[0], x, 1e-6 * (fw + cw / sx) + 1e-3);
    assert_near (out[1], y, 1e-6 * (fh + ch / sy) + 1e-3);
    assert_near (out[2], x + w, 1e-6 * (fw + cw / sx) + 1e-3);
    assert_near (out[3], y + h, 1e-6 * (fh + ch / sy) + 1e-3);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/letterbox/geometry", test_geometry);
  g_test_add_func ("/letterbox/refused", test_refused);
  g_test_add_func ("/letterbox/edge-report", test_edge_report);
  g_test_add_func ("/letterbox/no-pad", test_no_pad);
  g_test_add_func ("/letterbox/scale-per-axis", test_scale_per_axis);
  g_test_add_func ("/letterbox/round-trip", test_round_trip);
  return g_test_run ();
}
