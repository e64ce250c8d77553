/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "rig.h"

#include <string.h>

#define POISON 0xff             /* white, where read as a picture */

static const guint8 colours[FAKE_N_COLOURS][3] = {
  {230, 20, 20}, {20, 230, 20}, {20, 20, 230}, {255, 255, 255}, {0, 0, 0},
  {230, 230, 20}, {20, 230, 230}, {230, 20, 230}
};

static GPtrArray *packages;

void
rig_main_init (int *argc, char ***argv)
{
  const GdinoFakeOptions options = { 0 };

  g_test_init (argc, argv, NULL);
  gdino_fake_use_torch ();
  gst_init (argc, argv);
  packages = g_ptr_array_new_with_free_func (g_free);
  rig_package_new (&options);
}

int
rig_main_run (void)
{
  int code = g_test_run ();
  guint i;

  for (i = 0; i < packages->len; i++)
    gdino_fake_package_remove (g_ptr_array_index (packages, i));
  g_ptr_array_unref (packages);
  gst_deinit ();
  return code;
}

const char *
rig_package (void)
{
  return g_ptr_array_index (packages, 0);
}

const char *
rig_package_new (const GdinoFakeOptions * options)
{
  char *path = gdino_fake_package_new (NULL, options);

  g_ptr_array_add (packages, path);
  return path;
}

GstElement *
rig_element_new (const char *prompt)
{
  GstElement *element = gst_element_factory_make ("groundingdino", NULL);

  g_assert_nonnull (element);
  g_object_set (element, "model", rig_package (), "prompt", prompt, NULL);
  return element;
}

Rig *
rig_new_off_bench (GstElement * element)
{
  Rig *self = g_new0 (Rig, 1);

  self->element = gst_object_ref_sink (element);
  self->bus = gst_bus_new ();
  gst_element_set_bus (element, self->bus);
  return self;
}

Rig *
rig_new_with_element (GstElement * element)
{
  Rig *self = rig_new_off_bench (element);

  self->harness = gst_harness_new_with_element (element, "sink", "src");
  return self;
}

Rig *
rig_new (const char *prompt, const char *caps)
{
  Rig *self = rig_new_with_element (rig_element_new (prompt));

  rig_set_caps (self, caps);
  return self;
}

void
rig_free (Rig * self)
{
  gst_element_set_bus (self->element, NULL);
  if (self->harness != NULL)
    gst_harness_teardown (self->harness);
  else
    gst_element_set_state (self->element, GST_STATE_NULL);
  gst_object_unref (self->element);
  gst_object_unref (self->bus);
  g_free (self);
}

void
rig_set_caps (Rig * self, const char *caps)
{
  g_autofree char *text = g_strdup_printf ("video/x-raw,framerate=25/1,"
      "format=%s", caps);

  gst_harness_set_src_caps_str (self->harness, text);
}

void
rig_restart (Rig * self, const char *caps)
{
  GstSegment segment;

  gst_element_set_state (self->element, GST_STATE_NULL);
  g_assert_cmpint (gst_element_set_state (self->element, GST_STATE_PLAYING), ==,
      GST_STATE_CHANGE_SUCCESS);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (self->harness, gst_event_new_stream_start ("again"));
  rig_set_caps (self, caps);
  gst_harness_push_event (self->harness, gst_event_new_segment (&segment));
}

void
rig_get_info (Rig * self, GstVideoInfo * info)
{
  GstCaps *caps = gst_pad_get_current_caps (self->harness->srcpad);

  g_assert_nonnull (caps);
  g_assert_true (gst_video_info_from_caps (info, caps));
  gst_caps_unref (caps);
}

static const guint8 *
colour_named (const char *name)
{
  guint i;

  for (i = 0; i < FAKE_N_COLOURS; i++)
    if (strcmp (fake_words[FAKE_FIRST_COLOUR + i], name) == 0)
      return colours[i];
  g_assert_not_reached ();
}

static void
paint (GstVideoFrame * frame, const Patch * patches, guint n)
{
  guint i;
  gint x, y;

  for (y = 0; y < GST_VIDEO_FRAME_HEIGHT (frame); y++)
    memset ((guint8 *) frame->data[0] + y * frame->info.stride[0], 128,
        (gsize) frame->info.stride[0]);
  for (i = 0; i < n; i++) {
    const guint8 *rgb = colour_named (patches[i].colour);

    for (y = patches[i].y; y < patches[i].y + patches[i].height; y++) {
      guint8 *row = (guint8 *) frame->data[0] + y * frame->info.stride[0];

      for (x = patches[i].x; x < patches[i].x + patches[i].width; x++)
        memcpy (row + 3 * x, rgb, 3);
    }
  }
}

static void
convert (GstBuffer * from, const GstVideoInfo * rgb, GstBuffer * to,
    const GstVideoInfo * info)
{
  GstVideoConverter *converter = gst_video_converter_new (rgb, info, NULL);
  GstVideoFrame in, out;

  g_assert_nonnull (converter);
  g_assert_true (gst_video_frame_map (&in, rgb, from, GST_MAP_READ));
  g_assert_true (gst_video_frame_map (&out, info, to, GST_MAP_WRITE));
  gst_video_converter_frame (converter, &in, &out);
  gst_video_frame_unmap (&out);
  gst_video_frame_unmap (&in);
  gst_video_converter_free (converter);
}

GstBuffer *
picture_new (const GstVideoInfo * info, const Patch * patches, guint n)
{
  GstVideoInfo rgb, plain = *info;
  GstBuffer *drawn, *buffer;
  GstVideoFrame frame;

  GST_VIDEO_INFO_INTERLACE_MODE (&plain) = GST_VIDEO_INTERLACE_MODE_PROGRESSIVE;
  gst_video_info_set_format (&rgb, GST_VIDEO_FORMAT_RGB, (guint) info->width,
      (guint) info->height);
  rgb.fps_n = info->fps_n;
  rgb.fps_d = info->fps_d;
  drawn = gst_buffer_new_allocate (NULL, rgb.size, NULL);
  g_assert_true (gst_video_frame_map (&frame, &rgb, drawn, GST_MAP_WRITE));
  paint (&frame, patches, n);
  gst_video_frame_unmap (&frame);

  buffer = gst_buffer_new_allocate (NULL, info->size, NULL);
  gst_buffer_memset (buffer, 0, 0, info->size);
  convert (drawn, &rgb, buffer, &plain);
  gst_buffer_unref (drawn);
  return buffer;
}

/* Whole rows: gst_video_frame_copy() leaves out the last sample where two
 * pixels share one and the width is odd. */
static void
copy_plane (GstVideoFrame * to, const GstVideoFrame * from, guint plane)
{
  const gint stride = GST_VIDEO_FRAME_PLANE_STRIDE (from, plane);
  gint components[GST_VIDEO_MAX_COMPONENTS], y;

  gst_video_format_info_component (from->info.finfo, plane, components);
  g_assert_cmpint (GST_VIDEO_FRAME_PLANE_STRIDE (to, plane), >, stride);
  for (y = 0; y < GST_VIDEO_FRAME_COMP_HEIGHT (from, components[0]); y++)
    memcpy ((guint8 *) to->data[plane]
        + y * GST_VIDEO_FRAME_PLANE_STRIDE (to, plane),
        (const guint8 *) from->data[plane] + y * stride, (gsize) stride);
}

GstBuffer *
picture_new_padded (const GstVideoInfo * info, const Patch * patches, guint n,
    guint pad, guint gap)
{
  GstBuffer *plain = picture_new (info, patches, n);
  GstVideoInfo wide = *info;
  GstVideoFrame in, out;
  GstBuffer *buffer;
  gsize offset = gap;
  guint i;

  for (i = 0; i < GST_VIDEO_INFO_N_PLANES (info); i++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];

    gst_video_format_info_component (info->finfo, i, components);
    wide.stride[i] = info->stride[i] + (gint) pad;
    wide.offset[i] = offset;
    offset += (gsize) wide.stride[i] * (gsize)
        GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]) + gap;
  }
  wide.size = offset;
  buffer = gst_buffer_new_allocate (NULL, offset, NULL);
  gst_buffer_memset (buffer, 0, POISON, offset);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), (guint) info->width, (guint) info->height,
      GST_VIDEO_INFO_N_PLANES (info), wide.offset, wide.stride);
  g_assert_true (gst_video_frame_map (&in, info, plain, GST_MAP_READ));
  g_assert_true (gst_video_frame_map (&out, info, buffer, GST_MAP_WRITE));
  for (i = 0; i < GST_VIDEO_INFO_N_PLANES (info); i++)
    copy_plane (&out, &in, i);
  gst_video_frame_unmap (&out);
  gst_video_frame_unmap (&in);
  gst_buffer_unref (plain);
  return buffer;
}

GstBuffer *
rig_show (Rig * self, const Patch * patches, guint n)
{
  GstVideoInfo info;
  GstBuffer *out;

  rig_get_info (self, &info);
  out = gst_harness_push_and_pull (self->harness, picture_new (&info, patches,
          n));
  g_assert_nonnull (out);
  return out;
}

GstBuffer *
rig_show_at (Rig * self, const Patch * patches, guint n, GstClockTime pts)
{
  GstVideoInfo info;
  GstBuffer *buffer;

  rig_get_info (self, &info);
  buffer = picture_new (&info, patches, n);
  GST_BUFFER_PTS (buffer) = pts;
  buffer = gst_harness_push_and_pull (self->harness, buffer);
  g_assert_nonnull (buffer);
  return buffer;
}

void
rig_wait (Rig * self, const char *field, guint64 value)
{
  guint i;

  for (i = 0; stat_of (self->element, field) != value; i++) {
    g_assert_cmpuint (i, <, 30000);
    g_usleep (1000);
  }
}

void
rig_wait_for_runs (gint runs)
{
  guint i;

  for (i = 0; gdino_fake_get (frame_runs) < runs; i++) {
    g_assert_cmpuint (i, <, 10000);
    g_usleep (1000);
  }
}

const GstStructure *
detection_of (GstBuffer * buffer)
{
  GstMeta *meta = gst_buffer_get_meta (buffer,
      GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);

  if (meta == NULL)
    return NULL;
  g_assert_cmpuint (roi_count (buffer), ==, 1);
  return gst_video_region_of_interest_meta_get_param (
      (GstVideoRegionOfInterestMeta *) meta, "detection");
}

GstVideoRegionOfInterestMeta *
roi_of (GstBuffer * buffer, const char *label)
{
  const GQuark type = g_quark_try_string (label);
  GstVideoRegionOfInterestMeta *found = NULL;
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) != NULL) {
    GstVideoRegionOfInterestMeta *roi = (GstVideoRegionOfInterestMeta *) meta;

    if (roi->roi_type == type) {
      g_assert_null (found);
      found = roi;
    }
  }
  return found;
}

guint
roi_count (GstBuffer * buffer)
{
  return gst_buffer_get_n_meta (buffer,
      GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
}

void
assert_roi (GstBuffer * buffer, const Patch * patch, gint slack)
{
  GstVideoRegionOfInterestMeta *roi = roi_of (buffer, patch->colour);

  g_assert_nonnull (roi);
  g_assert_cmpint (ABS ((gint) roi->x - patch->x), <=, slack);
  g_assert_cmpint (ABS ((gint) roi->y - patch->y), <=, slack);
  g_assert_cmpint (ABS ((gint) (roi->x + roi->w) - patch->x - patch->width), <=,
      slack);
  g_assert_cmpint (ABS ((gint) (roi->y + roi->h) - patch->y - patch->height),
      <=, slack);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED TRUE
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED TRUE
#endif
#endif
#ifndef SANITIZED
#define SANITIZED FALSE
#endif

gchar *
rig_tool (const char *name)
{
  gchar *path = g_find_program_in_path (name);

  if (SANITIZED) {
    g_test_skip ("programs of the system cannot load a sanitized plugin");
    g_clear_pointer (&path, g_free);
  } else if (path == NULL) {
    g_test_skip ("a program of GStreamer's is not installed");
  }
  return path;
}

GstMessage *
rig_pop (Rig * self, GstMessageType types)
{
  return gst_bus_pop_filtered (self->bus, types);
}

GstMessage *
rig_pop_named (Rig * self, const char *name)
{
  GstMessage *message;

  while ((message = rig_pop (self, GST_MESSAGE_ELEMENT)) != NULL) {
    if (gst_message_has_name (message, name))
      return message;
    gst_message_unref (message);
  }
  return NULL;
}

static gchar *
text_of (GstMessage * message)
{
  GError *error = NULL;
  gchar *text;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  text = g_strdup (error->message);
  g_error_free (error);
  return text;
}

void
rig_expect (Rig * self, GstMessageType type, const char *text)
{
  GstMessage *message = rig_pop (self, type);
  g_autofree gchar *got = NULL;

  g_assert_nonnull (message);
  got = text_of (message);
  gst_message_unref (message);
  g_test_message ("%s", got);
  if (strstr (got, text) == NULL)
    g_error ("message \"%s\" does not name \"%s\"", got, text);
}

guint
rig_drain (Rig * self, GstMessageType types)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop (self->bus)) != NULL) {
    if (GST_MESSAGE_TYPE (message) & types)
      n++;
    gst_message_unref (message);
  }
  return n;
}

guint64
stat_of (GstElement * element, const char *field)
{
  GstStructure *stats = NULL;
  guint64 value = G_MAXUINT64;

  g_object_get (element, "stats", &stats, NULL);
  g_assert_nonnull (stats);
  g_assert_true (gst_structure_get_uint64 (stats, field, &value));
  gst_structure_free (stats);
  return value;
}
