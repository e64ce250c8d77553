/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* One contender of tools/bench: the C library, driven through a pipe. Takes a
 * package, a file with the canvas's RGB bytes and a prompt. Reads from standard
 * input a word and a count a line, "frame 3", "text 1" or "both 1", does that as
 * often, and prints the microseconds of each on one line: those of a frame, of
 * a prompt that the engine has not met, or of a frame with such a prompt. To
 * "boxes" it prints score, left, top, width and height of each query as parts of
 * the canvas. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gdino/gdino.h>

#define MOST_RUNS 10000
/* Boxes come in whole pixels of a frame: one so much larger than the canvas
 * keeps their fractions. */
#define FINENESS 16

typedef enum
{
  RUN_FRAME,
  RUN_TEXT,
  RUN_BOTH
} Run;

static void
stop (GError * error)
{
  g_printerr ("bench-detector: %s\n", error->message);
  exit (1);
}

static gint64
run_once (GdinoDetector * detector, const guint8 * canvas,
    const GdinoLetterbox * letterbox, GdinoPrompt * prompt, Run run)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoDetections) found = NULL;
  GdinoDecodeParams params;
  GdinoTimings timings;
  gint64 start, total;

  gdino_decode_params_init (&params);
  start = g_get_monotonic_time ();
  found = gdino_detector_detect (detector, canvas,
      3 * (gsize) letterbox->canvas_width, letterbox, prompt, &params, &timings,
      &error);
  total = g_get_monotonic_time () - start;
  if (!found)
    stop (error);
  return run == RUN_TEXT ? timings.text_us : total;
}

static void
print_boxes (GdinoDetector * detector, const guint8 * canvas,
    const GdinoLetterbox * letterbox, GdinoPrompt * prompt)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoDetections) found = NULL;
  GdinoDecodeParams params;
  double width = letterbox->frame_width, height = letterbox->frame_height;

  gdino_decode_params_init (&params);
  params.box_threshold = 0;
  params.text_threshold = 1;
  params.nms = GDINO_NMS_OFF;
  params.max_detections = G_MAXUINT16;
  found = gdino_detector_detect (detector, canvas,
      3 * (gsize) letterbox->canvas_width, letterbox, prompt, &params, NULL,
      &error);
  if (!found)
    stop (error);
  for (guint i = 0; i < gdino_detections_get_n (found); i++) {
    const GdinoDetection *box = gdino_detections_get (found, i);

    g_print ("%s%.6f %.6f %.6f %.6f %.6f", i ? " " : "", box->score,
        box->x / width, box->y / height, box->width / width,
        box->height / height);
  }
  g_print ("\n");
}

/* A prompt with the same number of tokens, which the engine does not know. */
static GdinoPrompt *
fresh_prompt (GdinoDetector * detector, guint number)
{
  static const char *const colours[] = { "red", "green", "blue", "black",
    "white", "brown", "yellow", "pink", "orange", "grey"
  };
  static const char *const things[] = { "car", "dog", "cat", "house", "tree",
    "bird", "cup", "ball", "boat", "horse"
  };
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strdup_printf ("a %s %s. a %s.",
      colours[number % 10], things[number / 10 % 10],
      things[number / 100 % 10]);
  GdinoPrompt *prompt = gdino_detector_make_prompt (detector, text, &error);

  if (!prompt)
    stop (error);
  return prompt;
}

static void
serve (GdinoDetector * detector, const guint8 * canvas,
    const GdinoLetterbox * letterbox, GdinoPrompt * prompt)
{
  char line[64];
  guint fresh = 0;

  while (fgets (line, sizeof line, stdin)) {
    Run run = g_str_has_prefix (line, "text ") ? RUN_TEXT
        : g_str_has_prefix (line, "both ") ? RUN_BOTH : RUN_FRAME;
    guint64 runs = g_ascii_strtoull (strchr (line, ' ') ? strchr (line, ' ')
        : "0", NULL, 10);

    if (g_str_has_prefix (line, "boxes")) {
      print_boxes (detector, canvas, letterbox, prompt);
      continue;
    }
    for (guint64 i = 0; i < MIN (runs, MOST_RUNS); i++) {
      g_autoptr (GdinoPrompt) used =
          run == RUN_FRAME ? gdino_prompt_ref (prompt)
          : fresh_prompt (detector, fresh++);

      g_print ("%s%" G_GINT64_FORMAT, i ? " " : "", run_once (detector, canvas,
              letterbox, used, run));
    }
    g_print ("\n");
  }
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPackage) package = NULL;
  g_autoptr (GdinoEngine) engine = NULL;
  g_autoptr (GdinoDetector) detector = NULL;
  g_autoptr (GdinoPrompt) prompt = NULL;
  g_autofree char *canvas = NULL;
  GdinoLetterbox letterbox;
  guint width, height;
  gsize size = 0;

  if (argc != 4) {
    g_printerr ("usage: bench-detector PACKAGE CANVAS PROMPT\n");
    return 2;
  }
  package = gdino_package_open (argv[1], &error);
  if (!package)
    stop (error);
  engine = gdino_engine_get (package, "auto", &error);
  if (!engine)
    stop (error);
  detector = gdino_detector_new (engine);
  prompt = gdino_detector_make_prompt (detector, argv[3], &error);
  gdino_package_get_canvas (package, &width, &height);
  if (!prompt || !gdino_letterbox_init (&letterbox, width * FINENESS,
          height * FINENESS, 1, 1, width, height, &error)
      || !g_file_get_contents (argv[2], &canvas, &size, &error))
    stop (error);
  if (size != (gsize) 3 * width * height) {
    g_printerr ("bench-detector: %s holds %" G_GSIZE_FORMAT
        " bytes; a canvas of %ux%u has %u\n", argv[2], size, width, height,
        3 * width * height);
    return 1;
  }
  serve (detector, (const guint8 *) canvas, &letterbox, prompt);
  return 0;
}
