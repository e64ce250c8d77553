/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The properties of the element and the values behind them. Knows no stream
 * and takes no lock: the element does. */
#pragma once

#include <gdino/gdino.h>
#include <gst/gst.h>

#include "gstgdinotable.h"

G_BEGIN_DECLS

/**
 * GstGdinoMetadata:
 * @GST_GDINO_METADATA_ANALYTICS: attach GstAnalyticsRelationMeta
 * @GST_GDINO_METADATA_ROI: attach GstVideoRegionOfInterestMeta
 */

typedef enum
{
  GST_GDINO_METADATA_ANALYTICS = 1 << 0,
  GST_GDINO_METADATA_ROI = 1 << 1
} GstGdinoMetadata;

/**
 * GstGdinoMode:
 * @GST_GDINO_MODE_EVERY_FRAME: a frame waits for the model
 * @GST_GDINO_MODE_NEWEST_FRAME: frames pass at once; the model runs beside them
 */
typedef enum
{
  GST_GDINO_MODE_EVERY_FRAME,
  GST_GDINO_MODE_NEWEST_FRAME
} GstGdinoMode;

/* Leaves it to the mode how long boxes are repeated. */
#define GST_GDINO_HOLD_AUTO -1

enum
{
  GST_GDINO_PROP_0,
  GST_GDINO_PROP_MODEL,
  GST_GDINO_PROP_PROMPT,
  GST_GDINO_PROP_PROMPT_PATH,
  GST_GDINO_PROP_DEVICE,
  GST_GDINO_PROP_BOX_THRESHOLD,
  GST_GDINO_PROP_TEXT_THRESHOLD,
  GST_GDINO_PROP_PHRASE_THRESHOLDS,
  GST_GDINO_PROP_LABELS,
  GST_GDINO_PROP_MAX_PASSES,
  GST_GDINO_PROP_NMS,
  GST_GDINO_PROP_IOU_THRESHOLD,
  GST_GDINO_PROP_MAX_DETECTIONS,
  GST_GDINO_PROP_SIZE_THRESHOLD,
  GST_GDINO_PROP_INFERENCE_INTERVAL,
  GST_GDINO_PROP_MODE,
  GST_GDINO_PROP_HOLD,
  GST_GDINO_PROP_QOS,
  GST_GDINO_PROP_METADATA,
  GST_GDINO_PROP_STATS
};

/**
 * GstGdinoSettings:
 * @model: (nullable): package folder
 * @prompt_path: (nullable): text file with the first prompt
 * @device: (nullable): where to run
 * @thresholds_text: (nullable): thresholds of phrases as last given, good or not
 * @labels_text: (nullable): labels of phrases, likewise
 * @thresholds: (nullable): what the last good text says
 * @labels: (nullable): likewise
 * @params: thresholds, NMS and limits
 * @box_threshold_set: @params.box_threshold is the user's, not the package's
 * @text_threshold_set: same for @params.text_threshold
 * @inference_interval: the model runs on one frame in so many
 * @mode: whether frames wait for the model
 * @hold: nanoseconds for which boxes are repeated, or %GST_GDINO_HOLD_AUTO
 * @qos: frames that are late pass without a run
 * @metadata: what to attach
 */
typedef struct
{
  gchar *model;
  gchar *prompt_path;
  gchar *device;
  gchar *thresholds_text;
  gchar *labels_text;
  GstGdinoTable *thresholds;
  GstGdinoTable *labels;
  GdinoDecodeParams params;
  gboolean box_threshold_set;
  gboolean text_threshold_set;
  guint inference_interval;
  GstGdinoMode mode;
  gint64 hold;
  gboolean qos;
  GstGdinoMetadata metadata;
} GstGdinoSettings;

/** gst_gdino_settings_install: adds every property to @klass, and marks the enumerations for the docs */
void gst_gdino_settings_install (GObjectClass * klass);

/** gst_gdino_settings_init: @self becomes the defaults */
void gst_gdino_settings_init (GstGdinoSettings * self);

/** gst_gdino_settings_clear: frees what @self holds, not @self */
void gst_gdino_settings_clear (GstGdinoSettings * self);

/**
 * gst_gdino_settings_set:
 * @id: one of the GST_GDINO_PROP_ values; prompt, stats, max-passes and
 *   what is said of single phrases are set elsewhere
 * @value: within the range of its property, which GObject checks (NaN too)
 *
 * Returns: %FALSE when @id is no setting
 */
gboolean gst_gdino_settings_set (GstGdinoSettings * self, guint id,
    const GValue * value);

/** gst_gdino_settings_get: Returns: %FALSE when @id is no setting */
gboolean gst_gdino_settings_get (const GstGdinoSettings * self, guint id,
    GValue * value);

/**
 * gst_gdino_settings_use_thresholds:
 *
 * Takes the package's thresholds for those that the user never set.
 */
void gst_gdino_settings_use_thresholds (GstGdinoSettings * self, float box,
    float text);

G_END_DECLS
