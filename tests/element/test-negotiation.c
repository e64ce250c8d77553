/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Which caps pass, which do not, and what is said to upstream about memory. */
#include "rig.h"

static gboolean
accepts (Rig * rig, const char *text)
{
  GstCaps *caps = gst_caps_from_string (text);
  gboolean yes = gst_pad_query_accept_caps (rig->element->sinkpads->data, caps);

  gst_caps_unref (caps);
  return yes;
}

static void
test_accept (void)
{
  Rig *rig = rig_new_with_element (rig_element_new ("red."));

  g_assert_true (accepts (rig, "video/x-raw,format=RGB,width=64,height=48,"
          "framerate=25/1"));
  g_assert_true (accepts (rig, "video/x-raw,format=NV12,width=1,height=1"));
  g_assert_true (accepts (rig, "video/x-raw,format=GRAY8,width=8192,"
          "height=8192,framerate=0/1"));
  g_assert_true (accepts (rig, "video/x-raw,format=I420,width=720,height=576,"
          "interlace-mode=interleaved"));
  g_assert_false (accepts (rig, "video/x-raw(memory:VASurface),format=NV12,"
          "width=64,height=48"));
  g_assert_false (accepts (rig, "video/x-raw(memory:CUDAMemory),format=NV12,"
          "width=64,height=48"));
  g_assert_false (accepts (rig, "video/x-raw(memory:DMABuf),format=NV12,"
          "width=64,height=48"));
  g_assert_false (accepts (rig, "video/x-raw(format:Interlaced),format=NV12,"
          "interlace-mode=alternate,width=64,height=48"));
  g_assert_false (accepts (rig, "video/x-raw,format=RGB,width=65537,height=1"));
  g_assert_false (accepts (rig, "video/x-raw,format=RGB,width=0,height=48"));
  g_assert_false (accepts (rig, "image/jpeg,width=64,height=48"));
  rig_free (rig);
}

static GstCaps *
caps_between (const char *source, const char *sink)
{
  Rig *rig = rig_new_with_element (rig_element_new ("red."));
  GstCaps *caps;

  if (source != NULL)
    gst_harness_set_src_caps_str (rig->harness, source);
  if (sink != NULL)
    gst_harness_set_sink_caps_str (rig->harness, sink);
  caps = gst_pad_query_caps (rig->element->sinkpads->data, NULL);
  rig_free (rig);
  return caps;
}

/* What downstream takes is what upstream is asked for. */
static void
test_same_caps_both_sides (void)
{
  GstCaps *want = gst_caps_from_string ("video/x-raw,format=NV12,"
      "width=[2,1000],height=480");
  GstCaps *got = caps_between (NULL, "video/x-raw,format=NV12,width=[2,1000],"
      "height=480");

  g_assert_true (gst_caps_is_equal (want, got));
  gst_caps_unref (want);
  gst_caps_unref (got);
}

/* A camera that offers 20 kinds: all that are raw come through, in order. */
static void
test_many_structures (void)
{
  GstCaps *offer = gst_caps_new_empty ();
  GstElement *element = rig_element_new ("red.");
  GstPad *sink = element->sinkpads->data;
  GstCaps *got;
  guint i, raw = 0;

  for (i = 0; i < 20; i++) {
    static const char *const kinds[] = {
      "video/x-raw,format=YUY2", "video/x-raw,format=NV12", "image/jpeg",
      "video/x-raw(memory:DMABuf),format=NV12"
    };
    g_autofree gchar *text = g_strdup_printf ("%s,width=%u,height=480,"
        "framerate=30/1", kinds[i % 4], 320 + 16 * i);

    gst_caps_append (offer, gst_caps_from_string (text));
  }
  got = gst_pad_query_caps (sink, offer);
  g_assert_cmpuint (gst_caps_get_size (got), ==, 10);
  for (i = 0; i < 20; i++) {
    if (i % 4 > 1)
      continue;
    g_assert_true (gst_structure_is_equal (gst_caps_get_structure (got, raw++),
            gst_caps_get_structure (offer, i)));
  }
  gst_caps_unref (got);
  gst_caps_unref (offer);
  gst_object_unref (element);
}

static void
test_fields_refused (void)
{
  Rig *rig = rig_new_with_element (rig_element_new ("red."));
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 64 * 48 * 3, NULL);

  rig_set_caps (rig, "RGB,width=64,height=48,interlace-mode=fields");
  g_assert_cmpint (gst_harness_push (rig->harness, buffer), ==,
      GST_FLOW_NOT_NEGOTIATED);
  rig_expect (rig, GST_MESSAGE_ERROR, "interlace-mode=fields");
  rig_free (rig);
}

/* No pictures at all in the caps: still an error message, not only a flow. */
static void
test_incomplete_caps (void)
{
  Rig *rig = rig_new_with_element (rig_element_new ("red."));

  gst_harness_set_src_caps_str (rig->harness, "video/x-raw,width=64");
  g_assert_cmpint (gst_harness_push (rig->harness, gst_buffer_new ()), ==,
      GST_FLOW_NOT_NEGOTIATED);
  rig_free (rig);
}

static GstQuery *
ask_allocation (Rig * rig)
{
  GstCaps *caps = gst_pad_get_current_caps (rig->harness->srcpad);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);

  gst_caps_unref (caps);
  g_assert_true (gst_pad_peer_query (rig->harness->srcpad, query));
  return query;
}

/* Buffers go on as they come: strides are free where downstream reads
 * GstVideoMeta too, and a crop is never left to us. */
static void
test_allocation (void)
{
  Rig *rig = rig_new_with_element (rig_element_new ("red."));
  GstQuery *query;

  gst_harness_add_propose_allocation_meta (rig->harness,
      GST_VIDEO_META_API_TYPE, NULL);
  gst_harness_add_propose_allocation_meta (rig->harness,
      GST_VIDEO_CROP_META_API_TYPE, NULL);
  rig_set_caps (rig, "RGB,width=64,height=48");
  query = ask_allocation (rig);
  g_assert_true (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE,
          NULL));
  g_assert_false (gst_query_find_allocation_meta (query,
          GST_VIDEO_CROP_META_API_TYPE, NULL));
  gst_query_unref (query);
  rig_free (rig);

  rig = rig_new ("red.", "RGB,width=64,height=48");
  query = ask_allocation (rig);
  g_assert_false (gst_query_find_allocation_meta (query,
          GST_VIDEO_META_API_TYPE, NULL));
  gst_query_unref (query);
  rig_free (rig);
}

/* The orientation tag of a phone's clip goes on and is not applied. */
static void
test_orientation_tag (void)
{
  static const Patch patch = { "red", 10, 5, 30, 10 };
  Rig *rig = rig_new ("red.", "RGB,width=64,height=48");
  GstEvent *event;
  gboolean seen = FALSE;
  GstBuffer *out;

  gst_harness_push_event (rig->harness,
      gst_event_new_tag (gst_tag_list_new (GST_TAG_IMAGE_ORIENTATION,
              "rotate-90", NULL)));
  out = rig_show (rig, &patch, 1);
  assert_roi (out, &patch, 1);
  while ((event = gst_harness_try_pull_event (rig->harness)) != NULL) {
    seen |= GST_EVENT_TYPE (event) == GST_EVENT_TAG;
    gst_event_unref (event);
  }
  g_assert_true (seen);
  gst_buffer_unref (out);
  rig_free (rig);
}

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  g_test_add_func ("/negotiation/accept", test_accept);
  g_test_add_func ("/negotiation/same-caps", test_same_caps_both_sides);
  g_test_add_func ("/negotiation/many-structures", test_many_structures);
  g_test_add_func ("/negotiation/fields-refused", test_fields_refused);
  g_test_add_func ("/negotiation/incomplete-caps", test_incomplete_caps);
  g_test_add_func ("/negotiation/allocation", test_allocation);
  g_test_add_func ("/negotiation/orientation-tag", test_orientation_tag);
  return rig_main_run ();
}
