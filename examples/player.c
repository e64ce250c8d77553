/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "player.h"

#include <gio/gio.h>
#include <gio/gunixinputstream.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* Longest time from player_stop() to the end, in seconds. */
#define PATIENCE 10

struct _Player
{
  GstElement *pipeline;
  GMainLoop *loop;
  GCancellable *cancel;         /* of reading lines */
  GDataInputStream *input;
  gboolean reading;
  gboolean end;                 /* with standard input */
  PlayerLine callback;
  gpointer data;
  guint deadline;               /* source that gives up waiting, or 0 */
  gint stopping;                /* atomic */
  gboolean ok;
};

typedef struct
{
  Player *player;
  guint limit;
  guint seen;
  gboolean closed;
} Gate;

Player *
player_new (GstElement * pipeline)
{
  Player *self = g_new0 (Player, 1);

  self->pipeline = gst_object_ref (pipeline);
  self->loop = g_main_loop_new (NULL, FALSE);
  self->cancel = g_cancellable_new ();
  return self;
}

void
player_free (Player * self)
{
  if (self == NULL)
    return;
  gst_element_set_state (self->pipeline, GST_STATE_NULL);
  g_clear_object (&self->input);
  g_object_unref (self->cancel);
  g_main_loop_unref (self->loop);
  gst_object_unref (self->pipeline);
  g_free (self);
}

/* The pad refuses whatever comes after the end of the stream, and the source
 * stops by itself. */
static GstPadProbeReturn
at_gate (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  Gate *gate = data;

  if (!g_atomic_int_get (&gate->player->stopping)
      && (gate->limit == 0 || gate->seen < gate->limit)) {
    gate->seen++;
    return GST_PAD_PROBE_OK;
  }
  if (!gate->closed) {
    gate->closed = TRUE;
    gst_pad_push_event (pad, gst_event_new_eos ());
  }
  return GST_PAD_PROBE_DROP;
}

void
player_add_gate (Player * self, GstElement * element, guint frames)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (element, "src");
  Gate *gate = g_new0 (Gate, 1);

  gate->player = self;
  gate->limit = frames;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, at_gate, gate, g_free);
}

static gboolean
give_up (gpointer data)
{
  Player *self = data;

  fprintf (stderr, "warning: the stream does not end; stopped all the same\n");
  self->deadline = 0;
  g_main_loop_quit (self->loop);
  return G_SOURCE_REMOVE;
}

void
player_stop (Player * self)
{
  if (g_atomic_int_get (&self->stopping))
    return;
  g_atomic_int_set (&self->stopping, 1);
  self->deadline = g_timeout_add_seconds (PATIENCE, give_up, self);
}

static gboolean
on_signal (gpointer data)
{
  Player *self = data;

  if (g_atomic_int_get (&self->stopping))
    g_main_loop_quit (self->loop);
  player_stop (self);
  return G_SOURCE_CONTINUE;
}

static void read_line (Player * self);

static void
on_line (GObject * input, GAsyncResult * result, gpointer data)
{
  Player *self = data;
  g_autofree char *line =
      g_data_input_stream_read_line_finish (G_DATA_INPUT_STREAM (input), result,
      NULL, NULL);

  self->reading = FALSE;
  if (line != NULL) {
    self->callback (line, self->data);
    read_line (self);
  } else if (self->end && !g_cancellable_is_cancelled (self->cancel)) {
    player_stop (self);
  }
}

static void
read_line (Player * self)
{
  self->reading = TRUE;
  g_data_input_stream_read_line_async (self->input, G_PRIORITY_DEFAULT,
      self->cancel, on_line, self);
}

void
player_read_lines (Player * self, gboolean end, PlayerLine callback,
    gpointer data)
{
  g_autoptr (GInputStream) raw = g_unix_input_stream_new (STDIN_FILENO, FALSE);

  self->input = g_data_input_stream_new (raw);
  self->end = end || isatty (STDIN_FILENO);
  self->callback = callback;
  self->data = data;
}

/* Text of all strings in an array. */
static char *
join (const GValue * array)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < gst_value_array_get_size (array); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " | " : "",
        g_value_get_string (gst_value_array_get_value (array, i)));
  return g_string_free (text, FALSE);
}

/* The element tells of every prompt that it accepts. */
static void
tell_prompt (GstMessage * message)
{
  const GstStructure *structure = gst_message_get_structure (message);
  g_autofree char *phrases = NULL;
  guint64 revision;
  guint used, tokens;

  if (!gst_structure_has_name (structure, "groundingdino-prompt")
      || !gst_structure_get (structure, "revision", G_TYPE_UINT64, &revision,
          "tokens-used", G_TYPE_UINT, &used, "tokens", G_TYPE_UINT, &tokens,
          NULL))
    return;
  phrases = join (gst_structure_get_value (structure, "phrases"));
  printf ("%s: looking for %s (prompt %" G_GUINT64_FORMAT
      ", %u of %u tokens)\n", GST_MESSAGE_SRC_NAME (message),
      *phrases != '\0' ? phrases : "nothing", revision, used, tokens);
  fflush (stdout);
}

static gboolean
on_message (GstBus * bus, GstMessage * message, gpointer data)
{
  Player *self = data;
  g_autoptr (GError) reason = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ELEMENT:
      tell_prompt (message);
      break;
    case GST_MESSAGE_WARNING:
      gst_message_parse_warning (message, &reason, NULL);
      fprintf (stderr, "warning: %s\n", reason->message);
      break;
    case GST_MESSAGE_ERROR:
      gst_message_parse_error (message, &reason, NULL);
      fprintf (stderr, "error: %s: %s\n", GST_MESSAGE_SRC_NAME (message),
          reason->message);
      self->ok = FALSE;
      g_main_loop_quit (self->loop);
      break;
    case GST_MESSAGE_EOS:
      g_main_loop_quit (self->loop);
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

/* The bus says why. */
static void
tell_failure (Player * self)
{
  while (self->ok && g_main_context_iteration (NULL, FALSE));
  if (self->ok)
    fprintf (stderr, "error: the pipeline does not start\n");
  self->ok = FALSE;
}

gboolean
player_run (Player * self)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (self->pipeline);
  const guint interrupt = g_unix_signal_add (SIGINT, on_signal, self);
  const guint terminate = g_unix_signal_add (SIGTERM, on_signal, self);
  const guint watch = gst_bus_add_watch (bus, on_message, self);

  self->ok = TRUE;
  if (self->input != NULL)
    read_line (self);
  if (gst_element_set_state (self->pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE)
    g_main_loop_run (self->loop);
  else
    tell_failure (self);

  g_cancellable_cancel (self->cancel);
  while (self->reading)
    g_main_context_iteration (NULL, TRUE);
  g_clear_handle_id (&self->deadline, g_source_remove);
  g_source_remove (watch);
  g_source_remove (terminate);
  g_source_remove (interrupt);
  return self->ok;
}
