/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Every refusal of the manifest reader: one edit of a sound manifest each. */

#include "manifest.h"

#include <gdino/error.h>
#include <string.h>

#include "json.h"
#include "make-package.h"
#include "version.h"

static char *sound;             /* text of a fake package's manifest */

typedef struct
{
  const char *from;             /* what to replace in the sound manifest */
  const char *to;
  GdinoError code;
  const char *where;            /* the message must begin so */
  const char *what;             /* and hold this */
} Edit;

#define BAD GDINO_ERROR_CORRUPT
#define OTHER GDINO_ERROR_INCOMPATIBLE

static const Edit edits[] = {
  {"\"format\": 1", "\"format\": 2", OTHER, "format:", "found 2, wanted 1"},
  {"\"format\": 1", "\"format\": \"1\"", BAD, "format:", "found \"1\""},
  {"\"format\": 1", "\"format\": 1.5", BAD, "format:", "1.5"},
  {"\"format\": 1", "\"format\": -1", BAD, "format:", "found -1"},
  {"\"format\": 1", "\"format\": null", BAD, "format:", "found null"},
  {"\"format\": 1,", "", BAD, "format:", "found nothing"},
  {"\"generator\": \"fake 1.0\"", "\"generator\": \"\"", BAD, "generator:",
      "wanted a text"},
  {"\"fake 1.0\"", "\"a\\u0007b\"", BAD, "generator:", "control"},
  {"grounding-dino", "yolo", OTHER, "architecture:", "found \"yolo\""},
  {"\"name\": \"fake\"", "\"name\": 7", BAD, "source.name:", "found 7"},
  {"\"sha256\": \"0000", "\"sha256\": \"000", BAD, "source.sha256:",
      "64 lower-case"},
  {"\"sha256\": \"0000", "\"sha256\": \"A000", BAD, "source.sha256:",
      "64 lower-case"},
  {"\"canvas\": {", "\"canvas\": 1, \"x\": {", BAD, "canvas:", "an object"},
  {"\"width\": 448", "\"width\": 31", BAD, "canvas.width:", "from 32 to 8192"},
  {"\"width\": 448", "\"width\": 8193", BAD, "canvas.width:", "found 8193"},
  {"\"width\": 448", "\"width\": 99999999999999999999", BAD, "canvas.width:",
      "wanted a whole number"},
  {"\"height\": 256", "\"height\": 256.0", BAD, "canvas.height:", "found 256"},
  {"\"height\": 256", "\"height\": true", BAD, "canvas.height:", "found true"},
  {"\"RGB\"", "\"BGR\"", OTHER, "canvas.channels:", "wanted \"RGB\""},
  {"\"letterbox\"", "\"stretch\"", OTHER, "canvas.resize:", "stretch"},
  {"\"in-graph\"", "\"host\"", OTHER, "canvas.normalization:", "host"},
  {"[124, 116, 104]", "[124, 116]", BAD, "canvas.pad:", "3 elements"},
  {"[124, 116, 104]", "[124, 256, 104]", BAD, "canvas.pad[1]:", "found 256"},
  {"[124, 116, 104]", "[124, 116, 1.5]", BAD, "canvas.pad[2]:", "found 1.5"},
  {"[124, 116, 104]", "[124, \"0\", 1]", BAD, "canvas.pad[1]:", "a number"},
  {"[0.229", "[0", BAD, "canvas.std[0]:", "found 0"},
  {"[0.485", "[1e999", BAD, "canvas.mean[0]:", "wanted a number"},
  {"[0.485", "[[0.5]", BAD, "canvas.mean[0]:", "wanted a number"},
  {"\"batch\": 1", "\"batch\": 0", BAD, "batch:", "from 1 to 64"},
  {"\"batch\": 1", "\"batch\": 65", BAD, "batch:", "found 65"},
  {"\"batch\": 1", "\"batch\": 2", BAD, "graphs.frame.inputs[0].shape:",
      "found [1,256,448,3], wanted [2,256,448,3]"},
  {"\"batch\": 1", "\"precision\": \"int8\", \"batch\": 1", OTHER,
      "precision:", "found \"int8\", wanted \"fp32\" or \"bf16\""},
  {"\"batch\": 1", "\"precision\": 32, \"batch\": 1", BAD, "precision:",
      "found 32"},
  {"\"batch\": 1", "\"probe\": \"../probe.json\", \"batch\": 1", BAD,
      "probe:", "plain name"},
  {"\"batch\": 1", "\"probe\": \"probe.json\", \"batch\": 1", BAD,
      "files.probe.json:", "found nothing"},
  {"\"source\": {", "\"source\": {\"license\": 3, ", BAD, "source.license:",
      "found 3"},
  {"\"queries\": 20", "\"queries\": 0", BAD, "queries:", "from 1 to 10000"},
  {"\"queries\": 20", "\"queries\": 10001", BAD, "queries:", "found 10001"},
  {"\"text_tokens\": 64", "\"text_tokens\": 3", BAD, "text_tokens:", "found 3"},
  {"\"text_tokens\": 64", "\"text_tokens\": 4097", BAD, "text_tokens:",
      "4 to 4096"},
  {"\"features\": 8", "\"features\": 0", BAD, "features:", "found 0"},
  {"\"vocab.txt\"", "\"../vocab.txt\"", BAD, "text.vocabulary:", "plain name"},
  {"\"vocab.txt\"", "\".vocab\"", BAD, "text.vocabulary:", "plain name"},
  {"\"lower_case\": true", "\"lower_case\": false", OTHER, "text.lower_case:",
      "wanted true"},
  {"\"lower_case\": true", "\"lower_case\": 1", BAD, "text.lower_case:",
      "true or false"},
  {"[\".\", \"?\"]", "[\".\", \";\"]", OTHER, "text.delimiters:", ";"},
  {"[\".\", \"?\"]", "[]", BAD, "text.delimiters:", "an array"},
  {"\"pad_id\": 0", "\"pad_id\": -1", BAD, "text.pad_id:", "found -1"},
  {"\"sep_id\": 3", "\"sep_id\": 16777216", BAD, "text.sep_id:", "16777216"},
  {"\"graphs\": {", "\"graphs\": [], \"x\": {", BAD, "graphs:", "an object"},
  {"\"file\": \"text.so\"", "\"file\": \"/lib/text.so\"", BAD,
      "graphs.text.file:", "plain name"},
  {"\"file\": \"frame.so\"", "\"file\": \"a\\\\b\"", BAD, "graphs.frame.file:",
      "plain name"},
  {"{\"name\": \"input_ids\"", "5, {\"name\": \"input_ids\"", BAD,
      "graphs.text.inputs:", "3 elements"},
  {"{\"name\": \"boxes\", \"dtype\": \"float32\", \"shape\": [1, 20, 4]}", "5",
      BAD, "graphs.frame.outputs[1]:", "found 5, wanted an object"},
  {"\"name\": \"image\"", "\"name\": \"picture\"", OTHER,
      "graphs.frame.inputs[0].name:", "wanted \"image\""},
  {"\"dtype\": \"uint8\"", "\"dtype\": \"float16\"", OTHER,
      "graphs.frame.inputs[0].dtype:", "wanted \"uint8\""},
  {"\"shape\": [1, 256, 448, 3]", "\"shape\": [1, 3, 256, 448]", BAD,
        "graphs.frame.inputs[0].shape:",
      "found [1,3,256,448], wanted [1,256,448,3]"},
  {"[1, 256, 448, 3]", "[1, 9223372036854775807, 448, 3]", BAD,
      "graphs.frame.inputs[0].shape:", "9223372036854775807"},
  {"[1, 256, 448, 3]", "[1, 256, 448, 3, 1, 1]", BAD,
      "graphs.frame.inputs[0].shape:", "1 to 5 elements"},
  {"[1, 256, 448, 3]", "[1, 256.0, 448, 3]", BAD,
      "graphs.frame.inputs[0].shape:", "wanted [1,256,448,3]"},
  {"[1, 256, 448, 3]", "1", BAD, "graphs.frame.inputs[0].shape:", "an array"},
  {"\"queries\": 20", "\"queries\": 21", BAD, "graphs.frame.outputs[0].shape:",
      "found [1,20,64], wanted [1,21,64]"},
  {"\"width\": 448", "\"width\": 480", BAD, "graphs.frame.inputs[0].shape:",
      "wanted [1,256,480,3]"},
  {"\"features\": 8", "\"features\": 9", BAD, "graphs.text.outputs[0].shape:",
      "wanted [1,64,9]"},
  {"\"text_tokens\": 64", "\"text_tokens\": 256", BAD,
      "graphs.text.inputs[0].shape:", "wanted [1,256]"},
  {"\"device\": \"cpu\"", "\"device\": \"tpu\"", OTHER, "device:", "tpu"},
  {"\"features\": []", "\"features\": \"avx\"", BAD, "target.features:",
      "an array"},
  {"\"features\": []", "\"features\": [\"avx\", 2]", BAD,
      "target.features[1]:", "found 2"},
  {"\"arch\": \"", "\"arch\": 1, \"x\": \"", BAD, "target.arch:", "found 1"},
  {"\"version\": \"2.13.0\"", "\"version\": \"two\"", BAD, "torch.version:",
      "two"},
  {"\"/nonexistent/torch/lib\"", "\"torch/lib\"", BAD, "torch.library_dir:",
      "absolute"},
  {"\"/nonexistent/torch/lib\"", "5", BAD, "torch.library_dir:", "found 5"},
  {"\"box_threshold\": 0.35", "\"box_threshold\": 1.01", BAD,
      "defaults.box_threshold:", "from 0 to 1"},
  {"\"text_threshold\": 0.25", "\"text_threshold\": -0.1", BAD,
      "defaults.text_threshold:", "from 0 to 1"},
  {"\"files\": {", "\"files\": {\"../x\": {},", BAD, "files.(name):", "../x"},
  {"\"files\": {", "\"files\": {\"\": {},", BAD, "files.(name):", "a text"},
  {"\"files\": {", "\"files\": {\"a.bin\": 3,", BAD, "files.a.bin:", "found 3"},
  {"\"text.so\": {\"size\": ", "\"text.so\": {\"size\": -", BAD,
      "files.text.so.size:", "from 1 to"},
  {"\"text.so\": {\"size\": ", "\"text.so\": {\"size\": 0, \"x\": ", BAD,
      "files.text.so.size:", "found 0"},
  {"\"text.so\": {\"size\": ", "\"text.so\": {\"size\": 2000000000000, \"x\": ",
      BAD, "files.text.so.size:", "found 2000000000000"},
  {"\"frame.so\": {\"size\"", "\"frame.soo\": {\"size\"", BAD,
      "files.frame.so:", "found nothing"},
};

static char *
apply (const Edit * edit)
{
  const char *found = strstr (sound, edit->from);

  if (found == NULL)
    g_error ("no %s in the sound manifest", edit->from);
  return g_strdup_printf ("%.*s%s%s", (int) (found - sound), sound, edit->to,
      found + strlen (edit->from));
}

static void
test_edit (gconstpointer data)
{
  const Edit *edit = data;
  g_autofree char *text = apply (edit);
  g_autoptr (GError) error = NULL;

  g_assert_null (gdino_manifest_parse (text, strlen (text), &error));
  g_assert_error (error, GDINO_ERROR, (gint) edit->code);
  g_test_message ("%s", error->message);
  g_assert_true (g_str_has_prefix (error->message, edit->where));
  g_assert_nonnull (strstr (error->message, edit->what));
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
  g_assert_cmpuint (strlen (error->message), <, 600);
}

static void
test_sound (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoManifest) m =
      gdino_manifest_parse (sound, strlen (sound), &error);

  g_assert_no_error (error);
  g_assert_cmpstr (m->generator, ==, "fake 1.0");
  g_assert_cmpstr (m->source_name, ==, "fake");
  g_assert_cmpuint (strlen (m->source_sha256), ==, 64);
  g_assert_null (m->licence);
  g_assert_cmpuint (m->batch, ==, 1);
  g_assert_cmpstr (m->precision, ==, "fp32");
  g_assert_null (m->compute_capability);
  g_assert_null (m->probe);
  g_assert_cmpfloat (m->mean[2], ==, 0.406);
  g_assert_cmpfloat (m->std[0], ==, 0.229);
  g_assert_cmpuint (m->width, ==, 448);
  g_assert_cmpuint (m->height, ==, 256);
  g_assert_cmpmem (m->pad, 3, "\x7c\x74\x68", 3);
  g_assert_cmpuint (m->queries, ==, 20);
  g_assert_cmpuint (m->text_tokens, ==, 64);
  g_assert_cmpuint (m->features, ==, 8);
  g_assert_cmpuint (m->unk_id, ==, 1);
  g_assert_cmpuint (m->sep_id, ==, 3);
  g_assert_cmpstr (m->device, ==, "cpu");
  g_assert_cmpstr (m->torch_version, ==, "2.13.0");
  g_assert_cmpstr (m->torch_library_dir, ==, "/nonexistent/torch/lib");
  g_assert_cmpuint (g_strv_length (m->cpu_features), ==, 0);
  g_assert_cmpfloat_with_epsilon (m->box_threshold, 0.35, 1e-6);
  g_assert_cmpuint (m->n_files, ==, 3);
  g_assert_cmpuint (m->frame.n_inputs, ==, 5);
  g_assert_cmpstr (m->frame.inputs[0].name, ==, "image");
  g_assert_cmpuint (m->frame.inputs[0].n_bytes, ==, 448 * 256 * 3);
  g_assert_cmpuint (m->frame.outputs[0].n_bytes, ==, 20 * 64 * 4);
  g_assert_cmpuint (m->text.inputs[0].n_bytes, ==, 64 * 8);
  g_assert_nonnull (gdino_manifest_find_file (m, "vocab.txt"));
  g_assert_null (gdino_manifest_find_file (m, "manifest.json"));
}

/* What a later compiler adds is no reason to refuse. */
static void
test_unknown_members (void)
{
  const Edit edit = { "\"batch\"", "\"later\": [1, {\"a\": null}], \"batch\"",
    BAD, NULL, NULL
  };
  const Edit null = { "\"/nonexistent/torch/lib\"", "null", BAD, NULL, NULL };
  g_autofree char *text = apply (&edit);
  g_autofree char *other = apply (&null);
  g_autoptr (GdinoManifest) m = NULL;
  g_autoptr (GdinoManifest) n = NULL;

  m = gdino_manifest_parse (text, strlen (text), NULL);
  g_assert_nonnull (m);
  n = gdino_manifest_parse (other, strlen (other), NULL);
  g_assert_nonnull (n);
  g_assert_null (n->torch_library_dir);
}

/* Members that need not be there, and what null means there. */
static void
test_optional_members (void)
{
  static const Edit steps[] = {
    {"\"source\": {", "\"source\": {\"license\": \"apache-2.0\", ", BAD, "",
        ""},
    {"\"batch\": 1", "\"probe\": \"vocab.txt\", \"precision\": \"bf16\", "
          "\"batch\": 1", BAD, "", ""},
    {"\"device\": \"cpu\"", "\"device\": \"cuda\"", BAD, "", ""},
    {"\"features\": []", "\"compute_capability\": \"9.0\", "
          "\"features\": []", BAD, "", ""},
  };
  static const Edit nulls = { "\"batch\": 1", "\"probe\": null, "
        "\"precision\": null, \"batch\": 1", BAD, "", ""
  };
  char *whole = sound;
  g_autofree char *without = apply (&nulls);
  g_autoptr (GdinoManifest) m = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    char *next = apply (&steps[i]);

    if (sound != whole)
      g_free (sound);
    sound = next;
  }
  m = gdino_manifest_parse (sound, strlen (sound), &error);
  g_free (sound);
  sound = whole;
  g_assert_no_error (error);
  g_assert_cmpstr (m->licence, ==, "apache-2.0");
  g_assert_cmpstr (m->probe, ==, "vocab.txt");
  g_assert_cmpstr (m->precision, ==, "bf16");
  g_assert_cmpstr (m->compute_capability, ==, "9.0");
  g_clear_pointer (&m, gdino_manifest_free);
  m = gdino_manifest_parse (without, strlen (without), &error);
  g_assert_no_error (error);
  g_assert_null (m->probe);
  g_assert_cmpstr (m->precision, ==, "fp32");
}

static void
test_compute_capability (void)
{
  static const char *const bad[] = { "9", "9.", ".0", "9.0a", "9.0.0", "-9.0",
    "sm_90", "9999.0", "9.9999"
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autofree char *to =
        g_strdup_printf ("\"device\": \"cuda\",\n \"target\": "
        "{\"compute_capability\": \"%s\",", bad[i]);
    const Edit edit = { "\"device\": \"cpu\",\n \"target\": {", to, BAD,
      "target.compute_capability:", "wanted one such as \"9.0\""
    };

    test_edit (&edit);
  }
}

static void
check_refused (const char *text, gsize length, const char *what)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (gdino_manifest_parse (text, length, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, what));
}

static void
test_not_json (void)
{
  check_refused ("", 0, "wanted");
  check_refused (" \n", 2, "wanted");
  check_refused ("[]", 2, "a JSON object");
  check_refused ("{", 1, "not JSON");
  check_refused ("{\"format\": 1", 12, "not JSON");
  check_refused ("{\"format\": }", 12, "not JSON");
  check_refused ("{} {}", 5, "more behind");
  check_refused ("{\"a\": 1 /* hm */}", 17, "0x2f");
  check_refused ("{'format': 1}", 13, "0x27");
  check_refused ("var a = {}", 10, "0x3d");
  check_refused ("{\"a\": \"\xff\"}", 10, "UTF-8");
  check_refused ("{\"a\": \"\0\"}", 10, "UTF-8");
}

/* json-glib descends without limit: a megabyte of brackets would end the
 * process. */
static void
test_deep (void)
{
  g_autofree char *text = g_malloc (GDINO_MANIFEST_MAX_BYTES);

  memset (text, '[', GDINO_MANIFEST_MAX_BYTES);
  check_refused (text, GDINO_MANIFEST_MAX_BYTES, "nested");
  for (guint i = 0; i + 5 <= GDINO_MANIFEST_MAX_BYTES; i += 5)
    memcpy (text + i, "{\"a\":", 5);
  check_refused (text, GDINO_MANIFEST_MAX_BYTES, "nested");
}

static void
test_too_long (void)
{
  g_autofree char *text = g_malloc (GDINO_MANIFEST_MAX_BYTES + 1);

  memset (text, ' ', GDINO_MANIFEST_MAX_BYTES + 1);
  check_refused (text, GDINO_MANIFEST_MAX_BYTES + 1, "1048577");
}

/* Cut at every length: always an error, never more. */
static void
test_truncated (void)
{
  for (gsize length = 0; length + 2 < strlen (sound); length++) {
    g_autofree char *copy = g_memdup2 (sound, length + 1);
    g_autoptr (GError) error = NULL;

    g_assert_null (gdino_manifest_parse (copy, length, &error));
    g_assert_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT);
  }
}

/* Members of the largest sizes are sound one by one, but make no tensor. */
static void
test_too_large (void)
{
  GdinoFakeOptions options = {
    .width = 8192,
    .height = 8192,
    .queries = 10000,
    .text_tokens = 4096,
    .features = 4096,
  };
  g_autofree char *path = gdino_fake_package_new (NULL, &options);
  g_autofree char *name = g_build_filename (path, "manifest.json", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoManifest) m = NULL;

  g_assert_true (g_file_get_contents (name, &text, NULL, NULL));
  gdino_fake_package_remove (path);
  m = gdino_manifest_parse (text, strlen (text), &error);
  g_assert_no_error (error);
  g_assert_cmpuint (m->frame.inputs[0].n_bytes, ==, 8192 * 8192 * 3);
  g_assert_cmpuint (m->frame.outputs[0].n_bytes, <=,
      GDINO_MANIFEST_MAX_TENSOR_BYTES);
}

static void
test_many_files (void)
{
  g_autoptr (GString) more = g_string_new ("\"files\": {");
  Edit edit = { "\"files\": {", NULL, BAD, "files:", "67 entries" };

  for (guint i = 0; i < 64; i++)
    g_string_append_printf (more, "\"f%u\": {\"size\": 1, \"sha256\": "
        "\"%064d\"},", i, 0);
  edit.to = more->str;
  test_edit (&edit);
}

static void
test_versions (void)
{
  static const char *const bad[] = { "", "2", "2.", ".13", "a.b",
    "2,13", "-2.13", "2.13456", "2.13/", " 2.13"
  };
  static const char *const good[] = { "2.13", "2.13.0", "2.13.0+cpu",
    "2.13a0", "2.13.0.dev20260101", "2.13-rc1"
  };
  g_autofree char *python = NULL;
  g_autofree char *plain = NULL;
  g_autofree char *typed = NULL;
  g_autofree char *debian = NULL;
  guint major = 9, minor = 9;

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_false (gdino_version_parse (bad[i], &major, &minor));
  g_assert_cmpuint (major, ==, 9);
  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    g_assert_true (gdino_version_parse (good[i], &major, &minor));
    g_assert_cmpuint (major, ==, 2);
    g_assert_cmpuint (minor, ==, 13);
  }
  python = gdino_version_find ("__all__ = ['__version__', 'debug']\n"
      "__version__ = '2.6.0+cpu'\ndebug = False\n");
  g_assert_cmpstr (python, ==, "2.6.0+cpu");
  typed = gdino_version_find ("__version__: str = \"2.9.1\"\n");
  g_assert_cmpstr (typed, ==, "2.9.1");
  plain = gdino_version_find ("2.6.0+cpu\n");
  g_assert_cmpstr (plain, ==, "2.6.0+cpu");
  g_assert_null (gdino_version_find ("__all__ = ['__version__']\n"));
  g_assert_null (gdino_version_find ("__version__ = unknown\n"));
  g_assert_null (gdino_version_find (""));
  debian = gdino_version_from_file_name ("/usr/lib/libtorch_cpu.so.2.6");
  g_assert_cmpstr (debian, ==, "2.6");
  g_assert_null (gdino_version_from_file_name ("/usr/lib/libtorch_cpu.so"));
  g_assert_null (gdino_version_from_file_name ("/a.so.2.6/libtorch_cpu.so"));
}

int
main (int argc, char **argv)
{
  g_autofree char *path = NULL;
  g_autofree char *name = NULL;
  int result;

  g_test_init (&argc, &argv, NULL);
  path = gdino_fake_package_new (NULL, NULL);
  name = g_build_filename (path, "manifest.json", NULL);
  g_assert_true (g_file_get_contents (name, &sound, NULL, NULL));
  gdino_fake_package_remove (path);

  g_test_add_func ("/manifest/sound", test_sound);
  g_test_add_func ("/manifest/unknown-members", test_unknown_members);
  for (guint i = 0; i < G_N_ELEMENTS (edits); i++) {
    g_autofree char *test = g_strdup_printf ("/manifest/edit/%u-%.*s", i,
        (int) strlen (edits[i].where) - 1, edits[i].where);

    g_test_add_data_func (test, &edits[i], test_edit);
  }
  g_test_add_func ("/manifest/optional-members", test_optional_members);
  g_test_add_func ("/manifest/compute-capability", test_compute_capability);
  g_test_add_func ("/manifest/not-json", test_not_json);
  g_test_add_func ("/manifest/deep", test_deep);
  g_test_add_func ("/manifest/too-long", test_too_long);
  g_test_add_func ("/manifest/truncated", test_truncated);
  g_test_add_func ("/manifest/too-large", test_too_large);
  g_test_add_func ("/manifest/many-files", test_many_files);
  g_test_add_func ("/manifest/versions", test_versions);
  result = g_test_run ();
  g_free (sound);
  return result;
}
