/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Prints what is in a model package, and checks one. */

#include <errno.h>
#include <gdino/gdino.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "inspect-report.h"
#include "inspect-text.h"
#include "inspect-verify.h"
#include "json-text.h"

#define PROGRAM "gdino-inspect"

enum
{
  EXIT_OK = 0,
  EXIT_FAILED = 1,
  EXIT_USAGE = 2
};

static const char summary_text[] =
    "Prints what is in PACKAGE, a folder made by gdino-compile: the checkpoint and\n"
    "its licence, the size of pictures and prompts, what machine and which libtorch\n"
    "it needs and whether they are here, its graphs and its files. Packages for other\n"
    "machines and damaged ones are shown as far as they can be read.";

static const char description_text[] =
    "--verify reads every file and compares its SHA-256 digest, then runs the graphs\n"
    "on a made-up picture and compares what they find with what the network found\n"
    "before it was compiled. It runs the native code of the package: only do that to\n"
    "packages you trust. Digests show damage, not malice.\n"
    "\n"
    "Members of the JSON object of --json:\n"
    "  package      path as given, or absolute\n"
    "  ok           nothing is wrong with the package\n"
    "  problems     what is wrong, as text\n"
    "  generator    program that made it\n"
    "  source       checkpoint: name, sha256, license\n"
    "  canvas       width, height, pad, mean, std\n"
    "  text_tokens, queries, features, batch, precision\n"
    "  device       cpu or cuda\n"
    "  target       arch, features (instructions needed), compute_capability,\n"
    "               this_machine (it has them), problem\n"
    "  torch        version needed, library_dir noted, found, found_version, problem\n"
    "  thresholds   box, text\n"
    "  probe        file that --verify compares with, or null\n"
    "  graphs       text, frame: file, inputs, outputs\n"
    "  files        name, size, sha256, problem; with --verify also verified\n"
    "  verify       with --verify: files, numbers, passed\n"
    "  manifest     only where the manifest is refused: as it stands\n"
    "\n"
    "Examples:\n"
    "  See what a package is:\n"
    "    " PROGRAM " PACKAGE\n"
    "  Check a package that was copied here:\n"
    "    " PROGRAM " --verify PACKAGE\n"
    "  Ask for one thing:\n"
    "    " PROGRAM " --json PACKAGE | jq .canvas.width\n"
    "  List packages by checkpoint:\n"
    "    for p in packages/*; do " PROGRAM
    " --json $p | jq -r .source.name; done\n" "\n"
    "Exit status: 0 all is well, 1 PACKAGE is no package, is damaged, or --verify\n"
    "failed, 2 the command line is wrong. A sound package for another machine, or for\n"
    "a libtorch that is not here, is status 0 unless --verify is given.";

typedef struct
{
  gboolean json;
  gboolean verify;
  gboolean version;
  char *device;
  char **rest;                  /* PACKAGE, bytes as given */
} Options;

static GOptionContext *
make_context (Options * options)
{
  const GOptionEntry entries[] = {
    {"verify", 0, 0, G_OPTION_ARG_NONE, &options->verify,
        "Check every file, run the graphs and compare their numbers", NULL},
    {"device", 0, 0, G_OPTION_ARG_STRING, &options->device,
          "For --verify: auto, cpu, cuda or cuda:N (default: auto)",
        "DEVICE"},
    {"json", 'j', 0, G_OPTION_ARG_NONE, &options->json,
        "Print JSON", NULL},
    {"version", 0, 0, G_OPTION_ARG_NONE, &options->version,
        "Print the version and exit", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->rest,
        NULL, "PACKAGE"},
    {NULL, 0, 0, 0, NULL, NULL, NULL}
  };
  GOptionContext *context = g_option_context_new (NULL);

  g_option_context_set_summary (context, summary_text);
  g_option_context_set_description (context, description_text);
  g_option_context_add_main_entries (context, entries, NULL);
  return context;
}

/* Returns: EXIT_OK, or EXIT_USAGE after saying what is wrong. */
static int
parse_options (Options * options, int *argc, char ***argv)
{
  g_autoptr (GOptionContext) context = make_context (options);
  g_autoptr (GError) error = NULL;
  guint n;

  if (!g_option_context_parse (context, argc, argv, &error)) {
    fprintf (stderr, PROGRAM ": %s\n", error->message);
  } else {
    n = options->rest ? g_strv_length (options->rest) : 0;
    if (options->version
        || (n == 1 && (options->device == NULL || options->verify)))
      return EXIT_OK;
    if (n == 0)
      fprintf (stderr, PROGRAM ": PACKAGE is missing\n");
    else if (n > 1)
      fprintf (stderr, PROGRAM ": %u arguments, wanted one PACKAGE\n", n);
    else
      fprintf (stderr, PROGRAM ": --device is for --verify\n");
  }
  fprintf (stderr, "Try '" PROGRAM " --help'.\n");
  return EXIT_USAGE;
}

/* Returns: (transfer full): all there is to say, checks included */
static JsonObject *
make_report (const Options * options)
{
  const char *path = options->rest[0];
  const char *device = options->device != NULL ? options->device : "auto";
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPackage) package =
      gdino_package_open_full (path, GDINO_PACKAGE_MANIFEST_ONLY, &error);
  JsonObject *report;

  if (package == NULL)
    return inspect_report_new_broken (path, error->message);
  report = inspect_report_new (package);
  if (options->verify)
    inspect_verify (report, package, device, isatty (STDERR_FILENO) != 0);
  return report;
}

static gboolean
print (const Options * options, JsonObject * report)
{
  g_autofree char *text = NULL;
  g_autoptr (JsonNode) root = NULL;

  if (options->json) {
    root = json_node_init_object (json_node_alloc (), report);
    text = json_text_new (root, TRUE);
  } else {
    text = inspect_text_new (report);
  }
  if (fputs (text, stdout) >= 0 && (!options->json || putchar ('\n') != EOF)
      && fflush (stdout) == 0)
    return TRUE;
  fprintf (stderr, PROGRAM ": standard output: %s\n", g_strerror (errno));
  return FALSE;
}

static int
inspect (const Options * options)
{
  g_autoptr (JsonObject) report = make_report (options);
  JsonArray *problems = json_object_get_array_member (report, "problems");

  if (!print (options, report))
    return EXIT_FAILED;
  for (guint i = 0; i < json_array_get_length (problems); i++)
    fprintf (stderr, PROGRAM ": %s\n",
        json_array_get_string_element (problems, i));
  return json_object_get_boolean_member (report, "ok") ? EXIT_OK : EXIT_FAILED;
}

int
main (int argc, char **argv)
{
  Options options = { 0 };
  int status;

  setlocale (LC_ALL, "");
  /* Read when libtorch's OpenMP is loaded: threads that wait sleep. */
  gdino_limit_spinning ();
  status = parse_options (&options, &argc, &argv);
  if (status == EXIT_OK && options.version)
    puts (PROGRAM " " VERSION);
  else if (status == EXIT_OK)
    status = inspect (&options);
  g_free (options.device);
  g_strfreev (options.rest);
  return status;
}
