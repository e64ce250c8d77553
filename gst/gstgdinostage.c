/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinostage.h"

#include <stdlib.h>
#include <string.h>

void
gst_gdino_stage_add (GstGdinoStage * self, GstClockTime time)
{
  self->recent[self->n % GST_GDINO_STAGE_WINDOW] = time;
  self->n++;
  self->last = time;
  self->total += time;
}

GstClockTime
gst_gdino_stage_get_mean (const GstGdinoStage * self)
{
  return self->n == 0 ? 0 : self->total / self->n;
}

static int
compare (const void *a, const void *b)
{
  const GstClockTime first = *(const GstClockTime *) a;
  const GstClockTime second = *(const GstClockTime *) b;

  return first < second ? -1 : first > second;
}

/* The smallest value that so many percent are not above. */
static GstClockTime
percentile (const GstClockTime * sorted, guint n, guint percent)
{
  return n == 0 ? 0 : sorted[(n * percent + 99) / 100 - 1];
}

static void
set_field (GstStructure * structure, const gchar * name, const gchar * what,
    GstClockTime time)
{
  g_autofree gchar *field = g_strdup_printf ("%s-%s", name, what);

  gst_structure_set (structure, field, G_TYPE_UINT64, time, NULL);
}

void
gst_gdino_stage_describe (const GstGdinoStage * self,
    GstStructure * structure, const gchar * name)
{
  GstClockTime sorted[GST_GDINO_STAGE_WINDOW];
  const guint n = (guint) MIN (self->n, GST_GDINO_STAGE_WINDOW);

  memcpy (sorted, self->recent, n * sizeof *sorted);
  qsort (sorted, n, sizeof *sorted, compare);
  set_field (structure, name, "time", self->last);
  set_field (structure, name, "mean", gst_gdino_stage_get_mean (self));
  set_field (structure, name, "p50", percentile (sorted, n, 50));
  set_field (structure, name, "p90", percentile (sorted, n, 90));
  set_field (structure, name, "p99", percentile (sorted, n, 99));
}
