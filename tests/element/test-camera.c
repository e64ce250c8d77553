/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Sources like those of cameras: one that offers dozens of kinds of frames, and
 * frames that lie in a DMABuf. */
#include "rig.h"

#include <errno.h>
#include <gst/allocators/gstdmabuf.h>
#include <gst/base/gstpushsrc.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KINDS 20

static const Patch red = { "red", 40, 40, 100, 80 };

/* A camera that offers 20 kinds: compressed, raw, in memory of devices. */
typedef struct
{
  GstPushSrc parent;
  GstCaps *offer;
  GstVideoInfo info;
} CameraSrc;

typedef GstPushSrcClass CameraSrcClass;
GType camera_src_get_type (void);
G_DEFINE_TYPE (CameraSrc, camera_src, GST_TYPE_PUSH_SRC);

/* Such as v4l2src: the first is no raw one. */
static GstCaps *
make_offer (void)
{
  static const char *const kinds[] = {
    "image/jpeg", "video/x-raw(memory:DMABuf),format=NV12",
    "video/x-raw,format=YUY2", "video/x-raw,format=NV12",
  };
  GstCaps *offer = gst_caps_new_empty ();

  for (guint i = 0; i < KINDS; i++) {
    g_autofree gchar *text = g_strdup_printf ("%s,width=%u,height=240,"
        "framerate=30/1,interlace-mode=progressive,"
        "pixel-aspect-ratio=1/1", kinds[i % 4], 320 + 16 * i);

    gst_caps_append (offer, gst_caps_from_string (text));
  }
  return offer;
}

static GstCaps *
camera_src_get_caps (GstBaseSrc * base, GstCaps * filter)
{
  GstCaps *offer = ((CameraSrc *) base)->offer;

  return filter == NULL ? gst_caps_ref (offer) :
      gst_caps_intersect_full (filter, offer, GST_CAPS_INTERSECT_FIRST);
}

static gboolean
camera_src_set_caps (GstBaseSrc * base, GstCaps * caps)
{
  return gst_video_info_from_caps (&((CameraSrc *) base)->info, caps);
}

static GstFlowReturn
camera_src_create (GstPushSrc * base, GstBuffer ** buffer)
{
  *buffer = picture_new (&((CameraSrc *) base)->info, &red, 1);
  return GST_FLOW_OK;
}

static void
camera_src_finalize (GObject * object)
{
  gst_caps_unref (((CameraSrc *) object)->offer);
  G_OBJECT_CLASS (camera_src_parent_class)->finalize (object);
}

static void
camera_src_class_init (CameraSrcClass * klass)
{
  GST_BASE_SRC_CLASS (klass)->get_caps = camera_src_get_caps;
  GST_BASE_SRC_CLASS (klass)->set_caps = camera_src_set_caps;
  klass->create = camera_src_create;
  G_OBJECT_CLASS (klass)->finalize = camera_src_finalize;
  gst_element_class_add_pad_template (GST_ELEMENT_CLASS (klass),
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_CAPS_ANY));
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "camera",
      "Source/Video", "Offers 20 kinds", "gst-gdino");
}

static void
camera_src_init (CameraSrc * self)
{
  self->offer = make_offer ();
}

static GstPadProbeReturn
count_boxes (GstPad * pad, GstPadProbeInfo * info, gpointer counter)
{
  assert_roi (GST_PAD_PROBE_INFO_BUFFER (info), &red, 4);
  g_atomic_int_inc ((gint *) counter);
  return GST_PAD_PROBE_OK;
}

static void
test_many_kinds (void)
{
  static const struct
  {
    const char *filter, *format;
    gint width;
  } cases[] = {
    /* The first that is raw, in the camera's order. */
    {"", "YUY2", 352},
    {"! video/x-raw,format=NV12", "NV12", 368},
    {"! video/x-raw,width=624", "NV12", 624},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *line = g_strdup_printf ("camerasrc num-buffers=5 name=c "
        "%s ! groundingdino name=d model=\"%s\" prompt=\"red.\" ! "
        "videoconvert ! fakesink", cases[i].filter, rig_package ());
    GstElement *pipeline = gst_parse_launch (line, NULL);
    g_autoptr (GstElement) detector = NULL;
    g_autoptr (GstElement) camera = NULL;
    g_autoptr (GstBus) bus = NULL;
    GstMessage *message;
    gint boxed = 0;

    g_assert_nonnull (pipeline);
    detector = gst_bin_get_by_name (GST_BIN (pipeline), "d");
    camera = gst_bin_get_by_name (GST_BIN (pipeline), "c");
    bus = gst_element_get_bus (pipeline);
    gst_pad_add_probe (detector->srcpads->data, GST_PAD_PROBE_TYPE_BUFFER,
        count_boxes, &boxed, NULL);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    message = gst_bus_timed_pop_filtered (bus, 30 * GST_SECOND,
        GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    g_assert_nonnull (message);
    g_assert_cmpint (GST_MESSAGE_TYPE (message), ==, GST_MESSAGE_EOS);
    gst_message_unref (message);
    g_assert_cmpint (g_atomic_int_get (&boxed), ==, 5);
    g_assert_cmpstr (GST_VIDEO_INFO_NAME (&((CameraSrc *) camera)->info), ==,
        cases[i].format);
    g_assert_cmpint (((CameraSrc *) camera)->info.width, ==, cases[i].width);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
  }
}

/* Plain caps, but the frame lies in a DMABuf, as of v4l2src and decoders: it is
 * mapped. (Of memory the kernel calls shared; GStreamer maps both alike.) */
static void
test_dmabuf (void)
{
  Rig *rig = rig_new ("red.", "NV12,width=320,height=240");
  GstAllocator *allocator = gst_dmabuf_allocator_new ();
  GstBuffer *plain, *buffer = gst_buffer_new ();
  GstVideoInfo info;
  GstMapInfo map;
  gsize size;
  int fd;

  rig_get_info (rig, &info);
  plain = picture_new (&info, &red, 1);
  size = gst_buffer_get_size (plain);
  fd = memfd_create ("frame", MFD_CLOEXEC);
  g_assert_cmpint (fd, >=, 0);
  g_assert_true (gst_buffer_map (plain, &map, GST_MAP_READ));
  g_assert_cmpint (write (fd, map.data, size), ==, (gssize) size);
  gst_buffer_unmap (plain, &map);
  gst_buffer_append_memory (buffer, gst_dmabuf_allocator_alloc (allocator, fd,
          size));
  gst_buffer_unref (plain);

  buffer = gst_harness_push_and_pull (rig->harness, buffer);
  g_assert_nonnull (buffer);
  assert_roi (buffer, &red, 4);
  g_assert_true (gst_is_dmabuf_memory (gst_buffer_peek_memory (buffer, 0)));
  gst_buffer_unref (buffer);
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING),
      ==, 0);
  rig_free (rig);
  gst_object_unref (allocator);
}

/* One that cannot be mapped: one error that names the memory. */
static void
test_dmabuf_unmappable (void)
{
  Rig *rig = rig_new ("red.", "NV12,width=320,height=240");
  GstAllocator *allocator = gst_dmabuf_allocator_new ();
  GstBuffer *buffer = gst_buffer_new ();
  int pipes[2];

  /* mmap() knows nothing of pipes. */
  g_assert_cmpint (pipe (pipes), ==, 0);
  gst_buffer_append_memory (buffer, gst_dmabuf_allocator_alloc (allocator,
          pipes[0], 320 * 240 * 3 / 2));
  g_assert_cmpint (gst_harness_push (rig->harness, buffer), ==, GST_FLOW_ERROR);
  rig_expect (rig, GST_MESSAGE_ERROR, GST_ALLOCATOR_DMABUF);
  g_assert_cmpuint (rig_drain (rig, GST_MESSAGE_ERROR), ==, 0);
  close (pipes[1]);
  rig_free (rig);
  gst_object_unref (allocator);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  gst_element_register (NULL, "camerasrc", GST_RANK_NONE,
      camera_src_get_type ());
  g_test_add_func ("/camera/many-kinds", test_many_kinds);
  g_test_add_func ("/camera/dmabuf", test_dmabuf);
  g_test_add_func ("/camera/dmabuf-unmappable", test_dmabuf_unmappable);
  return rig_main_run ();
}
