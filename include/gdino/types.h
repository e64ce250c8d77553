/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The types of the library for GObject, and so for other languages. Counted
 * objects are boxed: a copy is a reference. Plain structures are copied. */
#pragma once

#include <gdino/export.h>
#include <glib-object.h>

G_BEGIN_DECLS

#define GDINO_TYPE_PACKAGE (gdino_package_get_type ())
GDINO_API GType gdino_package_get_type (void) G_GNUC_CONST;

#define GDINO_TYPE_TOKENIZER (gdino_tokenizer_get_type ())
GDINO_API GType gdino_tokenizer_get_type (void) G_GNUC_CONST;

#define GDINO_TYPE_ENGINE (gdino_engine_get_type ())
GDINO_API GType gdino_engine_get_type (void) G_GNUC_CONST;

#define GDINO_TYPE_DETECTOR (gdino_detector_get_type ())
GDINO_API GType gdino_detector_get_type (void) G_GNUC_CONST;

#define GDINO_TYPE_PROMPT (gdino_prompt_get_type ())
GDINO_API GType gdino_prompt_get_type (void) G_GNUC_CONST;

#define GDINO_TYPE_DETECTIONS (gdino_detections_get_type ())
GDINO_API GType gdino_detections_get_type (void) G_GNUC_CONST;

#define GDINO_TYPE_DECODE_PARAMS (gdino_decode_params_get_type ())
GDINO_API GType gdino_decode_params_get_type (void) G_GNUC_CONST;

#define GDINO_TYPE_LETTERBOX (gdino_letterbox_get_type ())
GDINO_API GType gdino_letterbox_get_type (void) G_GNUC_CONST;

#define GDINO_TYPE_PHRASE (gdino_phrase_get_type ())
GDINO_API GType gdino_phrase_get_type (void) G_GNUC_CONST;

#define GDINO_TYPE_DETECTION (gdino_detection_get_type ())
GDINO_API GType gdino_detection_get_type (void) G_GNUC_CONST;

#define GDINO_TYPE_DECODE_STATS (gdino_decode_stats_get_type ())
GDINO_API GType gdino_decode_stats_get_type (void) G_GNUC_CONST;

#define GDINO_TYPE_NMS (gdino_nms_get_type ())
GDINO_API GType gdino_nms_get_type (void) G_GNUC_CONST;

#define GDINO_TYPE_SCORING (gdino_scoring_get_type ())
GDINO_API GType gdino_scoring_get_type (void) G_GNUC_CONST;

#define GDINO_TYPE_ERROR (gdino_error_get_type ())
GDINO_API GType gdino_error_get_type (void) G_GNUC_CONST;

G_END_DECLS
