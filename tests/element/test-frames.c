/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Frames of extreme sizes, odd shapes and bad descriptions; and that the
 * pixels come out as they went in. */
#include "rig.h"

#include <string.h>

/* What one canvas pixel of 448 x 256 is in frame pixels, and one more. */
static gint
slack_of (gint width, gint height)
{
  return 2 + MAX (width / 448, height / 256) * 2;
}

static void
test_sizes (void)
{
  static const struct
  {
    const char *caps;
    Patch patch;
  } cases[] = {
    {"RGB,width=1,height=1", {"red", 0, 0, 1, 1}},
    {"I420,width=1,height=1", {"white", 0, 0, 1, 1}},
    {"NV12,width=2,height=1", {"white", 0, 0, 2, 1}},
    {"RGB,width=3,height=700", {"red", 0, 0, 3, 350}},
    {"RGB,width=5000,height=7", {"green", 2500, 0, 2500, 7}},
    {"GRAY8,width=8192,height=8192", {"white", 1000, 2000, 3000, 4000}},
    {"I420,width=8192,height=8192", {"white", 4000, 1000, 4000, 6000}},
    {"RGB,width=448,height=256", {"blue", 447, 255, 1, 1}},
    {"NV12,width=7680,height=4320", {"white", 1000, 1000, 3000, 2000}},
    {"GRAY8,width=321,height=240", {"white", 20, 20, 200, 100}},
    {"RGB,width=640,height=480", {"cyan", 0, 0, 640, 480}},
  };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    Rig *rig = rig_new ("red. green. blue. white. cyan.", cases[i].caps);
    GstBuffer *out = rig_show (rig, &cases[i].patch, 1);
    GstVideoRegionOfInterestMeta *roi = roi_of (out, cases[i].patch.colour);
    GstVideoInfo info;

    rig_get_info (rig, &info);
    g_test_message ("%s", cases[i].caps);
    assert_roi (out, &cases[i].patch, slack_of (info.width, info.height));
    g_assert_cmpuint (roi->w, >=, 1);
    g_assert_cmpuint (roi->h, >=, 1);
    g_assert_cmpuint (roi->x + roi->w, <=, (guint) info.width);
    g_assert_cmpuint (roi->y + roi->h, <=, (guint) info.height);
    gst_buffer_unref (out);
    rig_free (rig);
  }
}

/* Three frames in one stream, each of other caps; the model stays loaded. */
static void
test_caps_change (void)
{
  static const struct
  {
    const char *caps;
    Patch patch;
  } steps[] = {
    {"RGB,width=640,height=480", {"white", 300, 200, 100, 100}},
    {"NV12,width=1280,height=720", {"white", 900, 500, 200, 150}},
    {"GRAY8,width=320,height=240", {"white", 10, 20, 60, 40}},
    {"RGB,width=640,height=480", {"white", 0, 400, 640, 80}},
  };
  Rig *rig = rig_new_with_element (rig_element_new ("white."));
  const gint created = gdino_fake_get (created_containers);
  guint i;

  for (i = 0; i < G_N_ELEMENTS (steps); i++) {
    GstBuffer *out;

    rig_set_caps (rig, steps[i].caps);
    out = rig_show (rig, &steps[i].patch, 1);
    assert_roi (out, &steps[i].patch, 6);
    gst_buffer_unref (out);
  }
  g_assert_cmpint (gdino_fake_get (created_containers), ==, created);
  g_assert_cmpuint (stat_of (rig->element, "text-runs"), ==, 1);
  rig_free (rig);
}

/* Pixels of 2:1 lie on the canvas as they look; boxes stay in pixels. */
static void
test_pixel_aspect_ratio (void)
{
  static const char *const caps[] = {
    "RGB,width=320,height=480,pixel-aspect-ratio=2/1",
    "RGB,width=1440,height=1080,pixel-aspect-ratio=4/3",
    "RGB,width=720,height=576,pixel-aspect-ratio=16/15",
  };
  static const Patch patch = { "red", 100, 200, 50, 60 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (caps); i++) {
    Rig *rig = rig_new ("red.", caps[i]);
    GstBuffer *out = rig_show (rig, &patch, 1);

    assert_roi (out, &patch, 8);
    gst_buffer_unref (out);
    rig_free (rig);
  }
}

static void
test_interlaced (void)
{
  static const char *const modes[] = { "interleaved", "mixed" };
  static const Patch patch = { "red", 100, 201, 150, 161 };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (modes); i++) {
    g_autofree gchar *caps = g_strdup_printf ("I420,width=720,height=577,"
        "interlace-mode=%s", modes[i]);
    Rig *rig = rig_new ("red.", caps);
    GstVideoInfo info;
    GstBuffer *buffer;

    rig_get_info (rig, &info);
    buffer = picture_new (&info, &patch, 1);
    GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
    buffer = gst_harness_push_and_pull (rig->harness, buffer);
    assert_roi (buffer, &patch, 6);
    gst_buffer_unref (buffer);
    rig_free (rig);
  }
}

static void
test_pixels_untouched (void)
{
  static const Patch patch = { "red", 10, 10, 100, 100 };
  Rig *rig = rig_new ("red.", "I420,width=333,height=111");
  GstVideoInfo info;
  GstBuffer *in, *out, *copy;
  GstMemory *memory;
  GstMapInfo a, b;

  rig_get_info (rig, &info);
  in = picture_new (&info, &patch, 1);
  GST_BUFFER_PTS (in) = 3 * GST_SECOND;
  GST_BUFFER_FLAG_SET (in, GST_BUFFER_FLAG_GAP);
  memory = gst_buffer_peek_memory (in, 0);
  copy = gst_buffer_copy_deep (in);
  out = gst_harness_push_and_pull (rig->harness, in);
  g_assert_true (gst_buffer_peek_memory (out, 0) == memory);
  g_assert_cmpuint (GST_BUFFER_PTS (out), ==, 3 * GST_SECOND);
  g_assert_true (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_GAP));
  g_assert_cmpuint (roi_count (out), ==, 1);
  gst_buffer_map (out, &a, GST_MAP_READ);
  gst_buffer_map (copy, &b, GST_MAP_READ);
  g_assert_cmpmem (a.data, a.size, b.data, b.size);
  gst_buffer_unmap (out, &a);
  gst_buffer_unmap (copy, &b);
  gst_buffer_unref (copy);
  gst_buffer_unref (out);
  rig_free (rig);
}

/* A crop is downstream's to apply: boxes are in pixels of the whole buffer, as
 * the crop is, and both are passed on. */
static void
test_crop_meta (void)
{
  static const Patch patch = { "red", 300, 200, 100, 100 };
  Rig *rig = rig_new ("red.", "RGB,width=640,height=480");
  GstVideoCropMeta *crop;
  GstVideoInfo info;
  GstBuffer *buffer;

  rig_get_info (rig, &info);
  buffer = picture_new (&info, &patch, 1);
  crop = gst_buffer_add_video_crop_meta (buffer);
  crop->x = 100;
  crop->y = 100;
  crop->width = 400;
  crop->height = 300;
  buffer = gst_harness_push_and_pull (rig->harness, buffer);
  assert_roi (buffer, &patch, 4);
  g_assert_nonnull (gst_buffer_get_video_crop_meta (buffer));
  gst_buffer_unref (buffer);
  rig_free (rig);
}

/* Memory that nobody can map. */
typedef GstAllocator DarkAllocator;
typedef GstAllocatorClass DarkAllocatorClass;
GType dark_allocator_get_type (void);
G_DEFINE_TYPE (DarkAllocator, dark_allocator, GST_TYPE_ALLOCATOR);

static gpointer
dark_map (GstMemory * memory, gsize size, GstMapFlags flags)
{
  return NULL;
}

static void
dark_unmap (GstMemory * memory)
{
}

static void
dark_free (GstAllocator * allocator, GstMemory * memory)
{
  g_free (memory);
}

static void
dark_allocator_class_init (DarkAllocatorClass * klass)
{
  klass->free = dark_free;
}

static void
dark_allocator_init (DarkAllocator * self)
{
  self->mem_type = "DarkMemory";
  self->mem_map = dark_map;
  self->mem_unmap = dark_unmap;
}

static void
test_unmappable (void)
{
  Rig *rig = rig_new ("red.", "RGB,width=64,height=48");
  GstAllocator *allocator = g_object_new (dark_allocator_get_type (), NULL);
  GstMemory *memory = g_new0 (GstMemory, 1);
  GstBuffer *buffer = gst_buffer_new ();

  gst_object_ref_sink (allocator);
  gst_memory_init (memory, GST_MEMORY_FLAG_NO_SHARE, allocator, NULL,
      64 * 48 * 3, 0, 0, 64 * 48 * 3);
  gst_buffer_append_memory (buffer, memory);
  g_assert_cmpint (gst_harness_push (rig->harness, buffer), ==, GST_FLOW_ERROR);
  rig_expect (rig, GST_MESSAGE_ERROR, "DarkMemory");
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR), ==, 0);
  rig_free (rig);
  gst_object_unref (allocator);
}

/* Caps may say anything; what the buffer holds counts. One error names the
 * size, however often the caps are tried. */
static void
test_absurd_sizes (void)
{
  static const struct
  {
    const char *caps, *names;
  } cases[] = {
    {"RGB,width=32768,height=32768", "3221225472 readable bytes for RGB "
          "32768 x 32768"},
    {"GRAY8,width=65536,height=65536", "width=(int)65536, height=(int)65536"},
    {"NV12,width=32768,height=2", "98304 readable bytes for NV12 32768 x 2"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Rig *rig = rig_new ("red.", cases[i].caps);
    const Patch patch = { "red", 10, 10, 40, 40 };
    GstBuffer *out;

    g_assert_cmpint (gst_harness_push (rig->harness,
            gst_buffer_new_allocate (NULL, 100, NULL)), !=, GST_FLOW_OK);
    rig_expect (rig, GST_MESSAGE_ERROR, cases[i].names);
    g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR), ==, 0);

    /* A start tells anew, and with good caps works. */
    rig_restart (rig, cases[i].caps);
    g_assert_cmpint (gst_harness_push (rig->harness,
            gst_buffer_new_allocate (NULL, 100, NULL)), !=, GST_FLOW_OK);
    g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR), ==, 1);
    rig_restart (rig, "RGB,width=160,height=120");
    out = rig_show (rig, &patch, 1);
    assert_roi (out, &patch, 2);
    gst_buffer_unref (out);
    rig_free (rig);
  }
}

static void
push_bad (GstBuffer * buffer, const char *names)
{
  Rig *rig = rig_new ("red.", "I420,width=64,height=48");

  g_assert_cmpint (gst_harness_push (rig->harness, buffer), ==, GST_FLOW_ERROR);
  rig_expect (rig, GST_MESSAGE_ERROR, names);
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR), ==, 0);
  rig_free (rig);
}

static GstBuffer *
described (guint width, guint height, gint stride, gsize third)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64 * 48 * 3 / 2, NULL);
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0, 64 * 48, third };
  gint strides[GST_VIDEO_MAX_PLANES] = { stride, 32, 32 };

  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_I420, width, height, 3, offset, strides);
  return buffer;
}

static void
test_contradictions (void)
{
  const gsize third = 64 * 48 + 32 * 24;

  push_bad (gst_buffer_new_allocate (NULL, 100, NULL), "100 bytes");
  push_bad (gst_buffer_new (), "memory type none");
  push_bad (described (32, 48, 64, third), "32 x 48");
  push_bad (described (64, 24, 64, third), "64 x 24");
  push_bad (described (64, 48, 4096, third), "plane 0");
  push_bad (described (64, 48, -64, third), "stride -64");
  push_bad (described (64, 48, 64, third + 1), "plane 2");
}

/* A decoder may say that there is more picture than the caps show of it. */
static void
test_larger_meta (void)
{
  static const Patch patch = { "red", 10, 5, 20, 10 };
  Rig *rig = rig_new ("red. blue.", "RGB,width=64,height=40");
  GstVideoInfo info;
  GstBuffer *buffer;
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 192 };
  const Patch drawn[] = { patch, {"blue", 0, 40, 64, 8} };

  gst_video_info_set_format (&info, GST_VIDEO_FORMAT_RGB, 64, 48);
  buffer = picture_new (&info, drawn, 2);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_RGB, 64, 48, 1, offset, stride);
  buffer = gst_harness_push_and_pull (rig->harness, buffer);
  g_assert_cmpuint (roi_count (buffer), ==, 1);
  assert_roi (buffer, &patch, 1);
  gst_buffer_unref (buffer);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/frames/sizes", test_sizes);
  g_test_add_func ("/frames/absurd-sizes", test_absurd_sizes);
  g_test_add_func ("/frames/caps-change", test_caps_change);
  g_test_add_func ("/frames/pixel-aspect-ratio", test_pixel_aspect_ratio);
  g_test_add_func ("/frames/interlaced", test_interlaced);
  g_test_add_func ("/frames/pixels-untouched", test_pixels_untouched);
  g_test_add_func ("/frames/crop-meta", test_crop_meta);
  g_test_add_func ("/frames/unmappable", test_unmappable);
  g_test_add_func ("/frames/contradictions", test_contradictions);
  g_test_add_func ("/frames/larger-meta", test_larger_meta);
  return rig_main_run ();
}
