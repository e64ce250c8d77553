/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinosettings.h"

#include <string.h>

#define DEFAULT_DEVICE "auto"
#define DEFAULT_BOX_THRESHOLD 0.35f
#define DEFAULT_TEXT_THRESHOLD 0.25f
#define DEFAULT_IOU_THRESHOLD 0.7f
#define DEFAULT_SIZE_THRESHOLD 1.0f
#define DEFAULT_MAX_DETECTIONS 300
#define DEFAULT_INTERVAL 1
#define DEFAULT_METADATA (GST_GDINO_METADATA_ANALYTICS | GST_GDINO_METADATA_ROI)

#define READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | \
    GST_PARAM_MUTABLE_READY)
#define PLAYING (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | \
    GST_PARAM_MUTABLE_PLAYING)

static GType
nms_get_type (void)
{
  static const GEnumValue values[] = {
    {GDINO_NMS_OFF, "Keep every box", "off"},
    {GDINO_NMS_PHRASE, "Boxes of the same phrase suppress each other",
        "phrase"},
    {GDINO_NMS_ALL, "Boxes suppress each other whatever their phrase", "all"},
    {0, NULL, NULL}
  };
  static GType type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstGroundingDinoNms", values));
  return type;
}

static GType
metadata_get_type (void)
{
  static const GFlagsValue values[] = {
    {GST_GDINO_METADATA_ANALYTICS,
        "GstAnalyticsRelationMeta (needs GStreamer 1.24)", "analytics"},
    {GST_GDINO_METADATA_ROI, "GstVideoRegionOfInterestMeta", "roi"},
    {0, NULL, NULL}
  };
  static GType type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_flags_register_static ("GstGroundingDinoMetadata", values));
  return type;
}

static GType
mode_get_type (void)
{
  static const GEnumValue values[] = {
    {GST_GDINO_MODE_EVERY_FRAME, "Each frame waits for its boxes",
        "every-frame"},
    {GST_GDINO_MODE_NEWEST_FRAME,
        "Frames pass at once, with the boxes of an earlier one; the model "
          "runs beside them on the newest", "newest-frame"},
    {0, NULL, NULL}
  };
  static GType type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        g_enum_register_static ("GstGroundingDinoMode", values));
  return type;
}

static void
install_model_and_prompt (GObjectClass * klass)
{
  g_object_class_install_property (klass, GST_GDINO_PROP_MODEL,
      g_param_spec_string ("model", "Model",
          "Folder of the model package that gdino-compile made", NULL, READY));
  g_object_class_install_property (klass, GST_GDINO_PROP_PROMPT,
      g_param_spec_string ("prompt", "Prompt",
          "What to look for: phrases, each ended by a period, such as "
          "\"a cat. red car.\"", NULL, PLAYING));
  g_object_class_install_property (klass, GST_GDINO_PROP_PROMPT_PATH,
      g_param_spec_string ("prompt-path", "Prompt path",
          "Text file with the prompt, one or more phrases a line; read on the "
          "way to PAUSED unless prompt is set, and whenever it changes", NULL,
          READY));
  g_object_class_install_property (klass, GST_GDINO_PROP_DEVICE,
      g_param_spec_string ("device", "Device",
          "Where to run: auto (what the package was compiled for), cpu, cuda "
          "or cuda:N", DEFAULT_DEVICE, READY));
}

static void
install_phrases (GObjectClass * klass)
{
  g_object_class_install_property (klass, GST_GDINO_PROP_PHRASE_THRESHOLDS,
      g_param_spec_string ("phrase-thresholds", "Phrase thresholds",
          "Thresholds of single phrases in place of both others: "
          "\"a cat=0.5; red car=0.3\"", NULL, PLAYING));
  g_object_class_install_property (klass, GST_GDINO_PROP_LABELS,
      g_param_spec_string ("labels", "Labels",
          "What to call phrases in metadata, in place of their own text: "
          "\"a cat=feline; red car=car\"; phrases of one label suppress each "
          "other as one", NULL, PLAYING));
  g_object_class_install_property (klass, GST_GDINO_PROP_MAX_PASSES,
      g_param_spec_uint ("max-passes", "Maximum passes",
          "Most runs of the model for a frame when the prompt has more phrases "
          "than fit into one; phrases beyond that are dropped", 1,
          GDINO_PROMPT_MAX_PASSES, 1, PLAYING));
}

static void
install_thresholds (GObjectClass * klass)
{
  g_object_class_install_property (klass, GST_GDINO_PROP_BOX_THRESHOLD,
      g_param_spec_float ("box-threshold", "Box threshold",
          "A box is reported when its best phrase scores above this; the "
          "package's own value when never set", 0.0f, 1.0f,
          DEFAULT_BOX_THRESHOLD, PLAYING));
  g_object_class_install_property (klass, GST_GDINO_PROP_TEXT_THRESHOLD,
      g_param_spec_float ("text-threshold", "Text threshold",
          "Further phrases of a reported box are attached when they score "
          "above this; the package's own value when never set", 0.0f, 1.0f,
          DEFAULT_TEXT_THRESHOLD, PLAYING));
  g_object_class_install_property (klass, GST_GDINO_PROP_NMS,
      g_param_spec_enum ("nms", "NMS",
          "Which overlapping boxes suppress each other", nms_get_type (),
          GDINO_NMS_PHRASE, PLAYING));
  g_object_class_install_property (klass, GST_GDINO_PROP_IOU_THRESHOLD,
      g_param_spec_float ("iou-threshold", "IoU threshold",
          "Of two boxes whose intersection over union is above this, NMS drops "
          "the one with the lower score", 0.0f, 1.0f, DEFAULT_IOU_THRESHOLD,
          PLAYING));
  g_object_class_install_property (klass, GST_GDINO_PROP_MAX_DETECTIONS,
      g_param_spec_uint ("max-detections", "Maximum detections",
          "Most boxes reported for a frame, best first", 1, G_MAXUINT,
          DEFAULT_MAX_DETECTIONS, PLAYING));
  g_object_class_install_property (klass, GST_GDINO_PROP_SIZE_THRESHOLD,
      g_param_spec_float ("size-threshold", "Size threshold",
          "Boxes that cover more than this fraction of the frame are dropped; "
          "1 keeps all", 0.0f, 1.0f, DEFAULT_SIZE_THRESHOLD, PLAYING));
}

static void
install_stream (GObjectClass * klass)
{
  g_object_class_install_property (klass, GST_GDINO_PROP_INFERENCE_INTERVAL,
      g_param_spec_uint ("inference-interval", "Inference interval",
          "The model runs on one frame in so many; the others pass, with "
          "earlier boxes where hold says so", 1, G_MAXUINT, DEFAULT_INTERVAL,
          PLAYING));
  g_object_class_install_property (klass, GST_GDINO_PROP_MODE,
      g_param_spec_enum ("mode", "Mode",
          "Whether frames wait for the model (files) or never do (cameras)",
          mode_get_type (), GST_GDINO_MODE_EVERY_FRAME, READY));
  g_object_class_install_property (klass, GST_GDINO_PROP_HOLD,
      g_param_spec_int64 ("hold", "Hold",
          "Nanoseconds for which frames without a run of the model repeat the "
          "last boxes; -1: in mode newest-frame until the next result, at most "
          "5 seconds, else not at all", GST_GDINO_HOLD_AUTO, G_MAXINT64,
          GST_GDINO_HOLD_AUTO, PLAYING));
  /* In place of GstBaseTransform's, which drops the frames. */
  g_object_class_install_property (klass, GST_GDINO_PROP_QOS,
      g_param_spec_boolean ("qos", "QoS",
          "Frames that downstream says are late pass without a run of the "
          "model", FALSE, PLAYING));
}

void
gst_gdino_settings_install (GObjectClass * klass)
{
  install_model_and_prompt (klass);
  install_phrases (klass);
  install_thresholds (klass);
  install_stream (klass);
  g_object_class_install_property (klass, GST_GDINO_PROP_METADATA,
      g_param_spec_flags ("metadata", "Metadata",
          "Which kinds of metadata the boxes are attached as",
          metadata_get_type (), DEFAULT_METADATA, PLAYING));
  g_object_class_install_property (klass, GST_GDINO_PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Counters and times since the last start", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));

  gst_type_mark_as_plugin_api (nms_get_type (), 0);
  gst_type_mark_as_plugin_api (metadata_get_type (), 0);
  gst_type_mark_as_plugin_api (mode_get_type (), 0);
}

void
gst_gdino_settings_init (GstGdinoSettings * self)
{
  memset (self, 0, sizeof *self);
  gdino_decode_params_init (&self->params);
  self->params.box_threshold = DEFAULT_BOX_THRESHOLD;
  self->params.text_threshold = DEFAULT_TEXT_THRESHOLD;
  self->params.iou_threshold = DEFAULT_IOU_THRESHOLD;
  self->params.size_threshold = DEFAULT_SIZE_THRESHOLD;
  self->params.max_detections = DEFAULT_MAX_DETECTIONS;
  self->params.nms = GDINO_NMS_PHRASE;
  self->device = g_strdup (DEFAULT_DEVICE);
  self->inference_interval = DEFAULT_INTERVAL;
  self->mode = GST_GDINO_MODE_EVERY_FRAME;
  self->hold = GST_GDINO_HOLD_AUTO;
  self->metadata = DEFAULT_METADATA;
}

void
gst_gdino_settings_clear (GstGdinoSettings * self)
{
  g_clear_pointer (&self->model, g_free);
  g_clear_pointer (&self->prompt_path, g_free);
  g_clear_pointer (&self->device, g_free);
  g_clear_pointer (&self->thresholds_text, g_free);
  g_clear_pointer (&self->labels_text, g_free);
  g_clear_pointer (&self->thresholds, gst_gdino_table_unref);
  g_clear_pointer (&self->labels, gst_gdino_table_unref);
}

static void
set_string (gchar ** target, const GValue * value)
{
  g_free (*target);
  *target = g_value_dup_string (value);
}

gboolean
gst_gdino_settings_set (GstGdinoSettings * self, guint id, const GValue * value)
{
  switch (id) {
    case GST_GDINO_PROP_MODEL:
      set_string (&self->model, value);
      return TRUE;
    case GST_GDINO_PROP_PROMPT_PATH:
      set_string (&self->prompt_path, value);
      return TRUE;
    case GST_GDINO_PROP_DEVICE:
      set_string (&self->device, value);
      return TRUE;
    case GST_GDINO_PROP_BOX_THRESHOLD:
      self->params.box_threshold = g_value_get_float (value);
      self->box_threshold_set = TRUE;
      return TRUE;
    case GST_GDINO_PROP_TEXT_THRESHOLD:
      self->params.text_threshold = g_value_get_float (value);
      self->text_threshold_set = TRUE;
      return TRUE;
    case GST_GDINO_PROP_NMS:
      self->params.nms = (GdinoNms) g_value_get_enum (value);
      return TRUE;
    case GST_GDINO_PROP_IOU_THRESHOLD:
      self->params.iou_threshold = g_value_get_float (value);
      return TRUE;
    case GST_GDINO_PROP_MAX_DETECTIONS:
      self->params.max_detections = g_value_get_uint (value);
      return TRUE;
    case GST_GDINO_PROP_SIZE_THRESHOLD:
      self->params.size_threshold = g_value_get_float (value);
      return TRUE;
    case GST_GDINO_PROP_INFERENCE_INTERVAL:
      self->inference_interval = g_value_get_uint (value);
      return TRUE;
    case GST_GDINO_PROP_MODE:
      self->mode = (GstGdinoMode) g_value_get_enum (value);
      return TRUE;
    case GST_GDINO_PROP_HOLD:
      self->hold = g_value_get_int64 (value);
      return TRUE;
    case GST_GDINO_PROP_QOS:
      self->qos = g_value_get_boolean (value);
      return TRUE;
    case GST_GDINO_PROP_METADATA:
      self->metadata = (GstGdinoMetadata) g_value_get_flags (value);
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
gst_gdino_settings_get (const GstGdinoSettings * self, guint id, GValue * value)
{
  switch (id) {
    case GST_GDINO_PROP_MODEL:
      g_value_set_string (value, self->model);
      return TRUE;
    case GST_GDINO_PROP_PROMPT_PATH:
      g_value_set_string (value, self->prompt_path);
      return TRUE;
    case GST_GDINO_PROP_DEVICE:
      g_value_set_string (value, self->device);
      return TRUE;
    case GST_GDINO_PROP_PHRASE_THRESHOLDS:
      g_value_set_string (value, self->thresholds_text);
      return TRUE;
    case GST_GDINO_PROP_LABELS:
      g_value_set_string (value, self->labels_text);
      return TRUE;
    case GST_GDINO_PROP_BOX_THRESHOLD:
      g_value_set_float (value, self->params.box_threshold);
      return TRUE;
    case GST_GDINO_PROP_TEXT_THRESHOLD:
      g_value_set_float (value, self->params.text_threshold);
      return TRUE;
    case GST_GDINO_PROP_NMS:
      g_value_set_enum (value, (gint) self->params.nms);
      return TRUE;
    case GST_GDINO_PROP_IOU_THRESHOLD:
      g_value_set_float (value, self->params.iou_threshold);
      return TRUE;
    case GST_GDINO_PROP_MAX_DETECTIONS:
      g_value_set_uint (value, self->params.max_detections);
      return TRUE;
    case GST_GDINO_PROP_SIZE_THRESHOLD:
      g_value_set_float (value, self->params.size_threshold);
      return TRUE;
    case GST_GDINO_PROP_INFERENCE_INTERVAL:
      g_value_set_uint (value, self->inference_interval);
      return TRUE;
    case GST_GDINO_PROP_MODE:
      g_value_set_enum (value, (gint) self->mode);
      return TRUE;
    case GST_GDINO_PROP_HOLD:
      g_value_set_int64 (value, self->hold);
      return TRUE;
    case GST_GDINO_PROP_QOS:
      g_value_set_boolean (value, self->qos);
      return TRUE;
    case GST_GDINO_PROP_METADATA:
      g_value_set_flags (value, (guint) self->metadata);
      return TRUE;
    default:
      return FALSE;
  }
}

void
gst_gdino_settings_use_thresholds (GstGdinoSettings * self, float box,
    float text)
{
  if (!self->box_threshold_set)
    self->params.box_threshold = box;
  if (!self->text_threshold_set)
    self->params.text_threshold = text;
}
