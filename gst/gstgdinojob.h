/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* One frame's view of what the application may change at any time. */
#pragma once

#include <gdino/gdino.h>
#include <gst/gst.h>

#include "gstgdinonames.h"
#include "gstgdinosettings.h"

G_BEGIN_DECLS

/**
 * GstGdinoJob:
 * @prompt: what to look for
 * @thresholds: (nullable): what is said of the thresholds of single phrases
 * @labels: (nullable): what is said of their labels
 * @names: (nullable): both for @prompt, once they have been looked up
 * @params: thresholds, NMS and limits; its rules are those of @names
 * @interval: the model runs on one frame in so many
 * @hold: nanoseconds for which boxes are repeated; negative leaves it to the mode
 * @qos: frames that are late pass without a run
 * @metadata: what to attach
 *
 * Holds a reference of its own on what it points to. Plain otherwise: one
 * thread at a time.
 */

typedef struct
{
  GdinoPrompt *prompt;
  GstGdinoTable *thresholds;
  GstGdinoTable *labels;
  GstGdinoNames *names;
  GdinoDecodeParams params;
  guint interval;
  gint64 hold;
  gboolean qos;
  GstGdinoMetadata metadata;
} GstGdinoJob;

/**
 * gst_gdino_job_init:
 * @prompt: (transfer full): what to look for
 * @settings: everything else; the caller keeps others from changing it
 */
void gst_gdino_job_init (GstGdinoJob * self, GdinoPrompt * prompt,
    const GstGdinoSettings * settings);

/** gst_gdino_job_set_names: @names: (transfer none): of its prompt and tables */
void gst_gdino_job_set_names (GstGdinoJob * self, GstGdinoNames * names);

/** gst_gdino_job_copy: @self (out caller-allocates) becomes as @other, with references of its own */
void gst_gdino_job_copy (GstGdinoJob * self, const GstGdinoJob * other);

/** gst_gdino_job_clear: releases what @self holds; may hold nothing */
void gst_gdino_job_clear (GstGdinoJob * self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GstGdinoJob, gst_gdino_job_clear)

G_END_DECLS
