/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* JSON as text that every parser reads. */
#pragma once

#include <json-glib/json-glib.h>

/* @pretty: over several lines, but each array of plain values on one.
 * Returns: (transfer full): the JSON, with no newline at its end. */
char *json_text_new (JsonNode * root, gboolean pretty);
