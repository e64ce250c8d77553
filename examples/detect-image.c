/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Finds objects in one picture with the library alone, without GStreamer, and
 * prints JSON:
 *
 *   detect-image [OPTION...] MODEL PICTURE PROMPT
 *
 * All that the library wants of a picture is RGB bytes on a canvas of the
 * model's size, and where on it the picture lies. Here gdk-pixbuf reads and
 * scales; any other library does as well. */

#include <gdino/gdino.h>
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

typedef struct
{
  char *device;
  double box_threshold;         /* below 0: the package's */
  double text_threshold;
} Options;

/* Returns: (transfer full): RGB; what is transparent shows black */
static GdkPixbuf *
make_opaque (GdkPixbuf * picture)
{
  const int width = gdk_pixbuf_get_width (picture);
  const int height = gdk_pixbuf_get_height (picture);
  GdkPixbuf *opaque;

  if (!gdk_pixbuf_get_has_alpha (picture))
    return g_object_ref (picture);
  opaque = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, width, height);
  gdk_pixbuf_fill (opaque, 0x000000ff);
  gdk_pixbuf_composite (picture, opaque, 0, 0, width, height, 0, 0, 1, 1,
      GDK_INTERP_NEAREST, 255);
  return opaque;
}

/* Cameras that were held upright say so in a tag.
 * Returns: (transfer full) (nullable): RGB */
static GdkPixbuf *
read_picture (const char *path, GError ** error)
{
  g_autoptr (GdkPixbuf) stored = gdk_pixbuf_new_from_file (path, error);
  g_autoptr (GdkPixbuf) upright = NULL;

  if (stored == NULL) {
    g_prefix_error (error, "%s: ", path);
    return NULL;
  }
  upright = gdk_pixbuf_apply_embedded_orientation (stored);
  return make_opaque (upright);
}

/* Scales the picture onto the middle of the model's canvas. The letterbox says
 * where it lies, and later brings boxes back to the picture.
 * Returns: (transfer full) (nullable): the canvas */
static GdkPixbuf *
make_canvas (GdkPixbuf * picture, GdinoPackage * package,
    GdinoLetterbox * letterbox, GError ** error)
{
  const guint frame_width = (guint) gdk_pixbuf_get_width (picture);
  const guint frame_height = (guint) gdk_pixbuf_get_height (picture);
  GdkPixbuf *canvas;
  guint width, height;
  guint8 pad[3];

  gdino_package_get_canvas (package, &width, &height);
  gdino_package_get_pad (package, pad);
  if (!gdino_letterbox_init (letterbox, frame_width, frame_height, 1, 1, width,
          height, error))
    return NULL;

  canvas = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, (int) width,
      (int) height);
  gdk_pixbuf_fill (canvas, (guint) pad[0] << 24 | (guint) pad[1] << 16
      | (guint) pad[2] << 8 | 0xff);
  gdk_pixbuf_scale (picture, canvas, (int) letterbox->x, (int) letterbox->y,
      (int) letterbox->width, (int) letterbox->height, letterbox->x,
      letterbox->y, (double) letterbox->width / frame_width,
      (double) letterbox->height / frame_height, GDK_INTERP_BILINEAR);
  return canvas;
}

/* Returns: (transfer full) (nullable): what is in the picture */
static GdinoDetections *
detect (const char *model, const char *path, const char *text,
    const Options * options, GError ** error)
{
  GdinoDecodeParams params;
  GdinoLetterbox letterbox;
  g_autoptr (GdkPixbuf) picture = NULL;
  g_autoptr (GdkPixbuf) canvas = NULL;
  g_autoptr (GdinoPackage) package = NULL;
  g_autoptr (GdinoEngine) engine = NULL;
  g_autoptr (GdinoDetector) detector = NULL;
  g_autoptr (GdinoPrompt) prompt = NULL;

  gdino_decode_params_init (&params);
  if ((package = gdino_package_open (model, error)) == NULL
      || (picture = read_picture (path, error)) == NULL
      || (canvas = make_canvas (picture, package, &letterbox, error)) == NULL
      || (engine = gdino_engine_get (package, options->device, error)) == NULL)
    return NULL;
  detector = gdino_detector_new (engine);
  prompt = gdino_detector_make_prompt (detector, text, error);
  if (prompt == NULL)
    return NULL;
  for (guint i = 0; gdino_prompt_get_dropped (prompt)[i] != NULL; i++)
    fprintf (stderr, "detect-image: \"%s\" does not fit the model and is left "
        "out\n", gdino_prompt_get_dropped (prompt)[i]);

  gdino_package_get_thresholds (package, &params.box_threshold,
      &params.text_threshold);
  if (options->box_threshold >= 0)
    params.box_threshold = (float) options->box_threshold;
  if (options->text_threshold >= 0)
    params.text_threshold = (float) options->text_threshold;
  return gdino_detector_detect (detector, gdk_pixbuf_read_pixels (canvas),
      (gsize) gdk_pixbuf_get_rowstride (canvas), &letterbox, prompt, &params,
      NULL, error);
}

static void
add_number (JsonBuilder * builder, const char *name, gint64 value)
{
  if (name != NULL)
    json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

static void
add_text (JsonBuilder * builder, const char *name, const char *value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, value);
}

static void
add_detection (JsonBuilder * builder, GdinoDetections * found, guint index)
{
  const GdinoDetection *detection = gdino_detections_get (found, index);

  json_builder_begin_object (builder);
  add_text (builder, "label", gdino_detections_get_label (found, index));
  json_builder_set_member_name (builder, "score");
  json_builder_add_double_value (builder, detection->score);
  json_builder_set_member_name (builder, "box");
  json_builder_begin_array (builder);
  add_number (builder, NULL, detection->x);
  add_number (builder, NULL, detection->y);
  add_number (builder, NULL, detection->width);
  add_number (builder, NULL, detection->height);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

/* In the words of gdino-detect. */
static void
print_json (const char *path, const char *text, GdinoDetections * found)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *name = g_filename_display_name (path);
  g_autofree char *json = NULL;

  json_builder_begin_object (builder);
  add_text (builder, "file", name);
  add_text (builder, "prompt", text);
  json_builder_set_member_name (builder, "detections");
  json_builder_begin_array (builder);
  for (guint i = 0; i < gdino_detections_get_n (found); i++)
    add_detection (builder, found, i);
  json_builder_end_array (builder);
  json_builder_end_object (builder);

  root = json_builder_get_root (builder);
  json_generator_set_root (generator, root);
  json = json_generator_to_data (generator, NULL);
  printf ("%s\n", json);
}

static gboolean
parse_options (Options * options, int *argc, char ***argv, GError ** error)
{
  const GOptionEntry entries[] = {
    {"device", 'd', 0, G_OPTION_ARG_STRING, &options->device,
        "where the model runs: auto, cpu, cuda or cuda:N", "DEVICE"},
    {"box-threshold", 0, 0, G_OPTION_ARG_DOUBLE, &options->box_threshold,
        "report boxes that score above X, 0 to 1", "X"},
    {"text-threshold", 0, 0, G_OPTION_ARG_DOUBLE, &options->text_threshold,
        "attach further phrases that score above X, 0 to 1", "X"},
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GOptionContext) context =
      g_option_context_new ("MODEL PICTURE PROMPT");

  g_option_context_set_summary (context, "Finds in PICTURE what PROMPT names, "
      "such as \"a cat. a red car.\", and prints JSON.\nMODEL is the folder of "
      "a compiled package. Boxes are x, y, width, height in pixels.");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  if (*argc != 4) {
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
        "MODEL, PICTURE and PROMPT are expected; see --help");
    return FALSE;
  }
  if (options->device == NULL)
    options->device = g_strdup ("auto");
  return TRUE;
}

int
main (int argc, char **argv)
{
  Options options = {.box_threshold = -1,.text_threshold = -1 };
  g_autoptr (GdinoDetections) found = NULL;
  g_autoptr (GError) error = NULL;
  int status = 1;

  gdino_limit_spinning ();
  if (!parse_options (&options, &argc, &argv, &error))
    status = 2;
  else if ((found = detect (argv[1], argv[2], argv[3], &options, &error)))
    status = 0;
  if (found != NULL)
    print_json (argv[2], argv[3], found);
  else
    fprintf (stderr, "detect-image: %s\n", error->message);
  g_free (options.device);
  return status;
}
