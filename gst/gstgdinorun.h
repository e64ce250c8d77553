/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* From a buffer to what is in it: conversion, then the model. */
#pragma once

#include <gdino/gdino.h>
#include <gst/gst.h>

#include "gstgdinoframe.h"
#include "gstgdinojob.h"

G_BEGIN_DECLS

/**
 * GstGdinoTimes:
 * @convert: from buffer to canvas
 * @text: in the text graph, 0 where its result was known
 * @graph: in the frame graph
 * @decode: from logits to boxes
 * @whole: all in all
 *
 * Nanoseconds of one frame.
 */

typedef struct
{
  GstClockTime convert;
  GstClockTime text;
  GstClockTime graph;
  GstClockTime decode;
  GstClockTime whole;
} GstGdinoTimes;

/**
 * gst_gdino_run:
 * @frame: converter for frames such as @buffer
 * @detector: the model
 * @buffer: (transfer full): given back as soon as its pixels are on the canvas
 * @job: what to look for
 * @times: (out): where the time went; untouched on failure
 * @error: return location for a #GError
 *
 * Blocks for as long as the model takes. One thread at a time for each @frame
 * and each @detector.
 *
 * Returns: (transfer full) (nullable): boxes in pixels of the frame
 */
GdinoDetections *gst_gdino_run (GstGdinoFrame * frame,
    GdinoDetector * detector, GstBuffer * buffer, const GstGdinoJob * job,
    GstGdinoTimes * times, GError ** error);

G_END_DECLS
