/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Every raw format: the same picture gives the same boxes, at odd sizes, with
 * odd strides and with planes in odd places. */
#include "rig.h"

#include <string.h>

static const Patch coloured[] = {
  {"red", 40, 30, 100, 80}, {"blue", 200, 120, 80, 90}
};

static const Patch white[] = { {"white", 40, 30, 100, 80} };

/* The canvas is 448 x 256: frames of 321 x 241 are scaled by 1.06, and chroma
 * may be spread over four pixels. */
#define SLACK 5

static gboolean
is_grey (const GstVideoFormatInfo * format)
{
  return GST_VIDEO_FORMAT_INFO_IS_GRAY (format);
}

static gboolean
can_pad (const GstVideoFormatInfo * format)
{
  return !GST_VIDEO_FORMAT_INFO_IS_TILED (format)
      && !GST_VIDEO_FORMAT_INFO_HAS_PALETTE (format);
}

/* GStreamer's rows of the formats that pack three 10-bit samples into a word are
 * a word too short for chroma of an odd width. */
static gint
width_for (GstVideoFormat format)
{
  return format == GST_VIDEO_FORMAT_NV16_10LE32
      || format == GST_VIDEO_FORMAT_NV12_10LE32 ? 324 : 321;
}

static void
check_boxes (GstBuffer * out, const GstVideoFormatInfo * format)
{
  if (is_grey (format)) {
    g_assert_cmpuint (roi_count (out), ==, 1);
    assert_roi (out, &white[0], SLACK);
  } else {
    g_assert_cmpuint (roi_count (out), ==, 2);
    assert_roi (out, &coloured[0], SLACK);
    assert_roi (out, &coloured[1], SLACK);
  }
  gst_buffer_unref (out);
}

static void
test_format (gconstpointer data)
{
  const GstVideoFormat format = (GstVideoFormat) GPOINTER_TO_INT (data);
  const GstVideoFormatInfo *finfo = gst_video_format_get_info (format);
  const Patch *patches = is_grey (finfo) ? white : coloured;
  const guint n = is_grey (finfo) ? 1 : 2;
  g_autofree gchar *caps = g_strdup_printf ("%s,width=%d,height=241",
      finfo->name, width_for (format));
  Rig *rig = rig_new ("red. blue. white.", caps);
  GstVideoInfo info;

  rig_get_info (rig, &info);
  /* Sixteen colours of a palette, none of them ours: only that it runs. */
  if (GST_VIDEO_FORMAT_INFO_HAS_PALETTE (finfo))
    gst_buffer_unref (rig_show (rig, NULL, 0));
  else
    check_boxes (rig_show (rig, patches, n), finfo);
  if (can_pad (finfo))
    check_boxes (gst_harness_push_and_pull (rig->harness,
            picture_new_padded (&info, patches, n, 64, 8192)), finfo);
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING),
      ==, 0);
  rig_free (rig);
}

static void
add_formats (void)
{
  GstElement *element = rig_element_new (NULL);
  GstCaps *caps = gst_pad_query_caps (element->sinkpads->data, NULL);
  const GValue *list = gst_structure_get_value (gst_caps_get_structure (caps,
          0), "format");
  guint i;

  g_assert_cmpuint (gst_value_list_get_size (list), >, 100);
  for (i = 0; i < gst_value_list_get_size (list); i++) {
    const gchar *name = g_value_get_string (gst_value_list_get_value (list, i));
    g_autofree gchar *path = g_strdup_printf ("/formats/%s", name);

    g_test_add_data_func (path,
        GINT_TO_POINTER (gst_video_format_from_string (name)), test_format);
  }
  gst_caps_unref (caps);
  gst_object_unref (element);
}

/* Bytes laid out here by hand, so that no converter can be wrong twice. */
static void
test_channel_order (void)
{
  static const struct
  {
    const char *format;
    guint step, red, blue;
  } orders[] = {
    {"RGB", 3, 0, 2}, {"BGR", 3, 2, 0}, {"RGBx", 4, 0, 2}, {"BGRx", 4, 2, 0},
    {"RGBA", 4, 0, 2}, {"BGRA", 4, 2, 0}, {"xRGB", 4, 1, 3}, {"ARGB", 4, 1, 3}
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (orders); i++) {
    g_autofree gchar *caps =
        g_strdup_printf ("%s,width=64,height=64", orders[i].format);
    Rig *rig = rig_new ("red. blue.", caps);
    GstVideoInfo info;
    GstBuffer *buffer;
    GstMapInfo map;
    gint x, y;

    rig_get_info (rig, &info);
    buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
    gst_buffer_memset (buffer, 0, 100, info.size);
    g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
    for (y = 0; y < 32; y++)
      for (x = 0; x < 64; x++)
        map.data[y * info.stride[0] + x * (gint) orders[i].step +
            (gint) (x < 32 ? orders[i].red : orders[i].blue)] = 250;
    gst_buffer_unmap (buffer, &map);

    buffer = gst_harness_push_and_pull (rig->harness, buffer);
    assert_roi (buffer, &(Patch) {
        "red", 0, 0, 32, 32}
        , 1);
    assert_roi (buffer, &(Patch) {
        "blue", 32, 0, 32, 32}
        , 1);
    gst_buffer_unref (buffer);
    rig_free (rig);
  }
}

/* Rows of RGB are padded to four bytes: 642 * 3 = 1926, stride 1928. */
static void
test_row_padding (void)
{
  static const Patch patch = { "green", 500, 300, 100, 100 };
  Rig *rig = rig_new ("green.", "RGB,width=642,height=480");
  GstVideoInfo info;
  GstBuffer *out;

  rig_get_info (rig, &info);
  g_assert_cmpint (info.stride[0], ==, 1928);
  out = rig_show (rig, &patch, 1);
  assert_roi (out, &patch, 4);
  gst_buffer_unref (out);
  rig_free (rig);
}

/* A decoder's 1088 rows for a picture of 1080: the second plane starts later
 * than the caps imply. */
static void
test_late_plane (void)
{
  static const Patch patches[] = {
    {"red", 300, 100, 400, 300}, {"blue", 1000, 600, 500, 400}
  };
  Rig *rig = rig_new ("red. blue.", "NV12,width=1920,height=1080");
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0, 1920 * 1088 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 1920, 1920 };
  GstVideoInfo info;
  GstBuffer *plain, *late;
  GstVideoFrame in, out;

  rig_get_info (rig, &info);
  plain = picture_new (&info, patches, 2);
  late = gst_buffer_new_allocate (NULL, 1920 * 1088 * 3 / 2, NULL);
  gst_buffer_memset (late, 0, 0, gst_buffer_get_size (late));
  gst_buffer_add_video_meta_full (late, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_NV12, 1920, 1080, 2, offset, stride);
  g_assert_true (gst_video_frame_map (&in, &info, plain, GST_MAP_READ));
  g_assert_true (gst_video_frame_map (&out, &info, late, GST_MAP_WRITE));
  gst_video_frame_copy (&out, &in);
  gst_video_frame_unmap (&out);
  gst_video_frame_unmap (&in);
  gst_buffer_unref (plain);

  late = gst_harness_push_and_pull (rig->harness, late);
  assert_roi (late, &patches[0], 12);
  assert_roi (late, &patches[1], 12);
  gst_buffer_unref (late);
  rig_free (rig);
}

/* Frames so large that their planes are scaled before the colours are
 * converted: odd sizes, all layouts of planes for which that is done. */
static void
test_planes_first (void)
{
  static const char *const formats[] = { "NV12", "I420", "YV12", "Y42B" };
  static const Patch patches[] = {
    {"red", 100, 80, 301, 200}, {"blue", 501, 300, 300, 203},
    {"yellow", 700, 50, 200, 150}
  };
  guint i, j, k;

  for (i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autofree gchar *caps = g_strdup_printf ("%s,width=1001,height=603",
        formats[i]);
    Rig *rig = rig_new ("red. blue. yellow.", caps);
    GstVideoInfo info;

    rig_get_info (rig, &info);
    for (j = 0; j < 2; j++) {
      GstBuffer *out = gst_harness_push_and_pull (rig->harness, j == 0 ?
          picture_new (&info, patches, 3) : picture_new_padded (&info, patches,
              3, 64, 8192));

      g_assert_cmpuint (roi_count (out), ==, 3);
      for (k = 0; k < 3; k++)
        assert_roi (out, &patches[k], 6);
      gst_buffer_unref (out);
    }
    rig_free (rig);
  }
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  add_formats ();
  g_test_add_func ("/frames/channel-order", test_channel_order);
  g_test_add_func ("/frames/row-padding", test_row_padding);
  g_test_add_func ("/frames/late-plane", test_late_plane);
  g_test_add_func ("/frames/planes-first", test_planes_first);
  return rig_main_run ();
}
