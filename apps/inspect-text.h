/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* A report of gdino-inspect for people. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/** inspect_text_new: @report: of inspect-report.h. Returns: (transfer full): lines, each with its line feed */
char *inspect_text_new (JsonObject * report);

G_END_DECLS
