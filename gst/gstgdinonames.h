/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What is special about the phrases of one prompt: their thresholds, and the
 * labels that consumers see. */
#pragma once

#include <gdino/gdino.h>
#include <glib.h>

#include "gstgdinotable.h"

G_BEGIN_DECLS

/**
 * GstGdinoNames:
 *
 * Made for one prompt. Immutable and reference counted. Thread-safety: Safe.
 */
typedef struct _GstGdinoNames GstGdinoNames;

/**
 * gst_gdino_names_new:
 * @prompt: whose phrases they are
 * @thresholds: (nullable): table of thresholds
 * @labels: (nullable): table of labels; phrases of one label suppress each other
 *   as if they were one
 *
 * Returns: (transfer full): never %NULL
 */
GstGdinoNames *gst_gdino_names_new (GdinoPrompt * prompt,
    GstGdinoTable * thresholds, GstGdinoTable * labels);

GstGdinoNames *gst_gdino_names_ref (GstGdinoNames * self);

/** gst_gdino_names_unref: @self: (transfer full) (nullable) */
void gst_gdino_names_unref (GstGdinoNames * self);

/** gst_gdino_names_are_for: Returns: whether @self was made of these */
gboolean gst_gdino_names_are_for (const GstGdinoNames * self,
    GdinoPrompt * prompt, GstGdinoTable * thresholds, GstGdinoTable * labels);

/** gst_gdino_names_apply: sets the rules of @params, which live as long as @self */
void gst_gdino_names_apply (const GstGdinoNames * self,
    GdinoDecodeParams * params);

/** gst_gdino_names_get_label: Returns: (transfer none): what to call phrase @index of the prompt */
const gchar *gst_gdino_names_get_label (const GstGdinoNames * self,
    guint index);

/** gst_gdino_names_complaint: Returns: (transfer full) (nullable): names the entries for phrases that the prompt does not have; %NULL when there are none */
gchar *gst_gdino_names_complaint (const GstGdinoNames * self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstGdinoNames, gst_gdino_names_unref)

G_END_DECLS
