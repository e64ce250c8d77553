/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* A lock that is given in order of arrival, which GMutex does not promise: with
 * it one busy stream could starve the others of an engine. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  GMutex mutex;
  GCond changed;
  guint64 next;                 /* ticket of the next to come */
  guint64 serving;              /* ticket whose turn it is */
} GdinoTurn;

void gdino_turn_init (GdinoTurn * self);
void gdino_turn_clear (GdinoTurn * self);

/* Waits for its turn, then has it until gdino_turn_leave(). */
void gdino_turn_enter (GdinoTurn * self);
void gdino_turn_leave (GdinoTurn * self);

G_END_DECLS
