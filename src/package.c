/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Opens a package folder: manifest, this machine, sizes, digests, vocabulary,
 * cheapest check first. Opens no shared object and knows no backend. */

#include "package-private.h"

#include <gdino/error.h>

#include "digest.h"

#define MANIFEST_NAME "manifest.json"

static gboolean
read_manifest (GdinoPackage * self, GError ** error)
{
  g_autofree char *path = g_build_filename (self->path, MANIFEST_NAME, NULL);
  g_autoptr (GBytes) bytes = NULL;
  const char *data;
  gsize size;

  bytes = gdino_file_read (path, GDINO_MANIFEST_MAX_BYTES, error);
  if (bytes == NULL) {
    g_prefix_error (error, "not a model package of gdino-compile: ");
    return FALSE;
  }
  data = g_bytes_get_data (bytes, &size);
  self->digest = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);
  self->manifest = gdino_manifest_parse (data, size, error);
  if (self->manifest == NULL)
    g_prefix_error (error, "%s: ", path);
  return self->manifest != NULL;
}

static gboolean
check_files (GdinoPackage * self, gboolean digests, GError ** error)
{
  for (guint i = 0; i < self->manifest->n_files; i++)
    if (!gdino_package_check_size (self, i, error))
      return FALSE;
  for (guint i = 0; i < self->manifest->n_files && digests; i++)
    if (!gdino_package_check_file (self, i, NULL, NULL, error))
      return FALSE;
  return TRUE;
}

static gboolean
load_vocabulary (GdinoPackage * self, GError ** error)
{
  const GdinoManifest *m = self->manifest;
  const struct
  {
    const char *token;
    const char *member;
    guint wanted;
  } special[] = {
    {"[PAD]", "pad_id", m->pad_id},
    {"[UNK]", "unk_id", m->unk_id},
    {"[CLS]", "cls_id", m->cls_id},
    {"[SEP]", "sep_id", m->sep_id},
  };
  g_autofree char *path = g_build_filename (self->path, m->vocabulary, NULL);

  self->tokenizer = gdino_tokenizer_new_from_file (path, error);
  if (self->tokenizer == NULL)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (special); i++) {
    gint32 found = gdino_tokenizer_lookup (self->tokenizer, special[i].token);

    if (found < 0 || (guint) found != special[i].wanted) {
      g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
          "%s: found %s as entry %d, but the manifest says text.%s is %u",
          path, special[i].token, found, special[i].member, special[i].wanted);
      return FALSE;
    }
  }
  return TRUE;
}

GdinoPackage *
gdino_package_open (const char *path, GError ** error)
{
  return gdino_package_open_full (path, GDINO_PACKAGE_DEFAULT, error);
}

GdinoPackage *
gdino_package_open_full (const char *path, GdinoPackageFlags flags,
    GError ** error)
{
  g_autoptr (GdinoPackage) self = NULL;
  GdinoManifest *m;

  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (path == NULL || path[0] == '\0') {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_NOT_FOUND,
        "found an empty path, wanted the folder of a model package");
    return NULL;
  }
  self = g_new0 (GdinoPackage, 1);
  g_atomic_ref_count_init (&self->ref_count);
  self->path = g_canonicalize_filename (path, NULL);
  if (!g_file_test (self->path, G_FILE_TEST_EXISTS)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_NOT_FOUND,
        "%s: no such folder, wanted a model package", self->path);
    return NULL;
  }
  if (!g_file_test (self->path, G_FILE_TEST_IS_DIR)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_NOT_FOUND,
        "%s: found a file, wanted the folder of a model package", self->path);
    return NULL;
  }
  if (!read_manifest (self, error))
    return NULL;
  m = self->manifest;
  m->text.path = g_build_filename (self->path, m->text_file, NULL);
  m->frame.path = g_build_filename (self->path, m->frame_file, NULL);
  if (flags == GDINO_PACKAGE_MANIFEST_ONLY)
    return g_steal_pointer (&self);
  if (!gdino_package_check_machine (self, error)
      || !check_files (self, flags != GDINO_PACKAGE_SKIP_DIGESTS, error)
      || !load_vocabulary (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

GdinoPackage *
gdino_package_ref (GdinoPackage * self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
gdino_package_unref (GdinoPackage * self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_clear_pointer (&self->tokenizer, gdino_tokenizer_unref);
  gdino_manifest_free (self->manifest);
  g_free (self->digest);
  g_free (self->path);
  g_free (self);
}
