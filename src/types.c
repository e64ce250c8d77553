/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Registers the types with GObject, when they are asked for. */

#include <gdino/gdino.h>

static GdinoDecodeParams *
copy_params (GdinoDecodeParams * params)
{
  return g_memdup2 (params, sizeof *params);
}

static GdinoLetterbox *
copy_letterbox (GdinoLetterbox * letterbox)
{
  return g_memdup2 (letterbox, sizeof *letterbox);
}

/* Parts of prompts and results are copied whole, so that in other languages they
 * outlive what they are part of. */
static GdinoPhrase *
copy_phrase (GdinoPhrase * phrase)
{
  GdinoPhrase *copy = g_memdup2 (phrase, sizeof *phrase);

  copy->text = g_strdup (phrase->text);
  return copy;
}

static void
free_phrase (GdinoPhrase * phrase)
{
  g_free ((char *) phrase->text);
  g_free (phrase);
}

static GdinoDetection *
copy_detection (GdinoDetection * detection)
{
  GdinoDetection *copy = g_memdup2 (detection, sizeof *detection);

  copy->classes = g_memdup2 (detection->classes,
      detection->n_classes * sizeof *detection->classes);
  return copy;
}

static void
free_detection (GdinoDetection * detection)
{
  g_free ((GdinoClass *) detection->classes);
  g_free (detection);
}

static GdinoDecodeStats *
copy_stats (GdinoDecodeStats * stats)
{
  return g_memdup2 (stats, sizeof *stats);
}

static GType
register_enum (const char *name, const GEnumValue * values)
{
  return g_enum_register_static (g_intern_static_string (name), values);
}

GType
gdino_nms_get_type (void)
{
  static const GEnumValue values[] = {
    {GDINO_NMS_OFF, "GDINO_NMS_OFF", "off"},
    {GDINO_NMS_PHRASE, "GDINO_NMS_PHRASE", "phrase"},
    {GDINO_NMS_ALL, "GDINO_NMS_ALL", "all"},
    {0, NULL, NULL}
  };
  static GType type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, register_enum ("GdinoNms", values));
  return type;
}

GType
gdino_scoring_get_type (void)
{
  static const GEnumValue values[] = {
    {GDINO_SCORING_MAX, "GDINO_SCORING_MAX", "max"},
    {GDINO_SCORING_MEAN, "GDINO_SCORING_MEAN", "mean"},
    {0, NULL, NULL}
  };
  static GType type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, register_enum ("GdinoScoring", values));
  return type;
}

GType
gdino_error_get_type (void)
{
  static const GEnumValue values[] = {
    {GDINO_ERROR_INVALID_ARGUMENT, "GDINO_ERROR_INVALID_ARGUMENT",
        "invalid-argument"},
    {GDINO_ERROR_NOT_FOUND, "GDINO_ERROR_NOT_FOUND", "not-found"},
    {GDINO_ERROR_CORRUPT, "GDINO_ERROR_CORRUPT", "corrupt"},
    {GDINO_ERROR_INCOMPATIBLE, "GDINO_ERROR_INCOMPATIBLE", "incompatible"},
    {GDINO_ERROR_RUNTIME, "GDINO_ERROR_RUNTIME", "runtime"},
    {GDINO_ERROR_GRAPH, "GDINO_ERROR_GRAPH", "graph"},
    {GDINO_ERROR_PROMPT, "GDINO_ERROR_PROMPT", "prompt"},
    {GDINO_ERROR_MEMORY, "GDINO_ERROR_MEMORY", "memory"},
    {0, NULL, NULL}
  };
  static GType type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, register_enum ("GdinoError", values));
  return type;
}

/* Rules that parameters borrow stay borrowed in a copy. */
/* *INDENT-OFF* */
G_DEFINE_BOXED_TYPE (GdinoPackage, gdino_package, gdino_package_ref,
    gdino_package_unref)
G_DEFINE_BOXED_TYPE (GdinoTokenizer, gdino_tokenizer, gdino_tokenizer_ref,
    gdino_tokenizer_unref)
G_DEFINE_BOXED_TYPE (GdinoEngine, gdino_engine, gdino_engine_ref,
    gdino_engine_unref)
G_DEFINE_BOXED_TYPE (GdinoDetector, gdino_detector, gdino_detector_ref,
    gdino_detector_unref)
G_DEFINE_BOXED_TYPE (GdinoPrompt, gdino_prompt, gdino_prompt_ref,
    gdino_prompt_unref)
G_DEFINE_BOXED_TYPE (GdinoDetections, gdino_detections, gdino_detections_ref,
    gdino_detections_unref)
G_DEFINE_BOXED_TYPE (GdinoDecodeParams, gdino_decode_params, copy_params,
    g_free)
G_DEFINE_BOXED_TYPE (GdinoLetterbox, gdino_letterbox, copy_letterbox,
    g_free)
G_DEFINE_BOXED_TYPE (GdinoPhrase, gdino_phrase, copy_phrase,
    free_phrase)
G_DEFINE_BOXED_TYPE (GdinoDetection, gdino_detection, copy_detection,
    free_detection)
G_DEFINE_BOXED_TYPE (GdinoDecodeStats, gdino_decode_stats, copy_stats,
    g_free)
/* *INDENT-ON* */
