/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Program headers of a shared object of this machine's word size. */

#include "elf.h"

#include <elf.h>
#include <gdino/error.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "digest.h"

#define MAX_HEADERS 256

/* The first byte behind all segments, 0 when the headers make no sense. */
static guint64
mapped_end (int fd)
{
  ElfW (Ehdr) file;
  ElfW (Phdr) segment;
  guint64 end = 0;

  if (pread (fd, &file, sizeof file, 0) != (gssize) sizeof file
      || memcmp (file.e_ident, ELFMAG, SELFMAG) != 0
      || file.e_phentsize != sizeof segment || file.e_phnum > MAX_HEADERS
      || file.e_phoff > G_MAXINT32)
    return 0;
  for (guint i = 0; i < file.e_phnum; i++) {
    const off_t at = (off_t) (file.e_phoff + i * sizeof segment);

    if (pread (fd, &segment, sizeof segment, at) != (gssize) sizeof segment)
      return G_MAXUINT64;
    if (segment.p_type != PT_LOAD)
      continue;
    if (segment.p_filesz > G_MAXINT64 || segment.p_offset > G_MAXINT64)
      return G_MAXUINT64;
    end = MAX (end, (guint64) segment.p_offset + segment.p_filesz);
  }
  return end;
}

gboolean
gdino_elf_check_complete (const char *path, GError ** error)
{
  guint64 size, end;
  int fd = gdino_file_open (path, &size, error);

  if (fd < 0)
    return FALSE;
  end = mapped_end (fd);
  close (fd);
  if (end <= size)
    return TRUE;
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_GRAPH,
      "%s: found %" G_GUINT64_FORMAT " bytes, but its program headers speak of "
      "more; the file is damaged or incomplete", path, size);
  return FALSE;
}
