/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What people may ask of decoding. */

#include <gdino/detection.h>
#include <gdino/error.h>

void
gdino_decode_params_init (GdinoDecodeParams * params)
{
  g_return_if_fail (params != NULL);

  params->box_threshold = 0.35f;
  params->text_threshold = 0.25f;
  params->iou_threshold = 0.7f;
  params->size_threshold = 1.0f;
  params->nms = GDINO_NMS_PHRASE;
  params->scoring = GDINO_SCORING_MAX;
  params->max_detections = 300;
  params->n_phrase_rules = 0;
  params->phrase_rules = NULL;
}

static gboolean
check_fraction (const char *name, float value, GError ** error)
{
  if (value >= 0 && value <= 1)
    return TRUE;

  g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
      "%s is %g, must be 0 to 1", name, (double) value);
  return FALSE;
}

gboolean
gdino_decode_params_check (const GdinoDecodeParams * params, GError ** error)
{
  g_return_val_if_fail (params != NULL, FALSE);

  if (!check_fraction ("box_threshold", params->box_threshold, error)
      || !check_fraction ("text_threshold", params->text_threshold, error)
      || !check_fraction ("iou_threshold", params->iou_threshold, error)
      || !check_fraction ("size_threshold", params->size_threshold, error))
    return FALSE;
  if ((guint) params->nms > GDINO_NMS_ALL) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "nms is %u, must be 0 (off), 1 (phrase) or 2 (all)",
        (guint) params->nms);
    return FALSE;
  }
  if ((guint) params->scoring > GDINO_SCORING_MEAN) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "scoring is %u, must be 0 (max) or 1 (mean)", (guint) params->scoring);
    return FALSE;
  }
  for (guint i = 0; params->phrase_rules != NULL
      && i < params->n_phrase_rules; i++) {
    if (!(params->phrase_rules[i].threshold <= 1)) {
      g_set_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
          "threshold of phrase %u is %g, must be 0 to 1, or below 0 for none",
          i, (double) params->phrase_rules[i].threshold);
      return FALSE;
    }
  }
  if (params->max_detections < 1) {
    g_set_error_literal (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT,
        "max_detections is 0, must be at least 1");
    return FALSE;
  }
  return TRUE;
}
