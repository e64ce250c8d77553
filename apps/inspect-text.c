/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "inspect-text.h"

#include <string.h>

#include "json-text.h"

#define NAME_WIDTH 13
#define LINE_WIDTH 80

/* A line of a name and what is said of it, as for printf(). */
#define add_line(out, name, ...) \
  G_STMT_START { \
    g_string_append_printf (out, "%-*s ", NAME_WIDTH, name); \
    g_string_append_printf (out, __VA_ARGS__); \
    g_string_append_c (out, '\n'); \
  } G_STMT_END

/* Words over as many lines as it takes. */
static void
add_words (GString * out, const char *name, JsonArray * words)
{
  gsize line = out->len;

  g_string_append_printf (out, "%-*s", NAME_WIDTH, name);
  for (guint i = 0; i < json_array_get_length (words); i++) {
    const char *word = json_array_get_string_element (words, i);

    if (out->len - line + 1 + strlen (word) > LINE_WIDTH) {
      g_string_append_c (out, '\n');
      line = out->len;
      g_string_append_printf (out, "%-*s", NAME_WIDTH, "");
    }
    g_string_append_printf (out, " %s", word);
  }
  g_string_append_c (out, '\n');
}

/* (nullable): NULL where it is null or missing */
static const char *
get_text (JsonObject * object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
      && json_node_get_value_type (node) == G_TYPE_STRING
      ? json_node_get_string (node) : NULL;
}

/* (transfer full) */
static char *
size_text (gint64 bytes)
{
  if (bytes < 1000)
    return g_strdup_printf ("%d bytes", (int) bytes);
  if (bytes < 1000000)
    return g_strdup_printf ("%.1f kB", (double) bytes / 1e3);
  if (bytes < 1000000000)
    return g_strdup_printf ("%.1f MB", (double) bytes / 1e6);
  return g_strdup_printf ("%.2f GB", (double) bytes / 1e9);
}

static void
add_sizes (GString * out, JsonObject * report)
{
  JsonObject *source = json_object_get_object_member (report, "source");
  JsonObject *canvas = json_object_get_object_member (report, "canvas");
  JsonArray *pad = json_object_get_array_member (canvas, "pad");
  JsonObject *thresholds = json_object_get_object_member (report, "thresholds");
  const char *licence = get_text (source, "license");

  add_line (out, "source", "%s", get_text (source, "name"));
  add_line (out, "", "sha256 %s", get_text (source, "sha256"));
  add_line (out, "licence", "%s", licence ? licence : "not stated");
  add_line (out, "made by", "%s", get_text (report, "generator"));
  add_line (out, "canvas", "%d x %d pixels, letterboxed on #%02x%02x%02x",
      (int) json_object_get_int_member (canvas, "width"),
      (int) json_object_get_int_member (canvas, "height"),
      (guint) json_array_get_int_element (pad, 0),
      (guint) json_array_get_int_element (pad, 1),
      (guint) json_array_get_int_element (pad, 2));
  add_line (out, "text tokens", "%d",
      (int) json_object_get_int_member (report, "text_tokens"));
  add_line (out, "queries", "%d",
      (int) json_object_get_int_member (report, "queries"));
  add_line (out, "features", "%d",
      (int) json_object_get_int_member (report, "features"));
  add_line (out, "batch", "%d",
      (int) json_object_get_int_member (report, "batch"));
  add_line (out, "precision", "%s", get_text (report, "precision"));
  add_line (out, "thresholds", "box %g, text %g",
      json_object_get_double_member (thresholds, "box"),
      json_object_get_double_member (thresholds, "text"));
}

static void
add_target (GString * out, JsonObject * report)
{
  JsonObject *target = json_object_get_object_member (report, "target");
  JsonObject *torch = json_object_get_object_member (report, "torch");
  JsonArray *features = json_object_get_array_member (target, "features");
  const char *capability = get_text (target, "compute_capability");
  const char *found = get_text (torch, "found");

  add_line (out, "device", "%s%s%s", get_text (report, "device"),
      capability ? ", compute capability " : "", capability ? capability : "");
  add_line (out, "processor", "%s%s", get_text (target, "arch"),
      json_array_get_length (features) > 0 ? " with" : "");
  if (json_array_get_length (features) > 0)
    add_words (out, "", features);
  if (json_object_get_boolean_member (target, "this_machine"))
    add_line (out, "", "this machine has all of it");
  else
    add_line (out, "", "not for this machine: %s", get_text (target,
            "problem"));
  add_line (out, "torch", "%s", get_text (torch, "version"));
  if (found != NULL)
    add_line (out, "", "found %s: %s", get_text (torch, "found_version"),
        found);
  else
    add_line (out, "", "%s", get_text (torch, "problem"));
}

static void
add_tensors (GString * out, const char *kind, JsonArray * tensors)
{
  for (guint i = 0; i < json_array_get_length (tensors); i++) {
    JsonObject *tensor = json_array_get_object_element (tensors, i);
    g_autofree char *shape =
        json_text_new (json_object_get_member (tensor, "shape"), TRUE);

    g_string_append_printf (out, "  %-*s %-14s %-8s %s\n", NAME_WIDTH - 2,
        i == 0 ? kind : "", get_text (tensor, "name"),
        get_text (tensor, "dtype"), shape);
  }
}

static void
add_graphs (GString * out, JsonObject * report)
{
  static const char *const names[] = { "text", "frame" };
  JsonObject *graphs = json_object_get_object_member (report, "graphs");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    JsonObject *graph = json_object_get_object_member (graphs, names[i]);

    g_string_append_printf (out, "%s graph\n", names[i]);
    add_tensors (out, "inputs", json_object_get_array_member (graph, "inputs"));
    add_tensors (out, "outputs",
        json_object_get_array_member (graph, "outputs"));
  }
}

/* Of a sound package and of a broken one, whose files have less to them. */
static void
add_files (GString * out, JsonArray * files)
{
  g_string_append (out, "files\n");
  for (guint i = 0; i < json_array_get_length (files); i++) {
    JsonObject *file = json_array_get_object_element (files, i);
    const char *digest = get_text (file, "sha256");
    g_autofree char *size =
        size_text (json_object_get_int_member (file, "size"));
    const char *state = "";

    if (get_text (file, "problem") != NULL)
      state = "  BAD";
    else if (json_object_has_member (file, "verified"))
      state = "  OK";
    g_string_append_printf (out, "  %-*s %10s%s\n", NAME_WIDTH - 2,
        get_text (file, "name"), size, state);
    if (digest != NULL)
      g_string_append_printf (out, "  %-*s sha256 %s\n", NAME_WIDTH - 2, "",
          digest);
  }
}

/* Every value of a manifest that nobody has checked. */
static void
add_raw (GString * out, const char *path, JsonNode * node)
{
  g_autofree char *value = NULL;

  if (JSON_NODE_HOLDS_OBJECT (node)) {
    JsonObject *object = json_node_get_object (node);
    g_autoptr (GList) names = json_object_get_members (object);

    for (GList * l = names; l != NULL; l = l->next) {
      g_autofree char *shown = g_strescape (l->data, NULL);
      g_autofree char *inner =
          path ? g_strdup_printf ("%s.%s", path, shown) : g_strdup (shown);

      add_raw (out, inner, json_object_get_member (object, l->data));
    }
    return;
  }
  value = json_text_new (node, FALSE);
  g_string_append_printf (out, "  %s: %s\n", path, value);
}

static void
add_numbers (GString * out, JsonObject * numbers)
{
  JsonObject *missing = json_object_has_member (numbers, "missing")
      ? json_object_get_object_member (numbers, "missing") : NULL;
  const gint64 invalid = json_object_get_int_member (numbers, "invalid");

  add_line (out, "numbers", "prompt \"%s\"", get_text (numbers, "prompt"));
  if (json_object_get_int_member (numbers, "detections") == 0) {
    add_line (out, "", "the package has no probe to compare with: seen only "
        "whether");
    add_line (out, "", "the graphs run and give numbers in range");
  } else {
    add_line (out, "", "found %d of %d detections, wanted at least %d",
        (int) json_object_get_int_member (numbers, "found"),
        (int) json_object_get_int_member (numbers, "detections"),
        (int) json_object_get_int_member (numbers, "needed"));
    add_line (out, "", "largest difference of a score %.2g (allowed %g), of a "
        "box %.2g (allowed %g)",
        json_object_get_double_member (numbers, "score_difference"),
        json_object_get_double_member (numbers, "score_tolerance"),
        json_object_get_double_member (numbers, "box_difference"),
        json_object_get_double_member (numbers, "box_tolerance"));
    add_line (out, "", "highest score %.4f (allowed %.4f)",
        json_object_get_double_member (numbers, "highest_score"),
        json_object_get_double_member (numbers, "highest_allowed"));
  }
  if (missing != NULL)
    add_line (out, "", "not found: \"%s\" with score %.4f; the nearest differs "
        "by %.2g in score, %.2g in its box", get_text (missing, "phrase"),
        json_object_get_double_member (missing, "score"),
        json_object_get_double_member (missing, "score_difference"),
        json_object_get_double_member (missing, "box_difference"));
  if (invalid > 0)
    add_line (out, "", "%d values are not numbers or out of range",
        (int) invalid);
}

static void
add_verify (GString * out, JsonObject * verify)
{
  JsonObject *numbers = json_object_get_object_member (verify, "numbers");
  const char *problem = get_text (numbers, "problem");

  if (problem == NULL)
    add_numbers (out, numbers);
  else
    add_line (out, "numbers", "%s", problem);
  add_line (out, "verified", "%s",
      json_object_get_boolean_member (verify, "passed") ? "OK" : "FAILED");
}

char *
inspect_text_new (JsonObject * report)
{
  GString *out = g_string_new (NULL);

  add_line (out, "package", "%s", get_text (report, "package"));
  if (json_object_has_member (report, "source")) {
    add_sizes (out, report);
    add_target (out, report);
    add_line (out, "probe", "%s", get_text (report, "probe")
        ? get_text (report, "probe") : "none");
    add_graphs (out, report);
  }
  if (json_object_has_member (report, "manifest")) {
    g_string_append (out, "manifest as it stands\n");
    add_raw (out, NULL, json_object_get_member (report, "manifest"));
  }
  if (json_object_has_member (report, "files"))
    add_files (out, json_object_get_array_member (report, "files"));
  if (json_object_has_member (report, "verify"))
    add_verify (out, json_object_get_object_member (report, "verify"));
  return g_string_free (out, FALSE);
}
