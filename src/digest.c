/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Sizes and digests of files. Knows no package. */

#include "digest.h"

#include <errno.h>
#include <fcntl.h>
#include <gdino/error.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_BYTES (256 * 1024)

static void
set_file_error (const char *path, int code, GError ** error)
{
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_NOT_FOUND, "%s: %s", path,
      g_strerror (code));
}

int
gdino_file_open (const char *path, guint64 * size, GError ** error)
{
  /* A pipe would else keep open() waiting for a writer. */
  int fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  struct stat status;

  if (fd < 0 || fstat (fd, &status) != 0) {
    set_file_error (path, errno, error);
    if (fd >= 0)
      close (fd);
    return -1;
  }
  if (!S_ISREG (status.st_mode)) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_NOT_FOUND,
        "%s: found a %s, wanted a regular file", path,
        S_ISDIR (status.st_mode) ? "folder" : "pipe, socket or device");
    close (fd);
    return -1;
  }
  *size = (guint64) status.st_size;
  return fd;
}

/* Fills @buffer unless the file ends. Returns the bytes read, or -1. */
static gssize
read_chunk (int fd, guint8 * buffer, gsize size)
{
  gsize done = 0;

  while (done < size) {
    gssize n = read (fd, buffer + done, size - done);

    if (n == 0)
      break;
    if (n > 0)
      done += (gsize) n;
    else if (errno != EINTR)
      return -1;
  }
  return (gssize) done;
}

GBytes *
gdino_file_read (const char *path, gsize max_size, GError ** error)
{
  guint64 size;
  int fd = gdino_file_open (path, &size, error);
  g_autofree guint8 *data = NULL;
  gssize n;

  if (fd < 0)
    return NULL;
  if (size < 1 || size > max_size) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
        "%s: found %" G_GUINT64_FORMAT " bytes, wanted 1 to %" G_GSIZE_FORMAT,
        path, size, max_size);
    close (fd);
    return NULL;
  }
  data = g_malloc ((gsize) size);
  n = read_chunk (fd, data, (gsize) size);
  if (n < 0)
    set_file_error (path, errno, error);
  close (fd);
  if (n < 0)
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&data), (gsize) n);
}

gboolean
gdino_file_check_size (const char *path, guint64 size, GError ** error)
{
  guint64 found;
  int fd = gdino_file_open (path, &found, error);

  if (fd < 0)
    return FALSE;
  close (fd);
  if (found == size)
    return TRUE;
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
      "%s: found %" G_GUINT64_FORMAT " bytes, wanted %" G_GUINT64_FORMAT
      "; the file is damaged or incomplete", path, found, size);
  return FALSE;
}

gboolean
gdino_file_check_digest (const char *path, const char *sha256,
    GdinoFileProgress progress, gpointer data, GError ** error)
{
  guint64 size, done = 0;
  int fd = gdino_file_open (path, &size, error);
  g_autoptr (GChecksum) sum = NULL;
  g_autofree guint8 *buffer = NULL;
  gssize n;

  if (fd < 0)
    return FALSE;
  sum = g_checksum_new (G_CHECKSUM_SHA256);
  buffer = g_malloc (CHUNK_BYTES);
  while ((n = read_chunk (fd, buffer, CHUNK_BYTES)) > 0) {
    g_checksum_update (sum, buffer, n);
    done += (guint64) n;
    if (progress != NULL)
      progress (done, size, data);
  }
  if (n < 0)
    set_file_error (path, errno, error);
  close (fd);
  if (n < 0)
    return FALSE;
  if (g_str_equal (g_checksum_get_string (sum), sha256))
    return TRUE;
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_CORRUPT,
      "%s: found SHA-256 %s, wanted %s; the file is damaged or of another "
      "package", path, g_checksum_get_string (sum), sha256);
  return FALSE;
}
