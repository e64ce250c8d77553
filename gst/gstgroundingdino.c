/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/**
 * SECTION:element-groundingdino
 * @title: groundingdino
 *
 * Finds objects named in free text in raw video and attaches their boxes to
 * the buffers as #GstVideoRegionOfInterestMeta and, with GStreamer 1.24 or
 * newer, #GstAnalyticsRelationMeta. The pixels stay as they are.
 *
 * ## Example
 * |[
 * gst-launch-1.0 filesrc location=street.mp4 ! decodebin ! videoconvert ! \
 *   groundingdino model=package prompt="a car. a red bus." ! \
 *   objectdetectionoverlay ! videoconvert ! autovideosink
 * ]|
 *
 * See docs/element.md for metadata, messages and threads.
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgroundingdino.h"

#include <gdino/gdino.h>
#include <gst/video/video.h>
#include <string.h>

#include "gstgdinoask.h"
#include "gstgdinoelement.h"
#include "gstgdinomessages.h"
#include "gstgdinoprompt.h"

GST_DEBUG_CATEGORY (gst_grounding_dino_debug);
#define GST_CAT_DEFAULT gst_grounding_dino_debug

/* The letterbox takes no larger frames. */
#define SIZE_RANGE "(int) [ 1, 65536 ]"
#define CAPS "video/x-raw, format = (string) " GST_VIDEO_FORMATS_ALL \
    ", width = " SIZE_RANGE ", height = " SIZE_RANGE

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (CAPS));

G_DEFINE_TYPE_WITH_CODE (GstGroundingDino, gst_grounding_dino,
    GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_grounding_dino_debug, "groundingdino", 0,
        "objects named in free text"));
GST_ELEMENT_REGISTER_DEFINE (groundingdino, "groundingdino", GST_RANK_NONE,
    GST_TYPE_GROUNDING_DINO);

/* Start and stop. */
static void
unload (GstGroundingDino * self)
{
  GstGdinoModel model;

  /* First, as they use the others. */
  g_clear_pointer (&self->watch, gst_gdino_watch_free);
  g_clear_pointer (&self->worker, gst_gdino_worker_free);
  gst_gdino_slot_close (&self->slot);
  GST_OBJECT_LOCK (self);
  model = self->model;
  memset (&self->model, 0, sizeof self->model);
  GST_OBJECT_UNLOCK (self);
  gst_gdino_model_clear (&model);
  g_clear_pointer (&self->frame, gst_gdino_frame_free);
  gst_clear_caps (&self->refused);
  gst_gdino_show_clear (&self->show);
}

static gboolean
load_model (GstGroundingDino * self, GError ** error)
{
  g_autofree gchar *folder = NULL;
  g_autofree gchar *device = NULL;
  GstGdinoModel model;
  float box, text;

  GST_OBJECT_LOCK (self);
  folder = g_strdup (self->settings.model);
  device = g_strdup (self->settings.device);
  GST_OBJECT_UNLOCK (self);

  if (!gst_gdino_model_load (&model, folder, device, error))
    return FALSE;
  gdino_package_get_thresholds (model.package, &box, &text);

  GST_OBJECT_LOCK (self);
  self->model = model;
  gst_gdino_settings_use_thresholds (&self->settings, box, text);
  gst_gdino_stats_init (&self->stats);
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

static gboolean
load_prompt (GstGroundingDino * self, GError ** error)
{
  g_autoptr (GdinoPrompt) accepted = NULL;
  g_autoptr (GError) unread = NULL;
  g_autofree gchar *path = NULL;
  gboolean given;

  GST_OBJECT_LOCK (self);
  path = g_strdup (self->settings.prompt_path);
  GST_OBJECT_UNLOCK (self);
  given = path != NULL && *path != '\0';
  g_clear_pointer (&self->file_said, g_free);
  if (given)
    self->file_said = gst_gdino_prompt_read_file (path, &unread);
  if (unread != NULL && gst_gdino_slot_wants_file (&self->slot)) {
    g_propagate_error (error, g_steal_pointer (&unread));
    return FALSE;
  }
  if (!gst_gdino_slot_open (&self->slot, self->model.package, self->file_said,
          &accepted, error))
    return FALSE;
  if (accepted != NULL)
    gst_gdino_post_prompt (GST_ELEMENT (self), accepted);
  if (given)
    self->watch = gst_gdino_watch_new (path, gst_gdino_ask_file, self);
  return TRUE;
}

static GstGdinoMode
get_mode (GstGroundingDino * self)
{
  GstGdinoMode mode;

  GST_OBJECT_LOCK (self);
  mode = self->settings.mode;
  GST_OBJECT_UNLOCK (self);
  return mode;
}

static gboolean
gst_grounding_dino_start (GstBaseTransform * trans)
{
  GstGroundingDino *self = GST_GROUNDING_DINO (trans);
  g_autoptr (GError) error = NULL;

  gst_gdino_chain_reset (self);
  if (load_model (self, &error) && load_prompt (self, &error)) {
    if (get_mode (self) == GST_GDINO_MODE_NEWEST_FRAME)
      self->worker = gst_gdino_worker_new (self->model.detector,
          gst_gdino_chain_done, self);
    gst_gdino_post_batch (GST_ELEMENT (self), self->model.package);
    return TRUE;
  }

  unload (self);
  gst_gdino_post (GST_ELEMENT (self), GST_MESSAGE_ERROR, error, NULL);
  return FALSE;
}

static gboolean
gst_grounding_dino_stop (GstBaseTransform * trans)
{
  unload (GST_GROUNDING_DINO (trans));
  return TRUE;
}

/* Negotiation. */

/* Once for the same caps: they come again with each try. */
static void
post_refused (GstGroundingDino * self, GstCaps * caps, const GError * error)
{
  if (self->refused != NULL && gst_caps_is_equal (self->refused, caps))
    return;
  gst_caps_replace (&self->refused, caps);
  gst_gdino_post (GST_ELEMENT (self), GST_MESSAGE_ERROR, error, NULL);
}

static gboolean
gst_grounding_dino_set_caps (GstBaseTransform * trans, GstCaps * incaps,
    GstCaps * outcaps)
{
  GstGroundingDino *self = GST_GROUNDING_DINO (trans);
  g_autoptr (GstGdinoFrame) frame = NULL;
  g_autoptr (GError) error = NULL;
  guint width, height;
  guint8 pad[3];

  gst_gdino_chain_forget (self);
  g_clear_pointer (&self->frame, gst_gdino_frame_free);
  if (!gst_video_info_from_caps (&self->info, incaps)) {
    g_autofree gchar *text = gst_caps_to_string (incaps);

    g_set_error (&error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION,
        "These caps are no raw video, or of frames larger than can be: %s",
        text);
  } else {
    gdino_package_get_canvas (self->model.package, &width, &height);
    gdino_package_get_pad (self->model.package, pad);
    frame = gst_gdino_frame_new (&self->info, width, height, pad, &error);
  }
  if (frame == NULL) {
    post_refused (self, incaps, error);
    return FALSE;
  }
  gst_clear_caps (&self->refused);
  if (self->worker == NULL) {
    self->frame = g_steal_pointer (&frame);
  } else if (gst_gdino_worker_set_frame (self->worker,
          g_steal_pointer (&frame))) {
    GST_OBJECT_LOCK (self);
    self->stats.busy++;
    GST_OBJECT_UNLOCK (self);
  }
  return TRUE;
}

/* Buffers go on as they come, so what downstream wants of them is what we
 * want; only a crop must be applied before us. */
static gboolean
gst_grounding_dino_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  guint index;

  if (!gst_pad_peer_query (GST_BASE_TRANSFORM_SRC_PAD (trans), query))
    return FALSE;
  while (gst_query_find_allocation_meta (query, GST_VIDEO_CROP_META_API_TYPE,
          &index))
    gst_query_remove_nth_allocation_meta (query, index);
  return TRUE;
}

static gboolean
gst_grounding_dino_query (GstBaseTransform * trans, GstPadDirection direction,
    GstQuery * query)
{
  GstGroundingDino *self = GST_GROUNDING_DINO (trans);
  GstClockTime own, min, max;
  gboolean live;

  if (!GST_BASE_TRANSFORM_CLASS (gst_grounding_dino_parent_class)->query (trans,
          direction, query))
    return FALSE;
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY || direction != GST_PAD_SRC)
    return TRUE;

  gst_query_parse_latency (query, &live, &min, &max);
  GST_OBJECT_LOCK (self);
  self->live = live;
  own = self->settings.mode == GST_GDINO_MODE_NEWEST_FRAME ?
      0 : self->stats.latency;
  GST_OBJECT_UNLOCK (self);
  if (live)
    gst_query_set_latency (query, live, min + own,
        GST_CLOCK_TIME_IS_VALID (max) ? max + own : max);
  return TRUE;
}

/* Events. */
static gboolean
gst_grounding_dino_sink_event (GstBaseTransform * trans, GstEvent * event)
{
  if (gst_gdino_ask_event (GST_GROUNDING_DINO (trans), event)) {
    gst_event_unref (event);
    return TRUE;
  }
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_FLUSH_STOP:
      gst_gdino_chain_forget (GST_GROUNDING_DINO (trans));
      break;
    default:
      break;
  }
  return
      GST_BASE_TRANSFORM_CLASS (gst_grounding_dino_parent_class)->sink_event
      (trans, event);
}

static gboolean
gst_grounding_dino_src_event (GstBaseTransform * trans, GstEvent * event)
{
  GstGroundingDino *self = GST_GROUNDING_DINO (trans);

  if (gst_gdino_ask_event (self, event)) {
    gst_event_unref (event);
    return TRUE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_QOS) {
    GST_OBJECT_LOCK (self);
    gst_gdino_qos_update (&self->late, event);
    GST_OBJECT_UNLOCK (self);
  }
  return
      GST_BASE_TRANSFORM_CLASS (gst_grounding_dino_parent_class)->src_event
      (trans, event);
}

/* The object. */
static GstStructure *
make_stats (GstGroundingDino * self)
{
  g_autoptr (GdinoPrompt) prompt = gst_gdino_slot_get (&self->slot);
  g_autoptr (GdinoEngine) engine = NULL;
  GstGdinoStats stats;

  GST_OBJECT_LOCK (self);
  stats = self->stats;
  if (self->model.engine != NULL)
    engine = gdino_engine_ref (self->model.engine);
  GST_OBJECT_UNLOCK (self);
  return gst_gdino_stats_to_structure (&stats,
      prompt == NULL ? 0 : gdino_prompt_get_revision (prompt),
      engine == NULL ? 0 : gdino_engine_get_text_runs (engine));
}

static void
gst_grounding_dino_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstGroundingDino *self = GST_GROUNDING_DINO (object);
  gboolean known;

  switch (id) {
    case GST_GDINO_PROP_PROMPT:
      gst_gdino_ask_prompt (self, g_value_get_string (value));
      return;
    case GST_GDINO_PROP_MAX_PASSES:
      gst_gdino_ask_max_passes (self, g_value_get_uint (value));
      return;
    case GST_GDINO_PROP_PHRASE_THRESHOLDS:
      gst_gdino_ask_table (self, GST_GDINO_TABLE_THRESHOLDS,
          g_value_get_string (value));
      return;
    case GST_GDINO_PROP_LABELS:
      gst_gdino_ask_table (self, GST_GDINO_TABLE_LABELS,
          g_value_get_string (value));
      return;
    default:
      break;
  }
  GST_OBJECT_LOCK (self);
  known = gst_gdino_settings_set (&self->settings, id, value);
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_grounding_dino_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstGroundingDino *self = GST_GROUNDING_DINO (object);
  gboolean known;

  if (id == GST_GDINO_PROP_PROMPT) {
    g_value_take_string (value, gst_gdino_slot_dup_text (&self->slot));
    return;
  }
  if (id == GST_GDINO_PROP_MAX_PASSES) {
    g_value_set_uint (value, gst_gdino_slot_get_max_passes (&self->slot));
    return;
  }
  if (id == GST_GDINO_PROP_STATS) {
    g_value_take_boxed (value, make_stats (self));
    return;
  }
  GST_OBJECT_LOCK (self);
  known = gst_gdino_settings_get (&self->settings, id, value);
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_grounding_dino_finalize (GObject * object)
{
  GstGroundingDino *self = GST_GROUNDING_DINO (object);

  unload (self);
  gst_gdino_slot_clear (&self->slot);
  gst_gdino_settings_clear (&self->settings);
  gst_gdino_names_unref (self->names);
  g_free (self->file_said);
  G_OBJECT_CLASS (gst_grounding_dino_parent_class)->finalize (object);
}

static void
gst_grounding_dino_class_init (GstGroundingDinoClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = gst_grounding_dino_set_property;
  object_class->get_property = gst_grounding_dino_get_property;
  object_class->finalize = gst_grounding_dino_finalize;
  gst_gdino_settings_install (object_class);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class,
      "Grounding DINO detector", "Filter/Analyzer/Video",
      "Finds objects named in free text and attaches their boxes as metadata",
      "The gst-gdino authors");

  trans_class->start = gst_grounding_dino_start;
  trans_class->stop = gst_grounding_dino_stop;
  trans_class->set_caps = gst_grounding_dino_set_caps;
  trans_class->propose_allocation = gst_grounding_dino_propose_allocation;
  trans_class->query = gst_grounding_dino_query;
  trans_class->sink_event = gst_grounding_dino_sink_event;
  trans_class->src_event = gst_grounding_dino_src_event;
  trans_class->transform_ip = gst_gdino_chain;
}

static void
gst_grounding_dino_init (GstGroundingDino * self)
{
  gst_gdino_slot_init (&self->slot);
  gst_gdino_settings_init (&self->settings);
  gst_gdino_stats_init (&self->stats);
  gst_gdino_qos_init (&self->late);
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
  gst_base_transform_set_gap_aware (GST_BASE_TRANSFORM (self), TRUE);
}
