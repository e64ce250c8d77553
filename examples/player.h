/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Plays a pipeline to its end, and says on standard output which prompts were
 * accepted, on standard error what went wrong. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/** Player: Thread-safety: Unsafe; the main thread's */
typedef struct _Player Player;

/** PlayerLine: @line: what was typed, without its end, never %NULL */
typedef void (*PlayerLine) (const char *line, gpointer data);

/** player_new: @pipeline (transfer none): in NULL */
Player *player_new (GstElement * pipeline);

/** player_free: @self (transfer full) (nullable); stops the pipeline */
void player_free (Player * self);

/**
 * player_add_gate:
 * @element: frames pass its pad src; behind it is all that matters
 * @frames: how many may pass, 0 for any number
 *
 * After that many frames, or after player_stop(), the stream ends here, whatever
 * the source does: what was recorded is then complete.
 */
void player_add_gate (Player * self, GstElement * element, guint frames);

/**
 * player_read_lines:
 * @end: call player_stop() at the end of standard input; without, that is done
 *   only where it is a terminal
 *
 * Calls @callback for every line of standard input while player_run() runs.
 */
void player_read_lines (Player * self, gboolean end, PlayerLine callback,
    gpointer data);

/** player_stop: lets the pipeline come to its end; SIGINT and SIGTERM do that too, and the second one at once */
void player_stop (Player * self);

/** player_run: once. Returns: %TRUE at the end, %FALSE after an error, which was told; until player_free() the elements keep what they know */
gboolean player_run (Player * self);

G_END_DECLS
