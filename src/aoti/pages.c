/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "pages.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

/* Code is hardly larger than this, weights hardly smaller. */
#define SMALLEST (1024 * 1024)

static gboolean
contains (const struct dl_phdr_info *info, guintptr address)
{
  for (guint i = 0; i < info->dlpi_phnum; i++) {
    const ElfW (Phdr) * segment = &info->dlpi_phdr[i];
    const guintptr start = info->dlpi_addr + segment->p_vaddr;

    if (segment->p_type == PT_LOAD && address >= start
        && address - start < segment->p_memsz)
      return TRUE;
  }
  return FALSE;
}

/* Relocated code is in no file: its pages would come back wrong. */
static gboolean
has_text_relocations (const struct dl_phdr_info *info)
{
  for (guint i = 0; i < info->dlpi_phnum; i++) {
    const ElfW (Dyn) * entry;

    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
      continue;
    entry = (gconstpointer) (info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; entry++)
      if (entry->d_tag == DT_TEXTREL
          || (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)))
        return TRUE;
  }
  return FALSE;
}

static int
release (struct dl_phdr_info *info, size_t size, void *address)
{
  const guintptr page = (guintptr) sysconf (_SC_PAGESIZE);

  (void) size;
  if (!contains (info, (guintptr) address))
    return 0;
  if (has_text_relocations (info))
    return 1;
  for (guint i = 0; i < info->dlpi_phnum; i++) {
    const ElfW (Phdr) * segment = &info->dlpi_phdr[i];
    const guintptr start = info->dlpi_addr + segment->p_vaddr;
    /* Pages at the borders may belong to a neighbour as well. */
    const guintptr first = (start + page - 1) / page * page;
    const guintptr last = (start + segment->p_filesz) / page * page;

    if (segment->p_type == PT_LOAD && (segment->p_flags & PF_W) == 0
        && last > first && last - first >= SMALLEST)
      (void) madvise ((gpointer) first, last - first, MADV_DONTNEED);
  }
  return 1;
}

void
gdino_pages_release (gconstpointer address)
{
  dl_iterate_phdr (release, (gpointer) address);
}
