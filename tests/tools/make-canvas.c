/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* make-canvas WIDTH HEIGHT FILE OUTPUT [CAPS]: writes the RGB bytes of the
 * canvas that gdino-detect and the element make of the first frame of FILE, on
 * black. With CAPS, FILE holds the bytes of one frame of that kind instead.
 * Prints the place of the picture on the canvas: x, y, width, height. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detect-source.h"
#include "gstgdinoframe.h"

static void
fail (GError * error)
{
  fprintf (stderr, "make-canvas: %s\n",
      error != NULL ? error->message : "no frame");
  exit (1);
}

static GstSample *
read_raw (const char *file, const char *caps_text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);
  g_autoptr (GstBuffer) buffer = NULL;
  char *bytes = NULL;
  gsize size = 0;

  if (!g_file_get_contents (file, &bytes, &size, &error))
    fail (error);
  buffer = gst_buffer_new_wrapped (bytes, size);
  return gst_sample_new (buffer, caps, NULL, NULL);
}

static GstSample *
decode (const char *file)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (DetectSource) source = detect_source_open (file, &error);
  GstSample *sample = NULL;

  if (source != NULL)
    sample = detect_source_pull (source, &error);
  if (sample == NULL)
    fail (error);
  return sample;
}

int
main (int argc, char **argv)
{
  static const guint8 black[3] = { 0, 0, 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GstSample) sample = NULL;
  g_autoptr (GstGdinoFrame) frame = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const GdinoLetterbox *box;
  const guint8 *canvas;
  GstVideoInfo info;
  gsize stride;

  if (argc < 5 || argc > 6) {
    fprintf (stderr, "usage: make-canvas WIDTH HEIGHT FILE OUTPUT [CAPS]\n");
    return 2;
  }
  gst_init (NULL, NULL);
  sample = argc > 5 ? read_raw (argv[3], argv[5]) : decode (argv[3]);
  if (!gst_video_info_from_caps (&info, gst_sample_get_caps (sample))) {
    fprintf (stderr, "make-canvas: %s: not raw video\n", argv[3]);
    return 1;
  }
  frame = gst_gdino_frame_new (&info, (guint) atoi (argv[1]),
      (guint) atoi (argv[2]), black, &error);
  if (frame == NULL
      || !gst_gdino_frame_load (frame, gst_sample_get_buffer (sample), &error))
    fail (error);

  canvas = gst_gdino_frame_get_canvas (frame, &stride);
  box = gst_gdino_frame_get_letterbox (frame);
  for (guint y = 0; y < box->canvas_height; y++)
    g_byte_array_append (bytes, canvas + y * stride, box->canvas_width * 3);
  if (!g_file_set_contents (argv[4], (char *) bytes->data,
          (gssize) bytes->len, &error))
    fail (error);
  printf ("%u %u %u %u\n", box->x, box->y, box->width, box->height);
  return 0;
}
