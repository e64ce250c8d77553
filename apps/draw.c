/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "draw.h"

#include <cairo.h>
#include <math.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"
#define MAX_LABEL_BYTES 512

/* Bright and far apart, in hue and in lightness. */
static const double palette[][3] = {
  {1.00, 0.30, 0.25}, {0.25, 0.75, 1.00}, {1.00, 0.85, 0.10},
  {0.35, 0.90, 0.35}, {0.90, 0.45, 1.00}, {1.00, 0.60, 0.15},
  {0.20, 0.90, 0.80}, {1.00, 0.55, 0.75}, {0.55, 0.60, 1.00},
  {0.75, 0.95, 0.20},
};

typedef struct
{
  double x, y, width, height;
} Area;

typedef struct
{
  cairo_surface_t *surface;
  cairo_t *cairo;
  double width, height;         /* of the picture */
  double line;                  /* width of a box's line */
  double margin;                /* around text */
  double text_height;
  double ascent;
} Pen;

gboolean
draw_is_possible (void)
{
  return TRUE;
}

void
draw_colour (guint colour, double rgb[3])
{
  memcpy (rgb, palette[colour % G_N_ELEMENTS (palette)], sizeof palette[0]);
}

static void
pen_init (Pen * pen, DrawPicture * picture)
{
  double side = MIN (picture->width, picture->height);
  double font = CLAMP (side / 28, 13, 160);
  cairo_font_extents_t extents;

  pen->surface = cairo_image_surface_create_for_data (picture->pixels,
      CAIRO_FORMAT_RGB24, picture->width, picture->height, picture->stride);
  pen->cairo = cairo_create (pen->surface);
  pen->width = picture->width;
  pen->height = picture->height;
  pen->line = CLAMP (side / 220, 2, 24);
  pen->margin = font / 4;

  cairo_select_font_face (pen->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
      CAIRO_FONT_WEIGHT_BOLD);
  cairo_set_font_size (pen->cairo, font);
  cairo_font_extents (pen->cairo, &extents);
  pen->ascent = extents.ascent;
  pen->text_height = extents.ascent + extents.descent;
}

static void
pen_clear (Pen * pen)
{
  cairo_destroy (pen->cairo);
  cairo_surface_flush (pen->surface);
  cairo_surface_destroy (pen->surface);
}

static double
text_width (Pen * pen, const char *text)
{
  cairo_text_extents_t extents;

  cairo_text_extents (pen->cairo, text, &extents);
  return extents.x_advance;
}

/* @text, and @tail that is never cut, in at most @room pixels where that can
 * be. Returns: (transfer full) */
static char *
fit_text (Pen * pen, const char *text, const char *tail, double room)
{
  g_autofree char *head = g_strndup (text, MAX_LABEL_BYTES);
  char *whole = g_strconcat (text, tail, NULL);
  glong length;

  if (strlen (whole) <= MAX_LABEL_BYTES && text_width (pen, whole) <= room)
    return whole;

  /* The cut in bytes may have split the last character. */
  *(char *) g_utf8_find_prev_char (head, head + strlen (head)) = '\0';
  for (length = g_utf8_strlen (head, -1); length > 0; length--) {
    *g_utf8_offset_to_pointer (head, length) = '\0';
    g_free (whole);
    whole = g_strconcat (head, ELLIPSIS, tail, NULL);
    if (text_width (pen, whole) <= room)
      break;
  }
  return whole;
}

static void
set_colour (Pen * pen, guint colour)
{
  double rgb[3];

  draw_colour (colour, rgb);
  cairo_set_source_rgb (pen->cairo, rgb[0], rgb[1], rgb[2]);
}

/* The line lies inside the box, so that it is seen at the picture's edge. */
static void
draw_outline (Pen * pen, const DrawBox * box)
{
  double line = MIN (pen->line, MIN (box->width, box->height));
  double half = line / 2;

  cairo_rectangle (pen->cairo, box->x + half, box->y + half,
      box->width - line, box->height - line);
  cairo_set_source_rgba (pen->cairo, 0, 0, 0, 0.6);
  cairo_set_line_width (pen->cairo, line * 1.8);
  cairo_stroke_preserve (pen->cairo);
  set_colour (pen, box->colour);
  cairo_set_line_width (pen->cairo, line);
  cairo_stroke (pen->cairo);
}

static gboolean
is_free (const Area * area, const Area * taken, guint n)
{
  for (guint i = 0; i < n; i++)
    if (area->x < taken[i].x + taken[i].width
        && taken[i].x < area->x + area->width
        && area->y < taken[i].y + taken[i].height
        && taken[i].y < area->y + area->height)
      return FALSE;
  return TRUE;
}

/* Over the box, in its top, under it, in its bottom: the first place inside
 * the picture that no label has; else the top of the box. */
static void
place_label (Pen * pen, const DrawBox * box, Area * label, const Area * taken,
    guint n)
{
  const double places[] = { box->y - label->height, box->y,
    box->y + box->height, box->y + box->height - label->height
  };

  label->x = CLAMP (box->x, 0, MAX (0, pen->width - label->width));
  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    label->y = places[i];
    if (label->y >= 0 && label->y + label->height <= pen->height
        && is_free (label, taken, n))
      return;
  }
  label->y = CLAMP (box->y, 0, MAX (0, pen->height - label->height));
}

static void
draw_label (Pen * pen, const Area * area, const char *text, guint colour)
{
  cairo_rectangle (pen->cairo, area->x, area->y, area->width, area->height);
  set_colour (pen, colour);
  cairo_fill (pen->cairo);
  cairo_move_to (pen->cairo, area->x + pen->margin,
      area->y + pen->margin / 2 + pen->ascent);
  cairo_set_source_rgb (pen->cairo, 0, 0, 0);
  cairo_show_text (pen->cairo, text);
}

void
draw_boxes (DrawPicture * picture, const DrawBox * boxes, guint n)
{
  g_autofree Area *labels = g_new0 (Area, n);
  g_auto (GStrv) texts = g_new0 (char *, n + 1);
  Pen pen;

  pen_init (&pen, picture);
  for (guint i = 0; i < n; i++)
    draw_outline (&pen, &boxes[n - 1 - i]);

  for (guint i = 0; i < n; i++) {
    g_autofree char *score = g_strdup_printf (" %.2f", boxes[i].score);

    texts[i] = fit_text (&pen, boxes[i].label != NULL ? boxes[i].label : "",
        score, pen.width - 2 * pen.margin);
    labels[i].width = text_width (&pen, texts[i]) + 2 * pen.margin;
    labels[i].height = pen.text_height + pen.margin;
    place_label (&pen, &boxes[i], &labels[i], labels, i);
  }
  for (guint i = 0; i < n; i++)
    draw_label (&pen, &labels[n - 1 - i], texts[n - 1 - i],
        boxes[n - 1 - i].colour);
  pen_clear (&pen);
}

void
draw_caption (DrawPicture * picture, const char *text)
{
  g_autofree char *fitted = NULL;
  double height;
  Pen pen;

  pen_init (&pen, picture);
  height = pen.text_height + pen.margin;
  fitted = fit_text (&pen, text, "", pen.width - 2 * pen.margin);
  cairo_rectangle (pen.cairo, 0, pen.height - height, pen.width, height);
  cairo_set_source_rgba (pen.cairo, 0, 0, 0, 0.65);
  cairo_fill (pen.cairo);
  cairo_move_to (pen.cairo, pen.margin,
      pen.height - height + pen.margin / 2 + pen.ascent);
  cairo_set_source_rgb (pen.cairo, 1, 1, 1);
  cairo_show_text (pen.cairo, fitted);
  pen_clear (&pen);
}
