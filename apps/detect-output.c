/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "detect-output.h"

#include <gst/video/video.h>
#include <json-glib/json-glib.h>

#include "json-text.h"

#define ENCODER_TIMEOUT (30 * GST_SECOND)

/* json-glib writes strings; numbers are written here, since it would show all
 * 17 digits of a score. */
static void
append_string (GString * line, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  JsonNode *node = json_node_init_string (json_node_alloc (), valid);
  g_autofree char *quoted = json_text_new (node, FALSE);

  g_string_append (line, quoted);
  json_node_unref (node);
}

static void
append_detection (GString * line, GdinoDetections * found, guint index)
{
  const GdinoDetection *box = gdino_detections_get (found, index);
  char score[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (line, index > 0 ? ",{\"label\":" : "{\"label\":");
  append_string (line, gdino_detections_get_label (found, index));
  g_ascii_formatd (score, sizeof score, "%.4f", (double) box->score);
  g_string_append_printf (line, ",\"score\":%s,\"box\":[%d,%d,%d,%d]}", score,
      box->x, box->y, box->width, box->height);
}

gboolean
detect_output_write_line (FILE * stream, const DetectFrame * frame,
    GdinoDetections * found)
{
  GdinoPrompt *prompt = gdino_detections_get_prompt (found);
  g_autoptr (GString) line = g_string_new ("{\"file\":");

  append_string (line, frame->file);
  g_string_append_printf (line, ",\"frame\":%" G_GUINT64_FORMAT ",\"pts\":",
      frame->number);
  if (GST_CLOCK_TIME_IS_VALID (frame->pts))
    g_string_append_printf (line, "%" G_GUINT64_FORMAT, frame->pts);
  else
    g_string_append (line, "null");
  g_string_append_printf (line, ",\"width\":%u,\"height\":%u,\"prompt\":",
      frame->width, frame->height);
  append_string (line, gdino_prompt_get_text (prompt));
  g_string_append_printf (line, ",\"revision\":%" G_GUINT64_FORMAT
      ",\"detections\":[", gdino_prompt_get_revision (prompt));
  for (guint i = 0; i < gdino_detections_get_n (found); i++)
    append_detection (line, found, i);
  g_string_append (line, "]}\n");

  return fwrite (line->str, 1, line->len, stream) == line->len
      && fflush (stream) == 0;
}

gboolean
detect_output_write_picture (const char *path, GstSample * picture,
    const char *format, GError ** error)
{
  g_autofree char *type = g_strconcat ("image/", format, NULL);
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple (type);
  g_autoptr (GError) reason = NULL;
  GstSample *encoded = gst_video_convert_sample (picture, caps,
      ENCODER_TIMEOUT, &reason);
  GstMapInfo map;
  gboolean ok;

  if (encoded == NULL) {
    g_set_error (error, reason->domain, reason->code, "%s cannot be encoded as "
        "%s: %s (the encoders are in GStreamer's good plugins)", path, format,
        reason->message);
    return FALSE;
  }
  ok = gst_buffer_map (gst_sample_get_buffer (encoded), &map, GST_MAP_READ);
  if (ok) {
    ok = g_file_set_contents (path, (const char *) map.data,
        (gssize) map.size, error);
    gst_buffer_unmap (gst_sample_get_buffer (encoded), &map);
  } else {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "%s: the encoder's memory cannot be read", path);
  }
  gst_sample_unref (encoded);
  return ok;
}
