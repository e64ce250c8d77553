/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Runs the model beside the stream, one frame at a time, always the newest. */
#pragma once

#include <gdino/gdino.h>
#include <gst/gst.h>

#include "gstgdinoframe.h"
#include "gstgdinojob.h"
#include "gstgdinoresult.h"
#include "gstgdinorun.h"

G_BEGIN_DECLS

/**
 * GstGdinoWorker:
 *
 * A thread with room for one frame and one result. A frame is taken only when
 * the one before it is done, so nothing queues up, and its memory is given back
 * before the model runs.
 * Thread-safety: the functions below are the streaming thread's; none of them
 * but free waits for the model.
 */
typedef struct _GstGdinoWorker GstGdinoWorker;

/**
 * GstGdinoWorkerDone:
 * @found: (nullable): what was found, %NULL after a failure
 * @times: (nullable): where the time went, likewise
 * @error: (nullable): why it failed
 *
 * Called in the worker's thread after each run, with no lock held.
 */
typedef void (*GstGdinoWorkerDone) (GdinoDetections * found,
    const GstGdinoTimes * times, const GError * error, gpointer user_data);

/**
 * gst_gdino_worker_new:
 * @detector: the model, the worker's alone until it is freed
 *
 * Returns: (transfer full): an idle worker
 */
GstGdinoWorker *gst_gdino_worker_new (GdinoDetector * detector,
    GstGdinoWorkerDone done, gpointer user_data);

/** gst_gdino_worker_free: @self (transfer full) (nullable). Waits for a run in progress. */
void gst_gdino_worker_free (GstGdinoWorker * self);

/**
 * gst_gdino_worker_set_frame:
 * @frame: (transfer full): converter for the frames to come
 *
 * Results of frames before this are forgotten.
 *
 * Returns: whether a frame was given up that had been taken and not begun
 */
gboolean gst_gdino_worker_set_frame (GstGdinoWorker * self, GstGdinoFrame * frame);

/** gst_gdino_worker_forget: what is being looked at, or is waiting to be taken, is never given out */
void gst_gdino_worker_forget (GstGdinoWorker * self);

/**
 * gst_gdino_worker_offer:
 * @buffer: a frame; the worker takes a reference for the time of conversion
 * @job: what to look for
 * @stamp: when @buffer is from
 *
 * Returns: %FALSE when the worker is at work on another
 */
gboolean gst_gdino_worker_offer (GstGdinoWorker * self, GstBuffer * buffer,
    const GstGdinoJob * job, const GstGdinoStamp * stamp);

/** gst_gdino_worker_take: Returns: (transfer full) (nullable): a result that has not been taken yet */
GstGdinoResult *gst_gdino_worker_take (GstGdinoWorker * self);

G_END_DECLS
