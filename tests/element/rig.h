/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* An element on a test bench: a package of fake graphs, a harness that feeds
 * and drains it, a bus, and pictures with coloured rectangles. */
#pragma once

#include <gst/check/gstharness.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#include "make-package.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;
  GstHarness *harness;
  GstBus *bus;
} Rig;

/* A rectangle of one colour; colour is a word of the fake vocabulary. */
typedef struct
{
  const char *colour;
  gint x, y, width, height;
} Patch;

/* gst_init, g_test_init, the fake libtorch and a package with default sizes. */
void rig_main_init (int *argc, char ***argv);

/* g_test_run, then removes the packages. Returns: its exit code */
int rig_main_run (void);

/* (transfer none) Folder of the default package. */
const char *rig_package (void);

/* Another package, removed at the end. (transfer none) */
const char *rig_package_new (const GdinoFakeOptions * options);

/* A groundingdino element with the default package and a prompt, in NULL. */
GstElement *rig_element_new (const char *prompt);

/* Puts @element (transfer full) on the bench and sets it to PLAYING. */
Rig *rig_new_with_element (GstElement * element);

/* @element (transfer full) with a bus but no harness, left in NULL: for those
 * that will not start. */
Rig *rig_new_off_bench (GstElement * element);

/* An element with a prompt on the bench, with caps such as "RGB,width=640,height=480". */
Rig *rig_new (const char *prompt, const char *caps);

void rig_free (Rig * self);

void rig_set_caps (Rig * self, const char *caps);

/* To NULL, back to PLAYING, and a new stream with those caps. */
void rig_restart (Rig * self, const char *caps);

/* What the caps say now. */
void rig_get_info (Rig * self, GstVideoInfo * info);

/* A grey picture with patches on it, in the format of @info. */
GstBuffer *picture_new (const GstVideoInfo * info, const Patch * patches,
    guint n);

/* The same with @pad poisoned bytes behind each row and @gap such bytes behind
 * each plane, described by a GstVideoMeta. */
GstBuffer *picture_new_padded (const GstVideoInfo * info,
    const Patch * patches, guint n, guint pad, guint gap);

/* Pushes a picture; returns: (transfer full): what comes out, never NULL */
GstBuffer *rig_show (Rig * self, const Patch * patches, guint n);

/* The same with a timestamp. */
GstBuffer *rig_show_at (Rig * self, const Patch * patches, guint n,
    GstClockTime pts);

/* Waits until a counter from the property stats has that value; aborts when it
 * takes half a minute. */
void rig_wait (Rig * self, const char *field, guint64 value);

/* Waits until so many runs of the frame graph have begun; aborts when it takes
 * ten seconds. */
void rig_wait_for_runs (gint runs);

/* The parameter "detection" of the only region of @buffer, NULL when there is
 * no region. (transfer none) */
const GstStructure *detection_of (GstBuffer * buffer);

/* The region of that label, NULL without one; aborts when there are two. */
GstVideoRegionOfInterestMeta *roi_of (GstBuffer * buffer, const char *label);

guint roi_count (GstBuffer * buffer);

/* Edges differ by at most @slack pixels. */
void assert_roi (GstBuffer * buffer, const Patch * patch, gint slack);

/* Path of a program of GStreamer's, or NULL once the test has been marked as
 * skipped: not installed, or unable to load a plugin built with a sanitizer.
 * (transfer full) */
gchar *rig_tool (const char *name);

/* Next message of @types from the element, or NULL; others before it are
 * thrown away. (transfer full) */
GstMessage *rig_pop (Rig * self, GstMessageType types);

/* Next element message with a structure of that name, or NULL; others before it
 * are thrown away. (transfer full) */
GstMessage *rig_pop_named (Rig * self, const char *name);

/* Takes the next message of @type and checks that it names @text. */
void rig_expect (Rig * self, GstMessageType type, const char *text);

/* Throws away what is on the bus; returns how many were of @types. */
guint rig_drain (Rig * self, GstMessageType types);

/* A counter from the property stats. */
guint64 stat_of (GstElement * element, const char *field);

G_END_DECLS
