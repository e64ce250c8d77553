/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Takes the place of draw.c in a build without cairo. */

#include "draw.h"

gboolean
draw_is_possible (void)
{
  return FALSE;
}

void
draw_boxes (DrawPicture * picture, const DrawBox * boxes, guint n)
{
}

void
draw_caption (DrawPicture * picture, const char *text)
{
}

void
draw_colour (guint colour, double rgb[3])
{
  rgb[0] = rgb[1] = rgb[2] = 1;
}
