/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Prints what a prompt becomes for the model of a package. */

#include <errno.h>
#include <gdino/gdino.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "json-text.h"
#include "prompt-report.h"

#define PROGRAM "gdino-prompt"
#define MAX_TEXT_BYTES (1024 * 1024)    /* as for any prompt */

enum
{
  EXIT_OK = 0,
  EXIT_FAILED = 1,
  EXIT_USAGE = 2
};

static const char summary_text[] =
    "Prints as JSON what a prompt becomes for the model in PACKAGE, a folder made\n"
    "by gdino-compile: why a phrase does not work, and how much room is left.\n"
    "TEXT is the prompt; - reads it from standard input.";

static const char description_text[] =
    "A prompt is phrases that end in '.' or '?': \"a cat. red car.\" The last '.'\n"
    "may be left out. ',' and ';' do not separate phrases. A '.' within a number\n"
    "or an abbreviation ends a phrase too: write \"3 5 mm\" and \"US flag\".\n"
    "\n"
    "Members of the JSON object:\n"
    "  prompt         the text as given\n"
    "  text_tokens    how many tokens the model has room for\n"
    "  used_tokens    how many of them are used, [CLS] and [SEP] included\n"
    "  phrases        what is looked for: text (the label), bytes [start, end) in\n"
    "                 the prompt, tokens [start, end), pieces, and how many of\n"
    "                 these are unknown\n"
    "  duplicates     phrases that mean the same as an earlier one\n"
    "  dropped        phrases there was no room for\n"
    "  unknown_words  words that the vocabulary cannot spell\n"
    "  pieces         the used tokens as text; ## continues a word\n"
    "  ids            the used tokens as numbers\n"
    "  positions      place of each token in its group\n"
    "  groups         [start, end) of tokens that see each other\n"
    "\n"
    "Hints about what may not be meant go to standard error.\n"
    "\n"
    "Examples:\n"
    "  See how a prompt is taken apart:\n"
    "    " PROGRAM " PACKAGE \"a cat. a fire extinguisher.\"\n"
    "  Count the tokens of a prompt in a file:\n"
    "    " PROGRAM " --compact PACKAGE - < prompt.txt | jq .used_tokens\n"
    "  List the labels that detections can have:\n"
    "    " PROGRAM " PACKAGE \"Cat. DOG.\" | jq -r '.phrases[].text'\n"
    "\n"
    "Exit status: 0 all is well, 1 the package or the prompt is not usable,\n"
    "2 the command line is wrong.";

typedef struct
{
  gboolean compact;
  int max_passes;
  gboolean version;
  char **rest;                  /* PACKAGE and TEXT, bytes as given */
} Options;

static GOptionContext *
make_context (Options * options)
{
  const GOptionEntry entries[] = {
    {"compact", 'c', 0, G_OPTION_ARG_NONE, &options->compact,
        "Print the JSON on one line", NULL},
    {"max-passes", 0, 0, G_OPTION_ARG_INT, &options->max_passes,
          "Most text contexts for phrases that do not fit into one (default: 1)",
        "N"},
    {"version", 0, 0, G_OPTION_ARG_NONE, &options->version,
        "Print the version and exit", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->rest,
        NULL, "PACKAGE TEXT"},
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
    if (options->version || n == 2)
      return EXIT_OK;
    if (n < 2)
      fprintf (stderr, PROGRAM ": %s is missing\n",
          n == 0 ? "PACKAGE" : "TEXT");
    else
      fprintf (stderr, PROGRAM ": %u arguments, wanted PACKAGE and TEXT; put "
          "a prompt with blanks in quotes\n", n);
  }
  fprintf (stderr, "Try '" PROGRAM " --help'.\n");
  return EXIT_USAGE;
}

/* Returns: (transfer full) (nullable): standard input as a string. */
static char *
read_input (GError ** error)
{
  g_autofree char *text = g_malloc (MAX_TEXT_BYTES + 2);
  gsize length = fread (text, 1, MAX_TEXT_BYTES + 1, stdin);

  if (ferror (stdin)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_NOT_FOUND,
        "standard input: %s", g_strerror (errno));
    return NULL;
  }
  if (length > MAX_TEXT_BYTES) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_PROMPT,
        "standard input: more than %d bytes", MAX_TEXT_BYTES);
    return NULL;
  }
  text[length] = '\0';
  if (strlen (text) < length) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_PROMPT,
        "standard input: NUL byte at offset %" G_GSIZE_FORMAT, strlen (text));
    return NULL;
  }
  return g_steal_pointer (&text);
}

static gboolean
print_json (JsonNode * root, gboolean pretty, GError ** error)
{
  g_autofree char *text = json_text_new (root, pretty);

  if (puts (text) < 0 || fflush (stdout) != 0) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_NOT_FOUND,
        "standard output: %s", g_strerror (errno));
    return FALSE;
  }
  return TRUE;
}

static gboolean
report (const Options * options, GError ** error)
{
  g_autoptr (GdinoPackage) package = NULL;
  g_autoptr (GdinoPrompt) prompt = NULL;
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *input = NULL;
  g_auto (GStrv) hints = NULL;
  GdinoTokenizer *tokenizer;

  package = gdino_package_open (options->rest[0], error);
  if (package == NULL)
    return FALSE;
  if (strcmp (options->rest[1], "-") == 0) {
    input = read_input (error);
    if (input == NULL)
      return FALSE;
  }

  tokenizer = gdino_package_get_tokenizer (package);
  prompt = gdino_prompt_new_split (tokenizer,
      input ? input : options->rest[1],
      gdino_package_get_text_tokens (package),
      (guint) MAX (options->max_passes, 0), error);
  if (prompt == NULL)
    return FALSE;

  hints = prompt_report_hints (prompt);
  for (guint i = 0; hints[i] != NULL; i++)
    fprintf (stderr, PROGRAM ": %s\n", hints[i]);
  root = prompt_report_new (prompt, tokenizer);
  return print_json (root, !options->compact, error);
}

int
main (int argc, char **argv)
{
  Options options = {.max_passes = 1 };
  g_autoptr (GError) error = NULL;
  int status;

  setlocale (LC_ALL, "");
  status = parse_options (&options, &argc, &argv);
  if (status == EXIT_OK && options.version) {
    puts (PROGRAM " " VERSION);
  } else if (status == EXIT_OK && !report (&options, &error)) {
    fprintf (stderr, PROGRAM ": %s\n", error->message);
    status = EXIT_FAILED;
  }
  g_strfreev (options.rest);
  return status;
}
