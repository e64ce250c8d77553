/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Symbols of libtorch and of graphs. Nothing opened here is ever closed: both
 * start threads and register destructors. */

#include "loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <gdino/error.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf.h"
#include "version.h"

/* What was opened from a path, to tell it from what lies there now. */
typedef struct
{
  dev_t device;
  ino_t inode;
  struct timespec changed;
  guint generation;
} Loaded;

G_LOCK_DEFINE_STATIC (torch);
static GdinoTorch *the_torch;
static GHashTable *graph_files; /* path -> Loaded */

/* Function pointers do not convert from data pointers in ISO C; this is how
 * POSIX says to do it. Returns whether it was found. */
static gboolean
find (gpointer module, const char *symbol, gpointer function)
{
  gpointer address = dlsym (module, symbol);

  memcpy (function, &address, sizeof address);
  return address != NULL;
}

static gboolean
find_functions (GdinoTorch * self, GError ** error)
{
  gpointer module = self->library.module;
  const char *missing = NULL;

#define FIND_REQUIRED(name, result, args) \
  if (!find (module, "aoti_torch_" #name, &self->name)) \
    missing = "aoti_torch_" #name;
#define FIND_OPTIONAL(name, result, args) \
  find (module, "aoti_torch_" #name, &self->name);
  GDINO_TORCH_REQUIRED (FIND_REQUIRED);
  GDINO_TORCH_OPTIONAL (FIND_OPTIONAL);
#undef FIND_REQUIRED
#undef FIND_OPTIONAL
  if (missing == NULL)
    return TRUE;
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_RUNTIME,
      "%s: has no function %s, wanted torch 2.6 or newer", self->library.path,
      missing);
  return FALSE;
}

static const GdinoTorch *
load_torch (const GdinoTorchSearch * search, GError ** error)
{
  GdinoTorch *self = g_new0 (GdinoTorch, 1);

  if (!gdino_torch_search (search, &self->library, error)) {
    g_free (self);
    return NULL;
  }
  if (!find_functions (self, error)) {
    g_free (self->library.path);
    g_free (self->library.version);
    g_free (self);
    return NULL;
  }
  the_torch = self;
  return self;
}

const GdinoTorch *
gdino_torch_get (const GdinoTorchSearch * search, GError ** error)
{
  const GdinoTorch *self;
  guint major[2], minor[2];

  G_LOCK (torch);
  self = the_torch ? the_torch : load_torch (search, error);
  G_UNLOCK (torch);
  if (self == NULL)
    return NULL;
  if (gdino_version_parse (self->library.version, &major[0], &minor[0])
      && gdino_version_parse (search->version, &major[1], &minor[1])
      && major[0] == major[1] && minor[0] == minor[1])
    return self;
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE,
      "this process already uses torch %s (%s), but the package was compiled "
      "with torch %s", self->library.version, self->library.path,
      search->version);
  return NULL;
}

gboolean
gdino_torch_check_cuda (const GdinoTorch * torch, guint index, GError ** error)
{
  g_autofree char *folder = g_path_get_dirname (torch->library.path);
  g_autofree char *path = g_build_filename (folder, "libtorch_cuda.so", NULL);
  gpointer module = dlopen (path, RTLD_LAZY | RTLD_GLOBAL);
  int (*count_devices) (int *count);
  int count = 0;

  if (module == NULL) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE,
        "this package is for CUDA, but this libtorch is not: %s", dlerror ());
    return FALSE;
  }
  /* Of the CUDA runtime that libtorch_cuda brings. Some builds hide it; then
   * creating the graph tells. */
  if (!find (module, "cudaGetDeviceCount", &count_devices))
    return TRUE;
  if (count_devices (&count) != 0)
    count = 0;
  if ((guint) count > index)
    return TRUE;
  if (count <= 0)
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE,
        "this package is for CUDA, but there is no CUDA device");
  else
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_INCOMPATIBLE,
        "found %d CUDA devices, wanted cuda:%u", count, index);
  return FALSE;
}

gboolean
gdino_torch_free_memory (gboolean on_host, guint64 * bytes)
{
  int (*get_info) (size_t *free, size_t *total);
  size_t found, total;
  long pages;

  if (on_host) {
    pages = sysconf (_SC_AVPHYS_PAGES);
    *bytes = (guint64) MAX (pages, 0) * (guint64) sysconf (_SC_PAGESIZE);
    return pages > 0;
  }
  /* Also of the CUDA runtime, which check_cuda() has brought in. */
  *(void **) &get_info = dlsym (RTLD_DEFAULT, "cudaMemGetInfo");
  if (get_info == NULL || get_info (&found, &total) != 0)
    return FALSE;
  *bytes = found;
  return TRUE;
}

/* The dynamic loader knows a file by its path and would give the old graph when
 * a package was compiled anew in place: then a longer spelling of the path. */
static char *
path_to_open (const char *path, GError ** error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *name = g_path_get_basename (path);
  g_autoptr (GString) spelling = NULL;
  struct stat status;
  Loaded *loaded;

  if (stat (path, &status) != 0) {
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_GRAPH,
        "%s: cannot be looked at: %s", path, g_strerror (errno));
    return NULL;
  }
  if (graph_files == NULL)
    graph_files = g_hash_table_new (g_str_hash, g_str_equal);
  loaded = g_hash_table_lookup (graph_files, path);
  if (loaded == NULL) {
    loaded = g_new0 (Loaded, 1);
    g_hash_table_insert (graph_files, g_strdup (path), loaded);
  } else if (loaded->device == status.st_dev && loaded->inode == status.st_ino) {
    if (loaded->changed.tv_sec != status.st_mtim.tv_sec
        || loaded->changed.tv_nsec != status.st_mtim.tv_nsec) {
      g_set_error (error, GDINO_ERROR, GDINO_ERROR_GRAPH,
          "%s: was overwritten while this process had it open; start the "
          "process again", path);
      return NULL;
    }
  } else {
    loaded->generation++;
  }
  loaded->device = status.st_dev;
  loaded->inode = status.st_ino;
  loaded->changed = status.st_mtim;
  spelling = g_string_new (folder);
  for (guint i = 0; i < loaded->generation; i++)
    g_string_append (spelling, "/.");
  g_string_append_printf (spelling, "/%s", name);
  return g_string_free (g_steal_pointer (&spelling), FALSE);
}

gboolean
gdino_aoti_graph_load (const char *path, GdinoAotiGraph * graph,
    GError ** error)
{
  g_autofree char *spelling = NULL;
  const char *missing = NULL;
  gpointer module = NULL;

  if (!gdino_elf_check_complete (path, error))
    return FALSE;
  G_LOCK (torch);
  spelling = path_to_open (path, error);
  /* At once: a function that libtorch lacks must be an error here, not the end
   * of the process in the first run. */
  if (spelling != NULL)
    module = dlopen (spelling, RTLD_NOW | RTLD_LOCAL);
  if (spelling != NULL && module == NULL)
    g_set_error (error, GDINO_ERROR, GDINO_ERROR_GRAPH,
        "%s: cannot be opened: %s", path, dlerror ());
  G_UNLOCK (torch);
  if (module == NULL)
    return FALSE;
#define FIND_REQUIRED(name, symbol, args) \
  if (!find (module, symbol, &graph->name)) \
    missing = symbol;
#define FIND_OPTIONAL(name, symbol, args) \
  find (module, symbol, &graph->name);
  GDINO_AOTI_REQUIRED (FIND_REQUIRED);
  GDINO_AOTI_OPTIONAL (FIND_OPTIONAL);
#undef FIND_REQUIRED
#undef FIND_OPTIONAL
  if (missing == NULL)
    return TRUE;
  g_set_error (error, GDINO_ERROR, GDINO_ERROR_GRAPH,
      "%s: has no function %s, wanted a graph compiled by AOTInductor", path,
      missing);
  return FALSE;
}
