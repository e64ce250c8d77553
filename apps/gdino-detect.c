/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Files in, JSON lines out: opens the model and what is written to. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <gdino/gdino.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

#include "detect-queue.h"
#include "detect-run.h"
#include "draw.h"
#include "gstgdinoprompt.h"

#define EXIT_FAILED 1
#define EXIT_USAGE 2

static gboolean
make_prompts (DetectApp * self, GError ** error)
{
  GArray *changes = self->options->changes;

  for (guint i = 0; i < changes->len; i++) {
    const char *text = g_array_index (changes, DetectChange, i).text;
    GdinoPrompt *prompt =
        gdino_detector_make_prompt_split (self->detector, text,
        self->options->max_passes, error);
    g_autofree char *complaints = NULL;

    if (prompt == NULL)
      return FALSE;
    g_ptr_array_add (self->prompts, prompt);
    complaints = gst_gdino_prompt_complaints (prompt);
    if (complaints != NULL)
      detect_run_complain (self, NULL, "warning: ", complaints);
  }
  if (changes->len == 1
      && gdino_prompt_is_empty (g_ptr_array_index (self->prompts, 0)))
    detect_run_complain (self, NULL, "warning: ",
        "the prompt names nothing to look for");
  return TRUE;
}

static gboolean
open_model (DetectApp * self, GError ** error)
{
  DetectOptions *options = self->options;
  const char *device = options->device != NULL ? options->device : "auto";
  g_autoptr (GdinoPackage) package = NULL;
  g_autoptr (GdinoEngine) engine = NULL;
  float box, text;

  if (self->progress)
    fprintf (stderr, "loading %s", options->model);
  package = gdino_package_open (options->model, error);
  if (package != NULL)
    engine = gdino_engine_get (package, device, error);
  detect_run_clear_progress (self);
  if (engine == NULL)
    return FALSE;

  self->detector = gdino_detector_new (engine);
  self->queue = detect_queue_new (self->detector);
  gdino_package_get_thresholds (package, &box, &text);
  options->params.box_threshold =
      options->box_threshold < 0 ? box : (float) options->box_threshold;
  options->params.text_threshold =
      options->text_threshold < 0 ? text : (float) options->text_threshold;
  return gdino_decode_params_check (&options->params, error);
}

/* Opens everything that is written to, so that mistakes show at once. */
static gboolean
open_outputs (DetectApp * self, GError ** error)
{
  DetectOptions *options = self->options;

  if ((options->annotate != NULL || options->video != NULL)
      && !draw_is_possible ()) {
    g_set_error_literal (error, DETECT_USAGE_ERROR, 0, "--annotate and --video "
        "cannot draw: this program was built without cairo");
    return FALSE;
  }
  if (options->annotate != NULL && g_mkdir_with_parents (options->annotate,
          0777) != 0) {
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
        "cannot make the folder %s: %s", options->annotate, g_strerror (errno));
    return FALSE;
  }
  self->output = stdout;
  if (options->output != NULL && strcmp (options->output, "-") != 0) {
    self->output = g_fopen (options->output, "w");
    if (self->output == NULL) {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
          "cannot write %s: %s", options->output, g_strerror (errno));
      return FALSE;
    }
  }
  if (options->video != NULL)
    self->video = detect_video_new (options->video, error);
  return options->video == NULL || self->video != NULL;
}

static gboolean
close_outputs (DetectApp * self, GError ** error)
{
  FILE *output = g_steal_pointer (&self->output);

  if (self->video != NULL && !detect_video_finish (self->video, error))
    return FALSE;
  if (output != NULL && output != stdout && fclose (output) != 0) {
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno),
        "cannot write %s: %s", self->options->output, g_strerror (errno));
    return FALSE;
  }
  return TRUE;
}

/* Returns whether every file went well. */
static gboolean
process_files (DetectApp * self)
{
  gboolean go_on = TRUE;

  for (char **file = self->options->files; *file != NULL && go_on; file++)
    go_on = detect_run_file (self, *file);
  if (go_on)
    detect_queue_flush (self);
  detect_run_clear_progress (self);
  return !self->failed;
}

static int
run (DetectApp * self)
{
  g_autoptr (GError) error = NULL;
  gint64 start;
  gboolean ok;

  if (!open_model (self, &error)) {
    detect_run_complain (self, NULL, "", error->message);
    return EXIT_FAILED;
  }
  if (!make_prompts (self, &error) || !open_outputs (self, &error)) {
    detect_run_complain (self, NULL, "", error->message);
    return error->domain == G_FILE_ERROR ? EXIT_FAILED : EXIT_USAGE;
  }
  start = g_get_monotonic_time ();
  ok = process_files (self);
  if (!close_outputs (self, &error)) {
    detect_run_complain (self, NULL, "", error->message);
    ok = FALSE;
  }
  if (self->options->summary)
    detect_summary_print (self->summary, stderr,
        (double) self->options->params.box_threshold,
        (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC);
  return ok ? 0 : EXIT_FAILED;
}

static void
clear_app (DetectApp * self)
{
  g_clear_pointer (&self->video, detect_video_free);
  g_clear_pointer (&self->queue, detect_queue_free);
  g_clear_pointer (&self->detector, gdino_detector_free);
  g_ptr_array_unref (self->prompts);
  g_hash_table_unref (self->stems);
  detect_summary_free (self->summary);
  detect_options_free (self->options);
  if (self->output != NULL && self->output != stdout)
    fclose (self->output);
}

int
main (int argc, char **argv)
{
  DetectApp self = { 0 };
  g_autoptr (GError) error = NULL;
  int status = 0;

  setlocale (LC_ALL, "");
  /* Read when libtorch's OpenMP is loaded. Threads that spin while they wait
   * take the processor from the decoder, and from each other. */
  gdino_limit_spinning ();
  self.options = detect_options_parse (&argc, &argv, &error);
  if (self.options == NULL) {
    g_printerr ("gdino-detect: %s\nTry \"gdino-detect --help\".\n",
        error->message);
    return EXIT_USAGE;
  }
  self.prompts = g_ptr_array_new_with_free_func ((GDestroyNotify)
      gdino_prompt_unref);
  self.stems = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self.summary = detect_summary_new ();
  self.progress = isatty (STDERR_FILENO) != 0;

  if (self.options->version)
    g_print ("gdino-detect %s\n", VERSION);
  else
    status = run (&self);
  clear_app (&self);
  return status;
}
