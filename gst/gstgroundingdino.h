/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The element groundingdino. */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_GROUNDING_DINO (gst_grounding_dino_get_type ())
G_DECLARE_FINAL_TYPE (GstGroundingDino, gst_grounding_dino, GST,
    GROUNDING_DINO, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (groundingdino)

G_END_DECLS
