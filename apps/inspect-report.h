/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What gdino-inspect has to say, as one JSON object. Prints nothing. */
#pragma once

#include <gdino/gdino.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/**
 * inspect_report_new:
 * @package: opened for its manifest at least
 *
 * Looks at sizes of files, at this machine and for libtorch too. The members
 * are those that --help lists; "ok" is %FALSE where a file is missing or has
 * another size, and "problems" says so.
 *
 * Returns: (transfer full): the report
 */
JsonObject *inspect_report_new (GdinoPackage * package);

/**
 * inspect_report_new_broken:
 * @path: of something that is no package
 * @problem: why
 *
 * Returns: (transfer full): a report with what can be read: "manifest" as it
 *   stands where it is JSON, and the files that lie there
 */
JsonObject *inspect_report_new_broken (const char *path, const char *problem);

/** inspect_report_add_problem: sets "ok" to %FALSE and adds to "problems" */
void inspect_report_add_problem (JsonObject * self, const char *problem);

G_END_DECLS
