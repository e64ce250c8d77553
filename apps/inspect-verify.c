/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "inspect-verify.h"

#include <stdio.h>

#include "inspect-report.h"

#define PROGRESS_INTERVAL (G_USEC_PER_SEC / 5)

typedef struct
{
  const char *name;
  gint64 shown;                 /* when */
} Progress;

static void
show_progress (guint64 done, guint64 total, gpointer data)
{
  Progress *self = data;
  const gint64 now = g_get_monotonic_time ();

  if (now - self->shown < PROGRESS_INTERVAL || total == 0)
    return;
  self->shown = now;
  fprintf (stderr, "\r\033[Kreading %s: %d %%", self->name,
      (int) (done * 100 / total));
  fflush (stderr);
}

static void
clear_progress (gboolean progress)
{
  if (progress)
    fputs ("\r\033[K", stderr);
}

static gboolean
verify_files (JsonObject * report, GdinoPackage * package, gboolean progress)
{
  JsonArray *files = json_object_get_array_member (report, "files");
  gboolean all = TRUE;

  for (guint i = 0; i < gdino_package_get_n_files (package); i++) {
    JsonObject *object = json_array_get_object_element (files, i);
    g_autoptr (GError) error = NULL;
    Progress state = { 0 };
    gboolean whole;

    state.name = json_object_get_string_member (object, "name");
    whole = gdino_package_check_file (package, i,
        progress ? show_progress : NULL, &state, &error);
    clear_progress (progress);
    json_object_set_boolean_member (object, "verified", whole);
    if (whole)
      continue;
    all = FALSE;
    /* Another size has been told. */
    if (json_object_get_null_member (object, "problem")) {
      json_object_set_string_member (object, "problem", error->message);
      inspect_report_add_problem (report, error->message);
    }
  }
  return all;
}

static void
describe (JsonObject * numbers, GdinoProbe * probe,
    const GdinoProbeReport * report)
{
  double score, box, share;

  gdino_probe_get_tolerance (probe, &score, &box, &share);
  json_object_set_boolean_member (numbers, "passed", report->passed);
  json_object_set_string_member (numbers, "prompt",
      gdino_probe_get_prompt (probe));
  json_object_set_int_member (numbers, "pictures", report->n_pictures);
  json_object_set_int_member (numbers, "invalid", report->n_invalid);
  json_object_set_double_member (numbers, "highest_score",
      report->highest_score);
  json_object_set_int_member (numbers, "detections", report->n_detections);
  if (report->n_detections == 0)
    return;
  json_object_set_int_member (numbers, "needed", report->n_needed);
  json_object_set_int_member (numbers, "found", report->n_found);
  json_object_set_double_member (numbers, "highest_allowed",
      report->highest_allowed);
  json_object_set_double_member (numbers, "score_tolerance", score);
  json_object_set_double_member (numbers, "box_tolerance", box);
  json_object_set_double_member (numbers, "score_difference",
      report->score_difference);
  json_object_set_double_member (numbers, "box_difference",
      report->box_difference);
  if (report->missing >= 0) {
    const GdinoProbeDetection *missing =
        gdino_probe_get_detection (probe, (guint) report->missing);
    JsonObject *object = json_object_new ();

    json_object_set_string_member (object, "phrase", missing->phrase);
    json_object_set_double_member (object, "score", missing->score);
    json_object_set_double_member (object, "score_difference",
        report->missing_score_difference);
    json_object_set_double_member (object, "box_difference",
        report->missing_box_difference);
    json_object_set_object_member (numbers, "missing", object);
  }
}

/* @package: whose files have all been read. FALSE with @error, or with a report
 * in @numbers that says why. */
static gboolean
verify_numbers (JsonObject * numbers, GdinoPackage * package,
    const char *device, GError ** error)
{
  g_autoptr (GdinoPackage) checked =
      gdino_package_open_full (gdino_package_get_path (package),
      GDINO_PACKAGE_SKIP_DIGESTS, error);
  g_autoptr (GdinoProbe) probe = NULL;
  g_autoptr (GdinoEngine) engine = NULL;
  GdinoProbeReport report;

  if (checked != NULL)
    probe = gdino_probe_new (checked, error);
  if (probe != NULL)
    engine = gdino_engine_get (checked, device, error);
  if (engine == NULL || !gdino_probe_run (probe, engine, &report, error))
    return FALSE;
  describe (numbers, probe, &report);
  return report.passed;
}

gboolean
inspect_verify (JsonObject * report, GdinoPackage * package,
    const char *device, gboolean progress)
{
  JsonObject *verify = json_object_new ();
  JsonObject *numbers = json_object_new ();
  g_autoptr (GError) error = NULL;
  gboolean files, passed = FALSE;

  files = verify_files (report, package, progress);
  json_object_set_boolean_member (verify, "files", files);
  if (files) {
    if (progress)
      fputs ("running the graphs", stderr);
    passed = verify_numbers (numbers, package, device, &error);
    clear_progress (progress);
  } else {
    json_object_set_string_member (numbers, "problem",
        "not run, since a file is damaged");
  }
  if (error != NULL) {
    g_autofree char *valid = g_utf8_make_valid (error->message, -1);

    json_object_set_string_member (numbers, "problem", valid);
    inspect_report_add_problem (report, error->message);
  } else if (files && !passed) {
    inspect_report_add_problem (report,
        "the graphs do not compute what they should");
  }
  json_object_set_object_member (verify, "numbers", numbers);
  json_object_set_boolean_member (verify, "passed", files && passed);
  json_object_set_object_member (report, "verify", verify);
  return files && passed;
}
