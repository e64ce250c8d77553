/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstgdinowatch.h"

#include <gio/gio.h>
#include <limits.h>
#include <stdlib.h>

/* Milliseconds. A file that is there all at once is looked at after the first; one
 * that has just been made may still be written to. */
#define SOON 50
#define LATER 500

struct _GstGdinoWatch
{
  gchar *path;
  GstGdinoWatchChanged changed;
  gpointer user_data;
  GThread *thread;
  GMainContext *context;
  GMainLoop *loop;

  /* The thread's. */
  GFileMonitor *monitor;        /* (nullable) */
  GFileMonitor *target;         /* (nullable) of what a link points at */
  gchar *target_path;           /* (nullable) */
  GSource *pending;             /* (nullable) */
};

static void monitor_target (GstGdinoWatch * self);

static void
cancel (GstGdinoWatch * self)
{
  if (self->pending == NULL)
    return;
  g_source_destroy (self->pending);
  g_clear_pointer (&self->pending, g_source_unref);
}

static gboolean
look (gpointer data)
{
  GstGdinoWatch *self = data;

  cancel (self);
  monitor_target (self);
  self->changed (self->user_data);
  return G_SOURCE_REMOVE;
}

static void
look_after (GstGdinoWatch * self, guint milliseconds)
{
  cancel (self);
  self->pending = g_timeout_source_new (milliseconds);
  g_source_set_callback (self->pending, look, self, NULL);
  g_source_attach (self->pending, self->context);
}

static void
happened (GFileMonitor * monitor, GFile * file, GFile * other,
    GFileMonitorEvent event, gpointer data)
{
  GstGdinoWatch *self = data;

  (void) monitor;
  (void) file;
  (void) other;
  switch (event) {
    case G_FILE_MONITOR_EVENT_CHANGED:
      /* Its writer goes on. */
      cancel (self);
      break;
    case G_FILE_MONITOR_EVENT_CHANGES_DONE_HINT:
      look_after (self, 0);
      break;
    case G_FILE_MONITOR_EVENT_CREATED:
      look_after (self, LATER);
      break;
    default:
      look_after (self, SOON);
      break;
  }
}

static GFileMonitor *
monitor_path (GstGdinoWatch * self, const gchar * path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  GFileMonitor *monitor = g_file_monitor_file (file,
      G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);

  if (monitor != NULL)
    g_signal_connect (monitor, "changed", G_CALLBACK (happened), self);
  return monitor;
}

static void
drop (GFileMonitor ** monitor)
{
  if (*monitor == NULL)
    return;
  g_signal_handlers_disconnect_matched (*monitor, G_SIGNAL_MATCH_FUNC, 0, 0,
      NULL, (gpointer) happened, NULL);
  g_file_monitor_cancel (*monitor);
  g_clear_object (monitor);
}

/* Writing to what a link points at is no event of the link. */
static void
monitor_target (GstGdinoWatch * self)
{
  char resolved[PATH_MAX];
  const gchar *path = NULL;

  if (g_file_test (self->path, G_FILE_TEST_IS_SYMLINK))
    path = realpath (self->path, resolved);
  if (g_strcmp0 (path, self->target_path) == 0)
    return;
  drop (&self->target);
  g_free (self->target_path);
  self->target_path = g_strdup (path);
  if (path != NULL)
    self->target = monitor_path (self, path);
}

static gpointer
watch (gpointer data)
{
  GstGdinoWatch *self = data;

  g_main_context_push_thread_default (self->context);
  self->monitor = monitor_path (self, self->path);
  look_after (self, 0);
  g_main_loop_run (self->loop);
  cancel (self);
  drop (&self->target);
  drop (&self->monitor);
  g_main_context_pop_thread_default (self->context);
  return NULL;
}

GstGdinoWatch *
gst_gdino_watch_new (const gchar * path, GstGdinoWatchChanged changed,
    gpointer user_data)
{
  GstGdinoWatch *self = g_new0 (GstGdinoWatch, 1);

  self->path = g_strdup (path);
  self->changed = changed;
  self->user_data = user_data;
  self->context = g_main_context_new ();
  self->loop = g_main_loop_new (self->context, FALSE);
  self->thread = g_thread_new ("gdino-watch", watch, self);
  return self;
}

static gboolean
quit (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

void
gst_gdino_watch_free (GstGdinoWatch * self)
{
  GSource *source;

  if (self == NULL)
    return;
  /* From within, since the loop may not run yet. */
  source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_HIGH);
  g_source_set_callback (source, quit, self->loop, NULL);
  g_source_attach (source, self->context);
  g_source_unref (source);
  g_thread_join (self->thread);

  g_main_loop_unref (self->loop);
  g_main_context_unref (self->context);
  g_free (self->target_path);
  g_free (self->path);
  g_free (self);
}
