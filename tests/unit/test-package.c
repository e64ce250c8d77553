/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Every refusal of a package folder; nothing is opened by the dynamic loader. */

#include <errno.h>
#include <fcntl.h>
#include <gdino/error.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest.h"
#include "package-fixture.h"
#include "package-private.h"

#define NOBODY 65534

/* @first and @second must be in the message. */
static void
check_refused (const char *path, GdinoError code, const char *first,
    const char *second)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (gdino_package_open (path, &error));
  g_assert_error (error, GDINO_ERROR, (gint) code);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, first));
  g_assert_nonnull (strstr (error->message, second));
}

static void
test_sound (Fixture * f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPackage) p = gdino_package_open (f->path, &error);
  guint width, height;
  guint8 rgb[3];
  float box, text;

  g_assert_no_error (error);
  gdino_package_get_canvas (p, &width, &height);
  gdino_package_get_pad (p, rgb);
  gdino_package_get_thresholds (p, &box, &text);
  g_assert_cmpuint (width, ==, 448);
  g_assert_cmpuint (height, ==, 256);
  g_assert_cmpmem (rgb, 3, "\x7c\x74\x68", 3);
  g_assert_cmpfloat_with_epsilon (box, 0.35, 1e-6);
  g_assert_cmpfloat_with_epsilon (text, 0.25, 1e-6);
  g_assert_cmpstr (gdino_package_get_path (p), ==, f->path);
  g_assert_cmpstr (gdino_package_get_name (p), ==, "fake");
  g_assert_cmpstr (gdino_package_get_device (p), ==, "cpu");
  g_assert_cmpstr (gdino_package_get_torch_version (p), ==, "2.13.0");
  g_assert_cmpuint (gdino_package_get_text_tokens (p), ==, 64);
  g_assert_cmpuint (gdino_package_get_queries (p), ==, 20);
  g_assert_cmpuint (gdino_package_get_features (p), ==, 8);
  g_assert_cmpint (gdino_tokenizer_lookup (gdino_package_get_tokenizer (p),
          "red"), ==, FAKE_FIRST_COLOUR);
  g_assert_cmpuint (strlen (gdino_package_get_digest (p)), ==, 64);
  g_assert_true (g_str_has_suffix (gdino_package_get_text_graph (p)->path,
          "/text.so"));
  g_assert_true (g_path_is_absolute (gdino_package_get_frame_graph (p)->path));
}

static void
test_relative_path (Fixture * f, gconstpointer data)
{
  g_autofree char *old = g_get_current_dir ();
  g_autoptr (GdinoPackage) p = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_chdir (f->path), ==, 0);
  p = gdino_package_open (".", &error);
  g_assert_cmpint (g_chdir (old), ==, 0);
  g_assert_no_error (error);
  g_assert_cmpstr (gdino_package_get_path (p), ==, f->path);
}

static void
test_no_folder (Fixture * f, gconstpointer data)
{
  g_autofree char *file = inside (f, "vocab.txt");

  check_refused (NULL, GDINO_ERROR_NOT_FOUND, "empty path", "folder");
  check_refused ("", GDINO_ERROR_NOT_FOUND, "empty path", "folder");
  check_refused ("/does/not/exist", GDINO_ERROR_NOT_FOUND, "/does/not/exist",
      "no such folder");
  check_refused (file, GDINO_ERROR_NOT_FOUND, file, "found a file");
  check_refused ("/dev/null", GDINO_ERROR_NOT_FOUND, "/dev/null", "a file");
}

static void
test_missing_files (Fixture * f, gconstpointer data)
{
  static const char *const names[] = { "vocab.txt", "text.so", "frame.so",
    "manifest.json"
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = inside (f, names[i]);
    g_autofree char *aside = g_strconcat (path, ".aside", NULL);

    g_assert_cmpint (g_rename (path, aside), ==, 0);
    check_refused (f->path, GDINO_ERROR_NOT_FOUND, path, "No such file");
    g_assert_cmpint (g_rename (aside, path), ==, 0);
  }
}

/* Cut by one byte, to half, to 1 KiB and to nothing. */
static void
test_truncated (Fixture * f, gconstpointer data)
{
  static const char *const names[] = { "text.so", "frame.so", "vocab.txt" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = inside (f, names[i]);
    g_autofree char *whole = NULL;
    gsize size;

    g_assert_true (g_file_get_contents (path, &whole, &size, NULL));
    for (guint k = 0; k < 4; k++) {
      const gsize sizes[] = { size - 1, size / 2, MIN (size - 2, 1024), 0 };
      g_autofree char *found = NULL;

      found = g_strdup_printf ("found %" G_GSIZE_FORMAT " bytes, wanted %"
          G_GSIZE_FORMAT, sizes[k], size);
      g_assert_cmpint (truncate (path, (off_t) sizes[k]), ==, 0);
      check_refused (f->path, GDINO_ERROR_CORRUPT, path, found);
      g_assert_true (g_file_set_contents (path, whole, (gssize) size, NULL));
    }
  }
}

static void
test_truncated_manifest (Fixture * f, gconstpointer data)
{
  g_autofree char *path = inside (f, "manifest.json");
  GStatBuf status;

  g_assert_cmpint (g_stat (path, &status), ==, 0);
  g_assert_cmpint (truncate (path, status.st_size / 2), ==, 0);
  check_refused (f->path, GDINO_ERROR_CORRUPT, path, "not JSON");
  g_assert_cmpint (truncate (path, 0), ==, 0);
  check_refused (f->path, GDINO_ERROR_CORRUPT, path, "found 0 bytes");
  g_assert_cmpint (truncate (path, 5 << 20), ==, 0);
  check_refused (f->path, GDINO_ERROR_CORRUPT, path, "found 5242880 bytes");
}

/* One bit of a file turned, its size as before. */
static void
test_digest (Fixture * f, gconstpointer data)
{
  static const char *const names[] = { "text.so", "frame.so", "vocab.txt" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = inside (f, names[i]);
    g_autofree char *whole = NULL;
    gsize size;

    g_assert_true (g_file_get_contents (path, &whole, &size, NULL));
    whole[size / 2] ^= 4;
    g_assert_true (g_file_set_contents (path, whole, (gssize) size, NULL));
    check_refused (f->path, GDINO_ERROR_CORRUPT, path, "wanted");
    check_refused (f->path, GDINO_ERROR_CORRUPT, path, "SHA-256");
    whole[size / 2] ^= 4;
    g_assert_true (g_file_set_contents (path, whole, (gssize) size, NULL));
  }
}

static void
test_edited_manifest (Fixture * f, gconstpointer data)
{
  g_autofree char *path = inside (f, "manifest.json");

  gdino_fake_package_edit (f->path, "\"format\": 1", "\"format\": 99");
  check_refused (f->path, GDINO_ERROR_INCOMPATIBLE, path,
      "format: found 99, wanted 1");
  gdino_fake_package_edit (f->path, "\"format\": 99", "\"format\": 1");
  gdino_fake_package_edit (f->path, "\"width\": 448", "\"width\": 4480");
  check_refused (f->path, GDINO_ERROR_CORRUPT, path,
      "graphs.frame.inputs[0].shape");
}

static void
test_other_machine (Fixture * f, gconstpointer data)
{
  gdino_fake_package_edit (f->path, "\"features\": []",
      "\"features\": [\"avx9000\"]");
  check_refused (f->path, GDINO_ERROR_INCOMPATIBLE, f->path, "avx9000");
  gdino_fake_package_edit (f->path, "\"arch\": \"", "\"arch\": \"vax-");
  check_refused (f->path, GDINO_ERROR_INCOMPATIBLE, f->path, "vax-");
}

/* The machine is looked at before hundreds of megabytes are read. */
static void
test_order (Fixture * f, gconstpointer data)
{
  g_autofree char *path = inside (f, "frame.so");

  gdino_fake_package_edit (f->path, "\"features\": []",
      "\"features\": [\"avx9000\"]");
  g_assert_cmpint (truncate (path, 1), ==, 0);
  check_refused (f->path, GDINO_ERROR_INCOMPATIBLE, f->path, "avx9000");
}

static void
test_vocabulary (Fixture * f, gconstpointer data)
{
  g_autofree char *path = inside (f, "vocab.txt");

  gdino_fake_package_edit (f->path, "\"unk_id\": 1", "\"unk_id\": 7");
  check_refused (f->path, GDINO_ERROR_CORRUPT, path, "text.unk_id is 7");
  gdino_fake_package_edit (f->path, "\"unk_id\": 7", "\"unk_id\": 1");
  g_assert_true (g_file_set_contents (path, "only\n", -1, NULL));
  gdino_fake_package_sign (f->path);
  check_refused (f->path, GDINO_ERROR_CORRUPT, "[", "]");
}

/* A pipe in the place of a file must not keep the caller waiting. */
static void
test_not_a_file (Fixture * f, gconstpointer data)
{
  static const char *const names[] = { "frame.so", "manifest.json" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = inside (f, names[i]);
    g_autofree char *aside = g_strconcat (path, ".aside", NULL);

    g_assert_cmpint (g_rename (path, aside), ==, 0);
    g_assert_cmpint (mkfifo (path, 0600), ==, 0);
    check_refused (f->path, GDINO_ERROR_NOT_FOUND, path, "pipe");
    g_remove (path);
    g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
    check_refused (f->path, GDINO_ERROR_NOT_FOUND, path, "found a folder");
    g_rmdir (path);
    g_assert_cmpint (g_rename (aside, path), ==, 0);
  }
}

static void
test_unreadable (Fixture * f, gconstpointer data)
{
  static const char *const names[] = { "manifest.json", "frame.so" };
  /* Permission bits do not bind root. */
  const gboolean root = geteuid () == 0;

  g_assert_cmpint (g_chmod (f->path, 0755), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = inside (f, names[i]);

    g_assert_cmpint (g_chmod (path, 0), ==, 0);
    if (root && seteuid (NOBODY) != 0) {
      g_test_skip ("root may read all, and cannot become another user here");
      return;
    }
    check_refused (f->path, GDINO_ERROR_NOT_FOUND, path, "Permission denied");
    g_assert_true (!root || seteuid (0) == 0);
    g_assert_cmpint (g_chmod (path, 0644), ==, 0);
  }
}

/* The same for every user: a link that leads in a circle cannot be opened. */
static void
test_link_circle (Fixture * f, gconstpointer data)
{
  g_autofree char *path = inside (f, "frame.so");

  g_remove (path);
  g_assert_cmpint (symlink ("frame.so", path), ==, 0);
  check_refused (f->path, GDINO_ERROR_NOT_FOUND, path, g_strerror (ELOOP));
}

/* Larger than the piece that is read at a time, and not a multiple of it. */
static void
test_long_file (Fixture * f, gconstpointer data)
{
  g_autofree char *path = inside (f, "long");
  g_autofree char *bytes = g_malloc (1000001);
  g_autofree char *digest = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < 1000001; i++)
    bytes[i] = (char) (i * 7);
  digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (guchar *) bytes,
      1000001);
  g_assert_true (g_file_set_contents (path, bytes, 1000001, NULL));
  g_assert_true (gdino_file_check_digest (path, digest, NULL, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (truncate (path, 1000000), ==, 0);
  g_assert_false (gdino_file_check_digest (path, digest, NULL, NULL, &error));
  g_assert_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT);
}

/* Nothing of what was checked has been loaded as code. */
static void
test_nothing_loaded (Fixture * f, gconstpointer data)
{
  g_autoptr (GdinoPackage) p = gdino_package_open (f->path, NULL);
  g_autofree char *maps = NULL;

  g_assert_nonnull (p);
  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  g_assert_nonnull (strstr (maps, "libglib"));
  g_assert_null (strstr (maps, f->path));
  g_assert_null (strstr (maps, "libtorch"));
}

int
main (int argc, char **argv)
{
#define ADD(path, function) \
  g_test_add ("/package/" path, Fixture, NULL, set_up, function, tear_down)
  g_test_init (&argc, &argv, NULL);
  ADD ("sound", test_sound);
  ADD ("relative-path", test_relative_path);
  ADD ("no-folder", test_no_folder);
  ADD ("missing-files", test_missing_files);
  ADD ("truncated", test_truncated);
  ADD ("truncated-manifest", test_truncated_manifest);
  ADD ("digest", test_digest);
  ADD ("edited-manifest", test_edited_manifest);
  ADD ("other-machine", test_other_machine);
  ADD ("order", test_order);
  ADD ("vocabulary", test_vocabulary);
  ADD ("not-a-file", test_not_a_file);
  ADD ("unreadable", test_unreadable);
  ADD ("link-circle", test_link_circle);
  ADD ("long-file", test_long_file);
  ADD ("nothing-loaded", test_nothing_loaded);
  return g_test_run ();
}
