/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "make-package.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/utsname.h>

#define OR(value, fallback) ((value) ? (value) : (fallback))

char *
gdino_fake_path (const char *name)
{
  const char *folder = g_getenv ("GDINO_FAKES_DIR");

  if (folder == NULL)
    g_error ("GDINO_FAKES_DIR is not set; it is <build>/tests/fakes");
  return g_build_filename (folder, name, NULL);
}

void
gdino_fake_use_torch (void)
{
  g_autofree char *folder = gdino_fake_path ("torch");

  g_setenv ("GDINO_TORCH_LIB_DIR", folder, TRUE);
}

FakeControl *
gdino_fake_control (void)
{
  static FakeControl *control;
  static gsize once;

  if (g_once_init_enter (&once)) {
    g_autofree char *path = gdino_fake_path ("torch/libtorch_cpu.so");
    void *module = dlopen (path, RTLD_NOW | RTLD_LOCAL);
    FakeControl *(*get) (void);

    if (module == NULL)
      g_error ("%s", dlerror ());
    *(void **) &get = dlsym (module, "fake_torch_control");
    g_assert (get != NULL);
    control = get ();
    g_once_init_leave (&once, 1);
  }
  return control;
}

static void
write_file (const char *folder, const char *name, const char *data, gsize size)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  if (!g_file_set_contents (path, data, (gssize) size, &error))
    g_error ("%s", error->message);
}

static char *
read_file (const char *folder, const char *name, gsize * size)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  char *data;

  if (!g_file_get_contents (path, &data, size, &error))
    g_error ("%s", error->message);
  return data;
}

static void
write_vocabulary (const char *folder)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (fake_words); i++)
    g_string_append_printf (text, "%s\n", fake_words[i]);
  /* "a" is a word already. */
  for (char c = 'b'; c <= 'z'; c++)
    g_string_append_printf (text, "%c\n", c);
  for (char c = 'a'; c <= 'z'; c++)
    if (c != 's')
      g_string_append_printf (text, "##%c\n", c);
  write_file (folder, "vocab.txt", text->str, text->len);
}

static void
write_graph (const char *folder, const char *name, const GdinoFakeOptions * o,
    const char *fault)
{
  g_autofree char *source = NULL;
  g_autofree char *data = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  FakeTrailer trailer = { FAKE_TRAILER_MAGIC, 0, 0, 0, 0, 0, 0, 0, "" };
  gsize size;

  source = g_strdup (o->graph_file);
  if (source == NULL)
    source = gdino_fake_path ("fake-model.so");
  if (!g_file_get_contents (source, &data, &size, &error))
    g_error ("%s", error->message);
  trailer.is_frame = g_str_equal (name, "frame.so");
  trailer.batch = (gint32) OR (o->batch, 1);
  trailer.width = (gint32) OR (o->width, 448);
  trailer.height = (gint32) OR (o->height, 256);
  trailer.queries = (gint32) OR (o->queries, 20);
  trailer.tokens = (gint32) OR (o->text_tokens, 64);
  trailer.features = (gint32) OR (o->features, 8);
  g_strlcpy (trailer.fault, OR (fault, ""), sizeof trailer.fault);
  g_byte_array_append (bytes, (const guint8 *) data, (guint) size);
  g_byte_array_append (bytes, (const guint8 *) &trailer, sizeof trailer);
  write_file (folder, name, (const char *) bytes->data, bytes->len);
}

static void
append_files (GString * text, const char *folder)
{
  static const char *const names[] = { "text.so", "frame.so", "vocab.txt",
    "probe.json"
  };

  g_string_append (text, " \"files\": {");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);
    g_autofree char *data = NULL;
    g_autofree char *digest = NULL;
    gsize size;

    if (!g_file_test (path, G_FILE_TEST_EXISTS))
      continue;
    data = read_file (folder, names[i], &size);
    digest =
        g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guchar *) data, size);

    g_string_append_printf (text,
        "%s\n  \"%s\": {\"size\": %" G_GSIZE_FORMAT ", \"sha256\": \"%s\"}",
        i ? "," : "", names[i], size, digest);
  }
  g_string_append (text, "\n }\n}\n");
}

static void
append_tensor (GString * text, const char *name, const char *dtype,
    const char *shape, gboolean last)
{
  g_string_append_printf (text,
      "\n    {\"name\": \"%s\", \"dtype\": \"%s\", \"shape\": %s}%s",
      name, dtype, shape, last ? "]" : ",");
}

static void
append_graphs (GString * text, const GdinoFakeOptions * o)
{
  guint n = OR (o->text_tokens, 64);
  guint q = OR (o->queries, 20);
  guint b = OR (o->batch, 1);
  g_autofree char *row = g_strdup_printf ("[1, %u]", n);
  g_autofree char *square = g_strdup_printf ("[1, %u, %u]", n, n);
  g_autofree char *features =
      g_strdup_printf ("[1, %u, %u]", n, OR (o->features, 8));
  g_autofree char *rows = g_strdup_printf ("[%u, %u]", b, n);
  g_autofree char *squares = g_strdup_printf ("[%u, %u, %u]", b, n, n);
  g_autofree char *texts =
      g_strdup_printf ("[%u, %u, %u]", b, n, OR (o->features, 8));
  g_autofree char *image = g_strdup_printf ("[%u, %u, %u, 3]", b,
      OR (o->height, 256), OR (o->width, 448));
  g_autofree char *logits = g_strdup_printf ("[%u, %u, %u]", b, q, n);
  g_autofree char *boxes = g_strdup_printf ("[%u, %u, 4]", b, q);

  g_string_append (text, " \"graphs\": {\n  \"text\": {\"file\": \"text.so\","
      " \"inputs\": [");
  append_tensor (text, "input_ids", "int64", row, FALSE);
  append_tensor (text, "position_ids", "int64", row, FALSE);
  append_tensor (text, "block_mask", "bool", square, TRUE);
  g_string_append (text, ", \"outputs\": [");
  append_tensor (text, "text_features", "float32", features, FALSE);
  append_tensor (text, "text_position", "float32", features, TRUE);
  g_string_append (text, "},\n  \"frame\": {\"file\": \"frame.so\","
      " \"inputs\": [");
  append_tensor (text, "image", "uint8", image, FALSE);
  append_tensor (text, "text_features", "float32", texts, FALSE);
  append_tensor (text, "text_position", "float32", texts, FALSE);
  append_tensor (text, "text_mask", "bool", rows, FALSE);
  append_tensor (text, "block_mask", "bool", squares, TRUE);
  g_string_append (text, ", \"outputs\": [");
  append_tensor (text, "logits", "float32", logits, FALSE);
  append_tensor (text, "boxes", "float32", boxes, TRUE);
  g_string_append (text, "}\n },\n");
}

/* A member "name": "value", and a comma; nothing without a value. */
static void
append_member (GString * text, const char *name, const char *value)
{
  if (value != NULL)
    g_string_append_printf (text, " \"%s\": \"%s\",", name, value);
}

static void
write_manifest (const char *folder, const GdinoFakeOptions * o)
{
  g_autoptr (GString) text = g_string_new (NULL);
  struct utsname machine;

  uname (&machine);
  g_string_append (text, "{\n \"format\": 1,\n"
      " \"generator\": \"fake 1.0\",\n"
      " \"architecture\": \"grounding-dino\",\n \"source\": {");
  append_member (text, "license", o->licence);
  g_string_append_printf (text, "\"name\": \"fake\", \"sha256\": \"%064d\"},\n"
      " \"canvas\": {\"width\": %u, \"height\": %u, \"channels\": \"RGB\","
      " \"resize\": \"letterbox\", \"pad\": [124, 116, 104],"
      " \"normalization\": \"in-graph\", \"mean\": [0.485, 0.456, 0.406],"
      " \"std\": [0.229, 0.224, 0.225]},\n"
      " \"batch\": %u, \"queries\": %u, \"text_tokens\": %u,"
      " \"features\": %u,\n", 0, OR (o->width, 448), OR (o->height, 256),
      OR (o->batch, 1), OR (o->queries, 20), OR (o->text_tokens, 64),
      OR (o->features, 8));
  g_string_append_printf (text,
      " \"text\": {\"vocabulary\": \"vocab.txt\","
      " \"lower_case\": true, \"delimiters\": [\".\", \"?\"],"
      " \"pad_id\": %d, \"unk_id\": %d, \"cls_id\": %d, \"sep_id\": %d},\n",
      FAKE_PAD, FAKE_UNK, FAKE_CLS, FAKE_SEP);
  append_member (text, "precision", o->precision);
  append_member (text, "probe", o->probe ? "probe.json" : NULL);
  append_graphs (text, o);
  g_string_append_printf (text, " \"device\": \"%s\",\n"
      " \"target\": {", OR (o->device, "cpu"));
  append_member (text, "compute_capability", o->compute_capability);
  g_string_append_printf (text, "\"arch\": \"%s\", \"features\": %s},\n"
      " \"torch\": {\"version\": \"%s\", \"library_dir\": \"%s\"},\n"
      " \"defaults\": {\"box_threshold\": 0.35, \"text_threshold\": 0.25},\n",
      OR (o->arch, machine.machine),
      OR (o->cpu_features, "[]"), OR (o->torch_version, "2.13.0"),
      OR (o->torch_library_dir, "/nonexistent/torch/lib"));
  append_files (text, folder);
  write_file (folder, "manifest.json", text->str, text->len);
}

char *
gdino_fake_package_new (const char *parent_dir,
    const GdinoFakeOptions * options)
{
  static const GdinoFakeOptions defaults;
  const GdinoFakeOptions *o = options ? options : &defaults;
  char *folder = g_build_filename (OR (parent_dir, g_get_tmp_dir ()),
      "gdino-fake-XXXXXX", NULL);

  if (g_mkdtemp (folder) == NULL)
    g_error ("cannot make %s", folder);
  write_vocabulary (folder);
  write_graph (folder, "text.so", o, o->text_fault);
  write_graph (folder, "frame.so", o, o->frame_fault);
  if (o->probe != NULL)
    write_file (folder, "probe.json", o->probe, strlen (o->probe));
  write_manifest (folder, o);
  return folder;
}

void
gdino_fake_package_sign (const char *path)
{
  gsize size;
  g_autofree char *data = read_file (path, "manifest.json", &size);
  char *files = strstr (data, " \"files\": {");
  g_autoptr (GString) text = NULL;

  g_assert (files != NULL);
  text = g_string_new_len (data, files - data);
  append_files (text, path);
  write_file (path, "manifest.json", text->str, text->len);
}

void
gdino_fake_package_edit (const char *path, const char *from, const char *to)
{
  gsize size;
  g_autofree char *data = read_file (path, "manifest.json", &size);
  const char *found = strstr (data, from);
  g_autofree char *text = NULL;

  if (found == NULL)
    g_error ("no %s in the manifest of %s", from, path);
  text = g_strdup_printf ("%.*s%s%s", (int) (found - data), data, to,
      found + strlen (from));
  write_file (path, "manifest.json", text, strlen (text));
}

void
gdino_fake_package_remove (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *file = g_build_filename (path, name, NULL);

    if (g_file_test (file, G_FILE_TEST_IS_DIR)
        && !g_file_test (file, G_FILE_TEST_IS_SYMLINK))
      gdino_fake_package_remove (file);
    else
      g_remove (file);
  }
  g_rmdir (path);
}
