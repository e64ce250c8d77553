/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Inside of the element, shared by its two halves: object, states and
 * negotiation in gstgroundingdino.c, frames in gstgdinochain.c. */
#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include "gstgdinoframe.h"
#include "gstgdinomodel.h"
#include "gstgdinoqos.h"
#include "gstgdinosettings.h"
#include "gstgdinoshow.h"
#include "gstgdinoslot.h"
#include "gstgdinostats.h"
#include "gstgdinowatch.h"
#include "gstgdinoworker.h"
#include "gstgroundingdino.h"

G_BEGIN_DECLS

struct _GstGroundingDino
{
  GstBaseTransform parent;

  GstGdinoSlot slot;            /* has a lock of its own */

  /* Under the object lock. */
  GstGdinoSettings settings;
  GstGdinoStats stats;
  GstGdinoQos late;
  GstGdinoModel model;          /* from start to stop */
  gboolean live;                /* upstream said so last time it was asked */

  GstGdinoWatch *watch;         /* (nullable) of prompt-path */
  gchar *file_said;             /* (nullable) the watch's, while there is one */

  /* The streaming thread's. */
  GstGdinoWorker *worker;       /* (nullable) in mode newest-frame */
  GstGdinoFrame *frame;         /* (nullable) in mode every-frame */
  GstGdinoShow show;
  GstGdinoNames *names;         /* (nullable) of the last frame */
  GstVideoInfo info;
  GstCaps *refused;             /* (nullable) and posted; of a start */
  guint64 revision;             /* of the prompt last told downstream */
  guint skip;                   /* frames to pass before the next run */
  gboolean told_empty;

  /* Of the thread that runs the model. */
  gboolean told_invalid;
  gboolean boxless;             /* the last frame had no box */
  gint failed;                  /* atomic: a run has failed, as was posted */
};

/** gst_gdino_chain_reset: a start: nothing has been told yet */
void gst_gdino_chain_reset (GstGroundingDino * self);

/** gst_gdino_chain_forget: results so far are of another stream, place or size */
void gst_gdino_chain_forget (GstGroundingDino * self);

/** gst_gdino_chain_done: a #GstGdinoWorkerDone; @user_data is the element */
void gst_gdino_chain_done (GdinoDetections * found,
    const GstGdinoTimes * times, const GError * error, gpointer user_data);

/** gst_gdino_chain: what happens to each frame; a GstBaseTransform transform_ip */
GstFlowReturn gst_gdino_chain (GstBaseTransform * trans, GstBuffer * buffer);

G_END_DECLS
