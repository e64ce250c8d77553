/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "parts.h"

#include <string.h>

/* @value in double quotes, as gst_parse_launch() reads it back. */
static char *
quote (const char *value)
{
  GString *text = g_string_new ("\"");

  for (; *value != '\0'; value++) {
    if (*value == '"' || *value == '\\')
      g_string_append_c (text, '\\');
    g_string_append_c (text, *value);
  }
  return g_string_free (g_string_append_c (text, '"'), FALSE);
}

/* Clips of phones lie on their side, and a tag says so. */
static char *
decoded (const char *uri)
{
  g_autofree char *quoted = quote (uri);

  return g_strdup_printf ("uridecodebin uri=%s ! videoconvert ! "
      "videoflip video-direction=auto", quoted);
}

char *
parts_source (const char *source, GError ** error)
{
  g_autofree char *text = NULL;

  if (strcmp (source, "camera") == 0)
    return g_strdup ("autovideosrc");
  if (strcmp (source, "test") == 0)
    return g_strdup ("videotestsrc is-live=true ! "
        "video/x-raw,width=640,height=480,framerate=30/1");
  if (g_str_has_prefix (source, "/dev/video")) {
    text = quote (source);
    return g_strdup_printf ("v4l2src device=%s ! decodebin", text);
  }
  if (gst_uri_is_valid (source))
    return decoded (source);
  if (!g_file_test (source, G_FILE_TEST_IS_REGULAR)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "%s: no such file", source);
    return NULL;
  }
  text = gst_filename_to_uri (source, error);
  return text != NULL ? decoded (text) : NULL;
}

gboolean
parts_source_is_live (const char *source)
{
  return strcmp (source, "camera") == 0 || strcmp (source, "test") == 0
      || g_str_has_prefix (source, "/dev/video")
      || (gst_uri_is_valid (source) && !gst_uri_has_protocol (source, "file"));
}

char *
parts_recording (const char *path)
{
  g_autofree char *location = quote (path);

  return g_strdup_printf ("videoconvert ! vp8enc deadline=1 cpu-used=6 "
      "threads=2 end-usage=cq cq-level=12 target-bitrate=20000000 "
      "keyframe-max-dist=60 ! webmmux ! filesink location=%s", location);
}
