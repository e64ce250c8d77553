/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* A ticket lock. Knows nothing of what it guards. */

#include "turn.h"

void
gdino_turn_init (GdinoTurn * self)
{
  g_mutex_init (&self->mutex);
  g_cond_init (&self->changed);
  self->next = 0;
  self->serving = 0;
}

void
gdino_turn_clear (GdinoTurn * self)
{
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->mutex);
}

void
gdino_turn_enter (GdinoTurn * self)
{
  guint64 ticket;

  g_mutex_lock (&self->mutex);
  ticket = self->next++;
  while (self->serving != ticket)
    g_cond_wait (&self->changed, &self->mutex);
  g_mutex_unlock (&self->mutex);
}

void
gdino_turn_leave (GdinoTurn * self)
{
  g_mutex_lock (&self->mutex);
  self->serving++;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->mutex);
}
