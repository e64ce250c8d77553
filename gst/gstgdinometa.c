/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinometa.h"

#include <string.h>

#include "gstgdinoanalytics.h"

GQuark
gst_gdino_label_quark (const gchar * label)
{
  static gint made = 0;
  g_autofree gchar *cut = NULL;
  GQuark known;

  if (strlen (label) > GST_GDINO_LABEL_BYTES_MAX) {
    const gchar *end = g_utf8_find_prev_char (label,
        label + GST_GDINO_LABEL_BYTES_MAX + 1);

    cut = g_strndup (label, (gsize) (end - label));
    label = cut;
  }
  known = g_quark_try_string (label);
  if (known != 0)
    return known;
  if (g_atomic_int_get (&made) >= GST_GDINO_LABELS_MAX)
    return g_quark_from_static_string (GST_GDINO_LABEL_OTHER);
  g_atomic_int_inc (&made);
  return g_quark_from_string (label);
}

/* Only phrases that appear in a result become quarks; the others stay 0. */
static GQuark *
make_types (GdinoDetections * found, const GstGdinoNames * names)
{
  GdinoPrompt *prompt = gdino_detections_get_prompt (found);
  GQuark *types = g_new0 (GQuark, gdino_prompt_get_n_phrases (prompt));
  guint i, j;

  for (i = 0; i < gdino_detections_get_n (found); i++) {
    const GdinoDetection *detection = gdino_detections_get (found, i);

    for (j = 0; j < detection->n_classes; j++) {
      const guint phrase = detection->classes[j].phrase;

      if (types[phrase] == 0)
        types[phrase] =
            gst_gdino_label_quark (gst_gdino_names_get_label (names, phrase));
    }
  }
  return types;
}

/* Field names and types of the first five are those that DL Streamer reads. */
static GstStructure *
describe (GdinoDetections * found, guint index, const GstGdinoSource * source,
    const GstVideoInfo * info)
{
  const GdinoDetection *detection = gdino_detections_get (found, index);
  const gdouble width = info->width;
  const gdouble height = info->height;

  return gst_structure_new ("detection",
      "confidence", G_TYPE_DOUBLE, (gdouble) detection->score,
      "x_min", G_TYPE_DOUBLE, detection->x / width,
      "x_max", G_TYPE_DOUBLE, (detection->x + detection->width) / width,
      "y_min", G_TYPE_DOUBLE, detection->y / height,
      "y_max", G_TYPE_DOUBLE, (detection->y + detection->height) / height,
      "label_id", G_TYPE_INT, (gint) detection->phrase,
      "label", G_TYPE_STRING, gst_gdino_names_get_label (source->names,
          detection->phrase),
      "phrase", G_TYPE_STRING, gdino_detections_get_label (found, index),
      "revision", G_TYPE_UINT64,
      gdino_prompt_get_revision (gdino_detections_get_prompt (found)),
      "query", G_TYPE_UINT, detection->query,
      "frame-pts", G_TYPE_UINT64, source->pts,
      "age", G_TYPE_UINT64, source->age,
      "held", G_TYPE_BOOLEAN, source->held, NULL);
}

static void
attach_roi (GstBuffer * buffer, GdinoDetections * found,
    const GstGdinoSource * source, const GstVideoInfo * info,
    const GQuark * types, const gint * ids)
{
  guint i;

  for (i = 0; i < gdino_detections_get_n (found); i++) {
    const GdinoDetection *detection = gdino_detections_get (found, i);
    GstVideoRegionOfInterestMeta *roi;

    roi = gst_buffer_add_video_region_of_interest_meta_id (buffer,
        types[detection->phrase], (guint) detection->x, (guint) detection->y,
        (guint) detection->width, (guint) detection->height);
    roi->id = ids[i];
    gst_video_region_of_interest_meta_add_param (roi,
        describe (found, i, source, info));
  }
}

void
gst_gdino_meta_attach (GstBuffer * buffer, GdinoDetections * found,
    const GstGdinoSource * source, const GstVideoInfo * info,
    GstGdinoMetadata metadata)
{
  g_autofree GQuark *types = NULL;
  g_autofree gint *ids = NULL;
  guint i;

  if (found != NULL) {
    types = make_types (found, source->names);
    ids = g_new (gint, gdino_detections_get_n (found));
    for (i = 0; i < gdino_detections_get_n (found); i++)
      ids[i] = (gint) i;
  }
  if (metadata & GST_GDINO_METADATA_ANALYTICS)
    gst_gdino_analytics_attach (buffer, found, types, ids);
  if (found != NULL && metadata & GST_GDINO_METADATA_ROI)
    attach_roi (buffer, found, source, info, types, ids);
}
