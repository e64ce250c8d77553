/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What the element costs beside its graph: frames of 1080p and of 720p to a
 * canvas of 960x544 with a graph that computes nothing, in turns with
 * videoconvertscale, which does the same conversion. Numbers for people and for
 * tools/bench; no test. */

#include <gst/check/gstharness.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include "bench-common.h"
#include "make-package.h"

#define CANVAS_WIDTH 960
#define CANVAS_HEIGHT 544
#define QUERIES 900
#define TOKENS 256
#define MOST_ROUNDS 100

#define RATIO_LIMIT 1.2
#define REST_LIMIT_MS 1.0

/* What takes turns; each round measures all. */
enum
{
  CONVERT,                      /* the element's way to its canvas */
  REST,                         /* all else in it but the graph */
  WHOLE,                        /* a push through the element, with the graph */
  SCALE,                        /* videoconvertscale as it comes, 1 thread */
  SCALE_2,                      /* the same with 2 threads */
  SMOOTH,                       /* its filter that averages, as ours does */
  N_ROWS
};

static const char *const names[N_ROWS] = {
  "element, conversion", "element, everything else", "element, with fake graph",
  "videoconvertscale", "videoconvertscale, 2 threads",
  "videoconvertscale, bilinear2"
};

/* From 1080p two pixels and more make one, from 720p less. */
static const struct
{
  const char *format, *size;
  guint width, height;
} frames[] = {
  {"NV12", "1080p", 1920, 1080},
  {"I420", "1080p", 1920, 1080},
  {"BGRx", "1080p", 1920, 1080},
  {"RGB", "1080p", 1920, 1080},
  {"YUY2", "1080p", 1920, 1080},
  {"NV12", "720p", 1280, 720},
  {"RGB", "720p", 1280, 720},
  {"YUY2", "720p", 1280, 720}
};

typedef struct
{
  GstHarness *detector;
  GstHarness *scalers[3];       /* SCALE, SCALE_2, SMOOTH */
  GstBuffer *frame;
  double ms[N_ROWS][MOST_ROUNDS];
} Bench;

static gboolean
has_element (const char *name)
{
  GstElementFactory *factory = gst_element_factory_find (name);
  const gboolean found = factory != NULL;

  gst_clear_object (&factory);
  return found;
}

/* videoconvertscale is new in GStreamer 1.22. */
static GstHarness *
scaler_new (const char *caps, guint threads, const char *method)
{
  g_autofree char *line = NULL;
  g_autofree char *wanted =
      g_strdup_printf ("video/x-raw,format=RGB,width=%d,height=%d,"
      "framerate=25/1,pixel-aspect-ratio=1/1", CANVAS_WIDTH, CANVAS_HEIGHT);
  GstHarness *harness;

  if (has_element ("videoconvertscale"))
    line = g_strdup_printf ("videoconvertscale n-threads=%u method=%s "
        "dither=none", threads, method);
  else
    line = g_strdup_printf ("videoconvert n-threads=%u dither=none ! "
        "videoscale n-threads=%u method=%s", threads, threads, method);
  harness = gst_harness_new_parse (line);
  gst_harness_set_src_caps_str (harness, caps);
  gst_harness_set_sink_caps_str (harness, wanted);
  return harness;
}

static GstHarness *
detector_new (const char *caps, const char *package)
{
  GstElement *element =
      gst_object_ref_sink (gst_element_factory_make ("groundingdino", NULL));
  GstHarness *harness;

  g_object_set (element, "model", package, "prompt",
      "a red. a blue. a green. a white. a black. cat. dog. car. cup. bird.",
      NULL);
  harness = gst_harness_new_with_element (element, "sink", "src");
  gst_harness_set_src_caps_str (harness, caps);
  gst_object_unref (element);
  return harness;
}

/* Soft noise: neither flat nor without any pattern. */
static GstBuffer *
frame_new (const char *caps_text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);
  GstVideoInfo info;
  GstBuffer *buffer;
  GstMapInfo map;

  if (!gst_video_info_from_caps (&info, caps))
    g_error ("bad caps %s", caps_text);
  buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = (guint8) (100 + (i >> 3) * 7919 % 50);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* Milliseconds from pushing a frame until it, or what became of it, is out. */
static double
push (GstHarness * harness, GstBuffer * frame)
{
  GstBuffer *in = gst_buffer_copy (frame);
  GstBuffer *out;
  const gint64 begin = g_get_monotonic_time ();

  out = gst_harness_push_and_pull (harness, in);
  if (out == NULL)
    g_error ("no frame came out");
  gst_buffer_unref (out);
  return (double) (g_get_monotonic_time () - begin) / 1000;
}

static guint64
stat_of (GstHarness * harness, const char *field)
{
  GstElement *element = gst_harness_find_element (harness, "groundingdino");
  g_autoptr (GstStructure) stats = NULL;
  guint64 value = 0;

  g_object_get (element, "stats", &stats, NULL);
  if (!gst_structure_get_uint64 (stats, field, &value))
    g_error ("stats have no %s", field);
  gst_object_unref (element);
  return value;
}

static void
measure_round (Bench * self, guint round)
{
  double convert, graph;

  self->ms[WHOLE][round] = push (self->detector, self->frame);
  convert = (double) stat_of (self->detector, "convert-time") / GST_MSECOND;
  graph = (double) stat_of (self->detector, "graph-time") / GST_MSECOND;
  self->ms[CONVERT][round] = convert;
  self->ms[REST][round] = self->ms[WHOLE][round] - convert - graph;
  for (guint i = 0; i < G_N_ELEMENTS (self->scalers); i++)
    self->ms[SCALE + i][round] = push (self->scalers[i], self->frame);
}

static void
report (Bench * self, guint which, guint rounds, GString * json)
{
  g_autofree char *title =
      g_strdup_printf ("%s %s", frames[which].format, frames[which].size);
  BenchTimes times[N_ROWS];

  for (guint i = 0; i < N_ROWS; i++) {
    g_autofree char *name = g_strdup_printf ("%s: %s", title, names[i]);

    times[i] = bench_times (self->ms[i], rounds);
    g_print ("%-10s %-30s %7.3f %7.3f %7.3f\n", title, names[i],
        times[i].median, times[i].p10, times[i].p90);
    bench_json_add (json, name, times[i]);
  }
  if (which == 0) {
    bench_target ("element: conversion of 1080p NV12, times "
        "videoconvertscale's", times[CONVERT].median / times[SCALE].median,
        RATIO_LIMIT);
    bench_target ("element: everything else, ms", times[REST].median,
        REST_LIMIT_MS);
  }
}

static void
run (guint which, const char *package, guint rounds, GString * json)
{
  g_autofree char *caps = g_strdup_printf ("video/x-raw,format=%s,width=%d,"
      "height=%d,framerate=25/1", frames[which].format,
      frames[which].width, frames[which].height);
  g_autofree Bench *self = g_new0 (Bench, 1);

  self->frame = frame_new (caps);
  self->detector = detector_new (caps, package);
  self->scalers[0] = scaler_new (caps, 1, "bilinear");
  self->scalers[1] = scaler_new (caps, 2, "bilinear");
  self->scalers[2] = scaler_new (caps, 1, "bilinear2");
  measure_round (self, 0);
  for (guint i = 0; i < rounds; i++)
    measure_round (self, i);
  report (self, which, rounds, json);
  for (guint i = 0; i < G_N_ELEMENTS (self->scalers); i++)
    gst_harness_teardown (self->scalers[i]);
  gst_harness_teardown (self->detector);
  gst_buffer_unref (self->frame);
}

int
main (int argc, char **argv)
{
  const GdinoFakeOptions options = {.width = CANVAS_WIDTH,
    .height = CANVAS_HEIGHT,.queries = QUERIES,.text_tokens = TOKENS,
    .features = 256
  };
  g_autoptr (GString) json = g_string_new (NULL);
  g_autofree char *package = NULL;
  BenchArgs args;

  bench_args_read (&args, argc, argv);
  g_setenv ("GDINO_FAKES_DIR", FAKES_DIR, FALSE);
  g_setenv ("GST_PLUGIN_PATH", PLUGIN_DIR, FALSE);
  gdino_fake_use_torch ();
  gst_init (NULL, NULL);
  if (!has_element ("groundingdino"))
    g_error ("no element groundingdino in GST_PLUGIN_PATH");
  package = gdino_fake_package_new (NULL, &options);

  g_print ("%-41s  median     p10     p90  ms\n", "a frame to 960x544");
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++)
    run (i, package, args.quick ? 10 : MOST_ROUNDS, json);
  bench_json_write (&args, json);
  gdino_fake_package_remove (package);
  return 0;
}
