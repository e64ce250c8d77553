/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Reads probe.json and draws its picture. Runs nothing. */

#include "probe-private.h"

#include <gdino/error.h>
#include <string.h>

#include "digest.h"
#include "json.h"
#include "package-private.h"

#define MAX_DEPTH 8
#define GENERATOR "gradient-1"

void
gdino_probe_free (GdinoProbe * self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->prompt, gdino_prompt_unref);
  g_free (self);
}

const char *
gdino_probe_get_prompt (GdinoProbe * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return gdino_prompt_get_text (self->prompt);
}

guint
gdino_probe_get_n_detections (GdinoProbe * self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_detections;
}

const GdinoProbeDetection *
gdino_probe_get_detection (GdinoProbe * self, guint index)
{
  g_return_val_if_fail (index < gdino_probe_get_n_detections (self), NULL);

  return &self->detections[index];
}

void
gdino_probe_get_tolerance (GdinoProbe * self, double *score, double *box,
    double *share)
{
  g_return_if_fail (self != NULL);

  *score = self->score;
  *box = self->box;
  *share = self->share;
}

static void
fill (guint8 * canvas, guint width, guint x0, guint x1, guint y0, guint y1,
    const guint8 colour[3])
{
  for (guint y = y0; y < y1; y++)
    for (guint x = x0; x < x1; x++)
      memcpy (canvas + ((gsize) y * width + x) * 3, colour, 3);
}

void
gdino_probe_draw (guint8 * canvas, guint width, guint height)
{
  static const guint8 warm[3] = { 210, 60, 40 };
  static const guint8 cold[3] = { 30, 90, 200 };
  const guint u = width / 5, v = height / 4;
  guint8 *pixel = canvas;

  g_return_if_fail (canvas != NULL);
  g_return_if_fail (width >= 1 && width <= 65536);
  g_return_if_fail (height >= 1 && height <= 65536);

  for (guint y = 0; y < height; y++) {
    for (guint x = 0; x < width; x++, pixel += 3) {
      pixel[0] = (guint8) (255 * x / MAX (width - 1, 1));
      pixel[1] = (guint8) (255 * y / MAX (height - 1, 1));
      pixel[2] = (guint8) (160 * ((x / 16 + y / 16) % 2)
          + (7 * x + 13 * y) % 64);
    }
  }
  fill (canvas, width, u, 2 * u, v, 3 * v, warm);
  fill (canvas, width, 3 * u, 4 * u, 2 * v, 3 * v, cold);
}

/* All of it must fit, else other things would be looked for. */
static gboolean
read_prompt (GdinoProbe * self, GdinoJson json, GdinoTokenizer * tokenizer,
    guint n_tokens, GError ** error)
{
  g_autofree char *text = gdino_json_dup_string (json, "prompt", error);
  g_autoptr (GError) why = NULL;

  if (text == NULL)
    return FALSE;
  self->prompt = gdino_prompt_new (tokenizer, text, n_tokens, &why);
  if (self->prompt == NULL) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT, "prompt: %s",
        why->message);
    return FALSE;
  }
  if (!gdino_prompt_is_empty (self->prompt)
      && gdino_prompt_get_dropped (self->prompt)[0] == NULL)
    return TRUE;
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
      "prompt: found \"%s\", wanted at least one phrase, and all to fit %u text "
      "tokens", text, n_tokens);
  return FALSE;
}

static gboolean
read_tolerance (GdinoProbe * self, JsonObject * root, GError ** error)
{
  GdinoJson json = { root, "" };

  json.object = gdino_json_get_object (json, "tolerance", error);
  json.path = "tolerance";
  self->share = 1;
  return json.object != NULL
      && gdino_json_get_number (json, "score", G_MINFLOAT, 1, &self->score,
      error)
      && gdino_json_get_number (json, "box", G_MINFLOAT, 1, &self->box, error)
      && (!json_object_has_member (json.object, "share")
      || gdino_json_get_number (json, "share", G_MINFLOAT, 1, &self->share,
          error));
}

static gboolean
read_phrase (GdinoProbe * self, GdinoJson json, guint index, GError ** error)
{
  g_autofree char *text = gdino_json_dup_string (json, "phrase", error);
  g_autofree char *where = NULL;

  if (text == NULL)
    return FALSE;
  for (guint p = 0; p < gdino_prompt_get_n_phrases (self->prompt); p++) {
    const GdinoPhrase *phrase = gdino_prompt_get_phrase (self->prompt, p);

    if (g_str_equal (phrase->text, text)) {
      self->detections[index].phrase = phrase->text;
      self->phrases[index] = p;
      return TRUE;
    }
  }
  where = gdino_json_where (json, "phrase");
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
      "%s: found \"%s\", wanted a phrase of the prompt \"%s\"", where, text,
      gdino_prompt_get_text (self->prompt));
  return FALSE;
}

static gboolean
read_detection (GdinoProbe * self, JsonNode * node, guint index,
    GError ** error)
{
  g_autofree char *path = g_strdup_printf ("detections[%u]", index);
  GdinoProbeDetection *detection = &self->detections[index];
  GdinoJson json = { NULL, path };

  if (!JSON_NODE_HOLDS_OBJECT (node)) {
    g_autofree char *found = gdino_json_describe (node);

    g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
        "%s: found %s, wanted an object", path, found);
    return FALSE;
  }
  json.object = json_node_get_object (node);
  return read_phrase (self, json, index, error)
      && gdino_json_get_number (json, "score", 0, 1, &detection->score, error)
      && gdino_json_get_numbers (json, "box", 4, -1e6, 1e6, detection->box,
      error);
}

static gboolean
read_detections (GdinoProbe * self, JsonObject * root, GError ** error)
{
  const GdinoJson json = { root, "" };
  JsonArray *array = gdino_json_get_array (json, "detections", 1,
      GDINO_PROBE_MAX_DETECTIONS, error);

  if (array == NULL)
    return FALSE;
  for (guint i = 0; i < json_array_get_length (array); i++)
    if (!read_detection (self, json_array_get_element (array, i), i, error))
      return FALSE;
  self->n_detections = json_array_get_length (array);
  return TRUE;
}

GdinoProbe *
gdino_probe_parse (const char *data, gsize length, GdinoTokenizer * tokenizer,
    guint n_tokens, GError ** error)
{
  g_autoptr (GdinoProbe) self = g_new0 (GdinoProbe, 1);
  g_autoptr (JsonNode) root = gdino_json_parse (data, length, MAX_DEPTH, error);
  GdinoJson json = { NULL, "" };
  GdinoJson image = { NULL, "image" };

  if (root == NULL)
    return NULL;
  json.object = json_node_get_object (root);
  image.object = gdino_json_get_object (json, "image", error);
  if (image.object == NULL
      || !gdino_json_expect_string (image, "generator", GENERATOR, error)
      || !read_prompt (self, json, tokenizer, n_tokens, error)
      || !read_tolerance (self, json.object, error)
      || !read_detections (self, json.object, error))
    return NULL;
  return g_steal_pointer (&self);
}

/* A probe with nothing to compare: some prompt that fits. */
static GdinoProbe *
new_without_file (GdinoPackage * package, GError ** error)
{
  static const char *const texts[] = { "a cat. dog. remote control.", "cat.",
    "a."
  };
  g_autoptr (GdinoProbe) self = g_new0 (GdinoProbe, 1);
  g_autoptr (GError) why = NULL;

  self->score = self->box = self->share = 1;
  for (guint i = 0; i < G_N_ELEMENTS (texts) && self->prompt == NULL; i++) {
    g_clear_error (&why);
    self->prompt = gdino_prompt_new (gdino_package_get_tokenizer (package),
        texts[i], gdino_package_get_text_tokens (package), &why);
  }
  if (self->prompt != NULL)
    return g_steal_pointer (&self);
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
      "%s: no prompt can be made to try it with: %s",
      gdino_package_get_path (package), why->message);
  return NULL;
}

GdinoProbe *
gdino_probe_new (GdinoPackage * package, GError ** error)
{
  g_autofree char *path = NULL;
  g_autoptr (GBytes) bytes = NULL;
  GdinoProbe *self;

  g_return_val_if_fail (package != NULL, NULL);
  g_return_val_if_fail (gdino_package_get_tokenizer (package) != NULL, NULL);

  if (gdino_package_get_probe_file (package) == NULL)
    return new_without_file (package, error);
  path = gdino_package_dup_path (package,
      gdino_package_get_probe_file (package));
  bytes = gdino_file_read (path, GDINO_PROBE_MAX_BYTES, error);
  if (bytes == NULL)
    return NULL;
  self = gdino_probe_parse (g_bytes_get_data (bytes, NULL),
      g_bytes_get_size (bytes), gdino_package_get_tokenizer (package),
      gdino_package_get_text_tokens (package), error);
  if (self == NULL)
    g_prefix_error (error, "%s: ", path);
  return self;
}
