/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The weights of our filters against the reference's, which are computed here
 * from their definition (a triangle of the scale's width, as Pillow's BILINEAR). */

#include <math.h>

#include <gst/gst.h>

#include "gstgdinokernel.h"

/* What the reference gives pixel @i of the source for pixel @x of the result. */
static gdouble
triangle (guint i, guint x, gdouble scale)
{
  const gdouble width = MAX (scale, 1);
  const gdouble from_centre = i + 0.5 - (x + 0.5) * scale;

  return MAX (0, 1 - fabs (from_centre) / width) / width;
}

/* The sum of all differences of weights, which add up to 1, for the worst pixel
 * that is not at a border. */
static gdouble
difference (GstVideoScaler * scaler, gint from, gint to)
{
  const gdouble scale = (gdouble) from / to;
  const gint margin = (gint) ceil (3 / MIN (scale, 1)) + 1;
  gdouble worst = 0;

  for (gint x = margin; x < to - margin; x++) {
    guint first, n_taps;
    const gdouble *taps = gst_video_scaler_get_coeff (scaler, (guint) x, &first,
        &n_taps);
    gdouble sum = 0, wanted_sum = 0, wanted_taps = 0;

    for (guint i = 0; i < (guint) from; i++)
      wanted_sum += triangle (i, (guint) x, scale);
    for (guint i = 0; i < n_taps; i++) {
      const gdouble wanted = triangle (first + i, (guint) x, scale)
          / wanted_sum;

      sum += fabs (taps[i] - wanted);
      wanted_taps += wanted;
    }
    sum += 1 - wanted_taps;     /* what lies outside our taps */
    worst = MAX (worst, sum);
  }
  return worst;
}

typedef struct
{
  gint from, to;
  gdouble limit;
} Scale;

static void
test_triangle (gconstpointer data)
{
  const Scale *scale = data;
  GstVideoScaler *ours = gst_gdino_kernel_new_scaler (scale->from, scale->to);
  GstVideoScaler *plain = gst_video_scaler_new
      (GST_VIDEO_RESAMPLER_METHOD_LINEAR, GST_VIDEO_SCALER_FLAG_NONE, 0,
      (guint) scale->from, (guint) scale->to, NULL);
  const gdouble found = difference (ours, scale->from, scale->to);
  const gdouble without = difference (plain, scale->from, scale->to);

  g_test_message ("%d to %d: %.4f, GStreamer's own %.4f", scale->from,
      scale->to, found, without);
  g_assert_cmpfloat (found, <=, scale->limit);
  g_assert_cmpfloat (found, <=, without + 1e-9);
  gst_video_scaler_free (ours);
  gst_video_scaler_free (plain);
}

static void
test_nothing_to_scale (void)
{
  g_assert_null (gst_gdino_kernel_new_scaler (7, 7));
}

static void
test_one_pixel (void)
{
  static const gint sizes[][2] = { {1, 9}, {9, 1}, {2, 1}, {3, 2}, {65536, 1} };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    GstVideoScaler *scaler = gst_gdino_kernel_new_scaler (sizes[i][0],
        sizes[i][1]);

    for (gint x = 0; x < sizes[i][1]; x++) {
      guint first, n_taps;
      const gdouble *taps = gst_video_scaler_get_coeff (scaler, (guint) x,
          &first, &n_taps);
      gdouble sum = 0;

      for (guint j = 0; j < n_taps; j++)
        sum += taps[j];
      g_assert_cmpfloat_with_epsilon (sum, 1, 1e-6);
      g_assert_cmpuint (first + n_taps, <=, (guint) sizes[i][0]);
    }
    gst_video_scaler_free (scaler);
  }
}

static void
test_equal (void)
{
  GstGdinoKernel hd, also_hd, square, double_size;

  gst_gdino_kernel_init (&hd, 1920, 960);
  gst_gdino_kernel_init (&also_hd, 1080, 540);
  gst_gdino_kernel_init (&square, 1080, 960);
  gst_gdino_kernel_init (&double_size, 100, 200);
  g_assert_true (gst_gdino_kernel_equal (&hd, &also_hd));
  g_assert_false (gst_gdino_kernel_equal (&hd, &square));
  g_assert_false (gst_gdino_kernel_equal (&hd, &double_size));
}

int
main (int argc, char **argv)
{
  static const Scale scales[] = {
    {1920, 960, 1e-6}, {1920, 640, 1e-6}, {1920, 480, 1e-6},
    {1920, 448, 0.05}, {1280, 960, 0.05}, {720, 540, 0.05}, {640, 448, 0.12},
    {1000, 333, 0.12}, {641, 640, 0.18}, {1600, 900, 0.05}, {4096, 800, 0.12},
    {640, 960, 1e-6}, {480, 540, 1e-6}
  };

  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (scales); i++) {
    g_autofree char *name = g_strdup_printf ("/kernel/triangle/%d-to-%d",
        scales[i].from, scales[i].to);

    g_test_add_data_func (name, &scales[i], test_triangle);
  }
  g_test_add_func ("/kernel/nothing-to-scale", test_nothing_to_scale);
  g_test_add_func ("/kernel/one-pixel", test_one_pixel);
  g_test_add_func ("/kernel/equal", test_equal);
  return g_test_run ();
}
