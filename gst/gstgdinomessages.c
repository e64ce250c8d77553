/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinomessages.h"

#include <string.h>

#include "gstgdinoprompt.h"

#define GST_CAT_DEFAULT gst_grounding_dino_debug

static void
map_error (const GError * error, GQuark * domain, gint * code)
{
  *domain = error->domain;
  *code = error->code;
  if (error->domain != GDINO_ERROR)
    return;

  *domain = GST_RESOURCE_ERROR;
  switch ((GdinoError) error->code) {
    case GDINO_ERROR_NOT_FOUND:
      *code = GST_RESOURCE_ERROR_NOT_FOUND;
      break;
    case GDINO_ERROR_CORRUPT:
      *code = GST_RESOURCE_ERROR_READ;
      break;
    case GDINO_ERROR_INVALID_ARGUMENT:
    case GDINO_ERROR_PROMPT:
      *code = GST_RESOURCE_ERROR_SETTINGS;
      break;
    case GDINO_ERROR_INCOMPATIBLE:
    case GDINO_ERROR_RUNTIME:
      *domain = GST_LIBRARY_ERROR;
      *code = GST_LIBRARY_ERROR_INIT;
      break;
    case GDINO_ERROR_MEMORY:
      *code = GST_RESOURCE_ERROR_NO_SPACE_LEFT;
      break;
    case GDINO_ERROR_GRAPH:
      *domain = GST_LIBRARY_ERROR;
      *code = GST_LIBRARY_ERROR_FAILED;
      break;
  }
}

void
gst_gdino_post (GstElement * element, GstMessageType type,
    const GError * error, const gchar * debug)
{
  GQuark domain;
  gint code;

  map_error (error, &domain, &code);
  gst_element_message_full (element, type, domain, code,
      g_strdup (error->message), g_strdup (debug), __FILE__,
      GST_FUNCTION, __LINE__);
}

void
gst_gdino_post_prompt (GstElement * element, GdinoPrompt * prompt)
{
  g_autofree gchar *complaints = gst_gdino_prompt_complaints (prompt);
  const gchar *text = gdino_prompt_get_text (prompt);

  GST_INFO_OBJECT (element,
      "prompt \"%s\": %u phrases, %u of %u tokens, revision " "%"
      G_GUINT64_FORMAT, text, gdino_prompt_get_n_phrases (prompt),
      gst_gdino_prompt_count_tokens (prompt),
      gdino_prompt_get_n_passes (prompt) * gdino_prompt_get_n_tokens (prompt),
      gdino_prompt_get_revision (prompt));
  if (strpbrk (text, ",;") != NULL)
    GST_INFO_OBJECT (element,
        "only '.' and '?' end a phrase; ',' and ';' are part " "of it");

  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT (element),
          gst_gdino_prompt_describe (prompt)));
  if (complaints != NULL)
    GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS, ("%s", complaints),
        ("prompt \"%s\"", text));
}

void
gst_gdino_post_batch (GstElement * element, GdinoPackage * package)
{
  const guint batch = gdino_package_get_batch (package);

  if (batch > 1)
    GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS,
        ("The package computes %u frames at each run, and this element has one "
            "at a time: a package compiled with --batch 1 costs about 1/%u of it",
            batch, batch), ("%s", gdino_package_get_path (package)));
}

static void
append_reason (GString * text, guint n, const gchar * reason)
{
  if (n > 0)
    g_string_append_printf (text, "%s%u %s", text->len > 0 ? ", " : "", n,
        reason);
}

gchar *
gst_gdino_messages_explain (GdinoDetections * found)
{
  const GdinoDecodeStats *stats = gdino_detections_get_stats (found);
  GString *text;

  if (gdino_detections_get_n (found) > 0)
    return NULL;
  text = g_string_new (NULL);
  append_reason (text, stats->n_below, "not above the threshold");
  append_reason (text, stats->n_size, "larger than size-threshold");
  append_reason (text, stats->n_outside,
      "outside the frame or under one pixel");
  append_reason (text, stats->n_suppressed, "suppressed by NMS");
  append_reason (text, stats->n_cut, "beyond max-detections");
  append_reason (text, stats->n_invalid, "no numbers or without area");
  g_string_append_printf (text, "%sbest score seen %.3f",
      text->len > 0 ? "; " : "", (gdouble) stats->best_score);
  return g_string_free (text, FALSE);
}
