/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Boxes, labels and captions on a picture in memory. Knows no GStreamer. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * DrawPicture:
 * @pixels: 32-bit pixels, one machine word each, 0x00RRGGBB; borrowed
 * @width: 1 to 32767 pixels
 * @height: 1 to 32767 pixels
 * @stride: bytes from row to row, a multiple of 4
 */
typedef struct
{
  guint8 *pixels;
  int width;
  int height;
  int stride;
} DrawPicture;

/**
 * DrawBox:
 * @x: left edge in pixels of the picture
 * @label: (nullable): UTF-8
 * @score: 0..1, written behind the label
 * @colour: any number; equal numbers give equal colours
 */
typedef struct
{
  double x;
  double y;
  double width;
  double height;
  const char *label;
  double score;
  guint colour;
} DrawBox;

/** draw_is_possible: Returns: %FALSE in a build without cairo, where the functions below do nothing */
gboolean draw_is_possible (void);

/**
 * draw_boxes:
 * @boxes: (array length=n): best first; their labels are placed first
 *
 * Lines and letters grow with the picture. Labels keep inside it and off each
 * other where there is room.
 */
void draw_boxes (DrawPicture * picture, const DrawBox * boxes, guint n);

/** draw_caption: @text: UTF-8, written along the lower edge, cut where it does not fit */
void draw_caption (DrawPicture * picture, const char *text);

/** draw_colour: @rgb: (out): each 0..1, what a box of this number is drawn in */
void draw_colour (guint colour, double rgb[3]);

G_END_DECLS
