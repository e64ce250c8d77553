/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinoanalytics.h"

#include <gst/analytics/analytics.h>

/* Room to start with, in the meta's own units; it grows by itself. */
#define ROOM_FOR_BOXES 8
#define BYTES_PER_BOX 64

gboolean
gst_gdino_analytics_available (void)
{
  return TRUE;
}

static GstAnalyticsRelationMeta *
add_meta (GstBuffer * buffer, guint n)
{
  const GstAnalyticsRelationMetaInitParams params = {
    .initial_relation_order = MAX (2 * n, ROOM_FOR_BOXES),
    .initial_buf_size = MAX (2 * n, ROOM_FOR_BOXES) * BYTES_PER_BOX
  };

  return gst_buffer_add_analytics_relation_meta_full (buffer,
      (GstAnalyticsRelationMetaInitParams *) & params);
}

/* objectdetectionoverlay shows the first class of a related classification
 * instead of the box's own label: so the winner has to be that first one. */
static void
add_classes (GstAnalyticsRelationMeta * meta, guint box_id,
    const GdinoDetection * detection, const GQuark * types)
{
  g_autofree gfloat *scores = g_new (gfloat, detection->n_classes);
  g_autofree GQuark *quarks = g_new (GQuark, detection->n_classes);
  GstAnalyticsClsMtd classes;
  guint i;

  for (i = 0; i < detection->n_classes; i++) {
    scores[i] = detection->classes[i].score;
    quarks[i] = types[detection->classes[i].phrase];
  }
  if (gst_analytics_relation_meta_add_cls_mtd (meta, detection->n_classes,
          scores, quarks, &classes))
    gst_analytics_relation_meta_set_relation (meta,
        GST_ANALYTICS_REL_TYPE_RELATE_TO, box_id, classes.id);
}

gboolean
gst_gdino_analytics_attach (GstBuffer * buffer, GdinoDetections * found,
    const GQuark * types, gint * ids)
{
  const guint n = found == NULL ? 0 : gdino_detections_get_n (found);
  GstAnalyticsRelationMeta *meta = add_meta (buffer, n);
  guint i;

  for (i = 0; i < n; i++) {
    const GdinoDetection *detection = gdino_detections_get (found, i);
    GstAnalyticsODMtd box;

    ids[i] = -1;
    if (!gst_analytics_relation_meta_add_od_mtd (meta,
            types[detection->phrase], detection->x, detection->y,
            detection->width, detection->height, detection->score, &box))
      continue;
    ids[i] = (gint) box.id;
    if (detection->n_classes > 1)
      add_classes (meta, box.id, detection, types);
  }
  return TRUE;
}
