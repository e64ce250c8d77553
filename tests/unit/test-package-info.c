/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What a package says of itself, and its checks one by one. */

#include <gdino/gdino.h>
#include <string.h>
#include <unistd.h>

#include "package-fixture.h"

/* What gdino-inspect shows, of a package that says all it can say. */
static void
test_all_members (Fixture * f, gconstpointer data)
{
  const GdinoFakeOptions options = {
    .batch = 2,
    .precision = "bf16",
    .licence = "apache-2.0",
    .device = "cuda",
    .compute_capability = "9.0",
    .cpu_features = "[\"one\", \"two\"]",
    .probe = "{}",
  };
  g_autofree char *path = gdino_fake_package_new (NULL, &options);
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPackage) p =
      gdino_package_open_full (path, GDINO_PACKAGE_MANIFEST_ONLY, &error);
  const GdinoPackageGraph frame = GDINO_PACKAGE_GRAPH_FRAME;
  GdinoPackageTensor tensor;
  double mean[3], std[3];
  gboolean has_probe = FALSE;

  g_assert_no_error (error);
  g_assert_cmpstr (gdino_package_get_generator (p), ==, "fake 1.0");
  g_assert_cmpuint (strlen (gdino_package_get_source_sha256 (p)), ==, 64);
  g_assert_cmpstr (gdino_package_get_licence (p), ==, "apache-2.0");
  g_assert_cmpuint (gdino_package_get_batch (p), ==, 2);
  g_assert_cmpstr (gdino_package_get_precision (p), ==, "bf16");
  g_assert_cmpstr (gdino_package_get_compute_capability (p), ==, "9.0");
  g_assert_cmpstr (gdino_package_get_cpu_features (p)[1], ==, "two");
  g_assert_cmpstr (gdino_package_get_torch_library_dir (p), ==,
      "/nonexistent/torch/lib");
  g_assert_cmpstr (gdino_package_get_probe_file (p), ==, "probe.json");
  g_assert_null (gdino_package_get_tokenizer (p));
  gdino_package_get_normalization (p, mean, std);
  g_assert_cmpfloat (mean[1], ==, 0.456);
  g_assert_cmpfloat (std[1], ==, 0.224);

  g_assert_cmpstr (gdino_package_get_graph_file (p, frame), ==, "frame.so");
  g_assert_cmpstr (gdino_package_get_graph_file (p, GDINO_PACKAGE_GRAPH_TEXT),
      ==, "text.so");
  g_assert_cmpuint (gdino_package_get_n_inputs (p, frame), ==, 5);
  g_assert_cmpuint (gdino_package_get_n_inputs (p, GDINO_PACKAGE_GRAPH_TEXT),
      ==, 3);
  g_assert_cmpuint (gdino_package_get_n_outputs (p, frame), ==, 2);
  gdino_package_get_input (p, frame, 0, &tensor);
  g_assert_cmpstr (tensor.name, ==, "image");
  g_assert_cmpstr (tensor.dtype, ==, "uint8");
  g_assert_cmpuint (tensor.rank, ==, 4);
  g_assert_cmpint (tensor.shape[0], ==, 2);
  g_assert_cmpint (tensor.shape[2], ==, 448);
  g_assert_cmpuint (tensor.n_bytes, ==, 2 * 448 * 256 * 3);
  gdino_package_get_output (p, frame, 1, &tensor);
  g_assert_cmpstr (tensor.name, ==, "boxes");
  g_assert_cmpuint (gdino_package_get_n_files (p), ==, 4);
  for (guint i = 0; i < 4; i++) {
    GdinoPackageFile file;

    gdino_package_get_file (p, i, &file);
    g_assert_cmpuint (strlen (file.sha256), ==, 64);
    has_probe = has_probe || (g_str_equal (file.name, "probe.json")
        && file.size == 2);
    g_assert_true (gdino_package_check_file (p, i, NULL, NULL, &error));
    g_assert_no_error (error);
  }
  g_assert_true (has_probe);
  g_assert_false (gdino_package_check_machine (p, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE);
  g_assert_nonnull (strstr (error->message, "one two"));
  g_clear_error (&error);
  /* Nothing may run what has not been checked. */
  g_assert_null (gdino_engine_get (p, "auto", &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INVALID_ARGUMENT);
  g_assert_nonnull (strstr (error->message, "only the manifest"));
  gdino_fake_package_remove (path);
}

static void
note_progress (guint64 done, guint64 total, gpointer data)
{
  guint64 *last = data;

  g_assert_cmpuint (done, >, last[0]);
  g_assert_cmpuint (done, <=, total);
  last[0] = done;
  last[1] = total;
}

/* The checks one by one, as gdino-inspect makes them. */
static void
test_single_checks (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoPackage) p =
      gdino_package_open_full (f->path, GDINO_PACKAGE_MANIFEST_ONLY, NULL);
  guint damaged = 0;

  g_assert_true (gdino_package_check_machine (p, NULL));
  for (guint i = 0; i < gdino_package_get_n_files (p); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *path = NULL;
    guint64 progress[2] = { 0, 0 };
    GdinoPackageFile file;

    gdino_package_get_file (p, i, &file);
    path = inside (f, file.name);
    g_assert_true (gdino_package_check_size (p, i, &error));
    g_assert_true (gdino_package_check_file (p, i, note_progress, progress,
            &error));
    g_assert_no_error (error);
    g_assert_cmpuint (progress[0], ==, file.size);
    g_assert_cmpuint (progress[1], ==, file.size);
    if (i == 0) {
      g_autofree char *bytes = NULL;

      g_assert_true (g_file_get_contents (path, &bytes, NULL, NULL));
      bytes[0] ^= 1;
      g_assert_true (g_file_set_contents (path, bytes, (gssize) file.size,
              NULL));
      damaged++;
      g_assert_true (gdino_package_check_size (p, i, NULL));
      g_assert_false (gdino_package_check_file (p, i, NULL, NULL, &error));
      g_assert_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT);
    } else if (i == 1) {
      g_assert_cmpint (truncate (path, 5), ==, 0);
      g_assert_false (gdino_package_check_size (p, i, NULL));
      g_assert_false (gdino_package_check_file (p, i, NULL, NULL, &error));
      g_assert_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT);
    }
  }
  g_assert_cmpuint (damaged, ==, 1);
}

/* Without digests a damaged file is not seen, but every other check is made. */
static void
test_skip_digests (Fixture * f, gconstpointer data)
{
  g_autofree char *path = inside (f, "frame.so");
  g_autofree char *whole = NULL;
  g_autoptr (GdinoPackage) p = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &whole, &size, NULL));
  whole[size / 2] ^= 4;
  g_assert_true (g_file_set_contents (path, whole, (gssize) size, NULL));
  g_assert_null (gdino_package_open (f->path, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT);
  g_assert_nonnull (strstr (error->message, "SHA-256"));
  g_clear_error (&error);
  p = gdino_package_open_full (f->path, GDINO_PACKAGE_SKIP_DIGESTS, &error);
  g_assert_no_error (error);
  g_assert_nonnull (gdino_package_get_tokenizer (p));
  g_clear_pointer (&p, gdino_package_unref);
  g_assert_cmpint (truncate (path, 7), ==, 0);
  g_assert_null (gdino_package_open_full (f->path, GDINO_PACKAGE_SKIP_DIGESTS,
          &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT);
}

/* The library that would run a package is found without running it. */
static void
test_runtime (Fixture * f, gconstpointer data)
{
  const GdinoFakeOptions options = {.torch_version = "2.12.1" };
  g_autofree char *older = gdino_fake_package_new (NULL, &options);
  g_autofree char *wanted = gdino_fake_path ("torch/libtorch_cpu.so");
  g_autoptr (GdinoPackage) p =
      gdino_package_open_full (f->path, GDINO_PACKAGE_MANIFEST_ONLY, NULL);
  g_autoptr (GdinoPackage) q =
      gdino_package_open_full (older, GDINO_PACKAGE_MANIFEST_ONLY, NULL);
  g_autofree char *path = NULL;
  g_autofree char *version = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (gdino_engine_find_runtime (p, &path, &version, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (path, ==, wanted);
  g_assert_true (g_str_has_prefix (version, "2.13"));
  g_assert_false (gdino_engine_find_runtime (q, &path, &version, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE);
  g_assert_nonnull (strstr (error->message, "2.12.1"));
  g_assert_cmpstr (path, ==, wanted);
  gdino_fake_package_remove (older);
}

int
main (int argc, char **argv)
{
#define ADD(path, function) \
  g_test_add ("/package-info/" path, Fixture, NULL, set_up, function, tear_down)
  g_test_init (&argc, &argv, NULL);
  gdino_fake_use_torch ();
  ADD ("all-members", test_all_members);
  ADD ("single-checks", test_single_checks);
  ADD ("skip-digests", test_skip_digests);
  ADD ("runtime", test_runtime);
  return g_test_run ();
}
