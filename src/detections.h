/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Making a GdinoDetections; for decode.c and detections.c only. */
#pragma once

#include <gdino/detection.h>

G_BEGIN_DECLS

/* @boxes: (transfer full) (element-type GdinoDetection) (nullable), best first;
 * their classes point into @classes.
 * @classes: (transfer full) (element-type GdinoClass) (nullable).
 * Returns: (transfer full). */
GdinoDetections *gdino_detections_new (GdinoPrompt * prompt,
    const GdinoDecodeStats * stats, GArray * boxes, GArray * classes);

G_END_DECLS
