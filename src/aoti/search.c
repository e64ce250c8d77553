/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Finding and opening libtorch at run time. */

#include "search.h"

#include <dlfcn.h>
#include <gdino/error.h>
#include <link.h>
#include <string.h>

#include "version.h"

#define LIBRARY "libtorch_cpu.so"
/* A function that every libtorch with AOTInductor has. */
#define MARK "aoti_torch_delete_tensor_object"

typedef struct
{
  const GdinoTorchSearch *search;
  GString *tried;               /* one line for each place */
  gboolean other_version;       /* some place had one */
} Attempt;

static void
note (Attempt * attempt, const char *format, ...)
G_GNUC_PRINTF (2, 3);

     static void note (Attempt * attempt, const char *format, ...)
{
  va_list args;

  g_string_append (attempt->tried, "\n  ");
  va_start (args, format);
  g_string_append_vprintf (attempt->tried, format, args);
  va_end (args);
}

static gboolean
agrees (const char *found, const char *wanted)
{
  guint major[2], minor[2];

  return gdino_version_parse (found, &major[0], &minor[0])
      && gdino_version_parse (wanted, &major[1], &minor[1])
      && major[0] == major[1] && minor[0] == minor[1];
}

/* The version as files tell it, or NULL. */
static char *
read_version (const char *path)
{
  static const char *const notes[] = { "version.py", "build-version" };
  g_autofree char *file = realpath (path, NULL);
  char *version;

  if (file == NULL)
    return NULL;
  version = gdino_version_from_file_name (file);
  if (version != NULL)
    return version;
  /* Of the path as given too: Debian links its torch folder elsewhere. */
  for (guint i = 0; i < 2 * G_N_ELEMENTS (notes); i++) {
    g_autofree char *dir =
        g_path_get_dirname (i < G_N_ELEMENTS (notes) ? file : path);
    g_autofree char *name = g_build_filename (dir, "..",
        notes[i % G_N_ELEMENTS (notes)], NULL);
    g_autofree char *text = NULL;

    if (g_file_get_contents (name, &text, NULL, NULL)
        && (version = gdino_version_find (text)) != NULL)
      return version;
  }
  return NULL;
}

/* The version as the library itself tells it, or NULL. */
static char *
ask_version (gpointer module)
{
  guint64 (*get) (void);
  guint64 packed;

  *(gpointer *) & get = dlsym (module, "aoti_torch_abi_version");
  if (get == NULL)
    return NULL;
  packed = get ();
  return g_strdup_printf ("%u.%u.%u", (guint) (packed >> 56),
      (guint) (packed >> 48) & 0xFF, (guint) (packed >> 40) & 0xFF);
}

/* Fills @result when what was opened from @place will do; it cannot be closed
 * again, so an unfit one ends the search. */
static gboolean
accept_module (Attempt * attempt, gpointer module, const char *place,
    GdinoTorchModule * result)
{
  g_autofree char *version = ask_version (module);
  gpointer mark = dlsym (module, MARK);
  Dl_info info;

  if (mark == NULL || !dladdr (mark, &info)) {
    note (attempt, "%s: has no function " MARK ", wanted torch 2.6 or newer",
        place);
    return FALSE;
  }
  if (version == NULL)
    version = read_version (info.dli_fname);
  if (version == NULL) {
    note (attempt, "%s: the version of %s cannot be learned, wanted %s",
        place, info.dli_fname, attempt->search->version);
    return FALSE;
  }
  if (!agrees (version, attempt->search->version)) {
    note (attempt, "%s: found torch %s (%s), wanted %s", place, version,
        info.dli_fname, attempt->search->version);
    attempt->other_version = TRUE;
    return FALSE;
  }
  result->module = module;
  result->path = g_strdup (info.dli_fname);
  result->version = g_steal_pointer (&version);
  return TRUE;
}

static int
match_loaded (struct dl_phdr_info *info, size_t size, void *data)
{
  g_autofree char *name = g_path_get_basename (info->dlpi_name);

  if (!g_str_has_prefix (name, LIBRARY))
    return 0;
  *(char **) data = g_strdup (info->dlpi_name);
  return 1;
}

/* Returns whether the search is over; then @result tells how. */
static gboolean
try_process (Attempt * attempt, GdinoTorchModule * result)
{
  g_autofree char *path = NULL;
  gpointer module = NULL;

  /* Python keeps its libtorch to itself: opening it again makes it global. */
  if (dl_iterate_phdr (match_loaded, &path))
    module = dlopen (path, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
  else if (dlsym (RTLD_DEFAULT, MARK) != NULL)
    module = dlopen (NULL, RTLD_LAZY);
  if (module == NULL) {
    note (attempt, "in this process: not loaded");
    return FALSE;
  }
  accept_module (attempt, module, "in this process", result);
  return TRUE;
}

/* Returns whether the search is over; then @result tells how. */
static gboolean
try_file (Attempt * attempt, const char *place, const char *file,
    GdinoTorchModule * result)
{
  g_autofree char *version = NULL;
  gpointer module;

  if (strchr (file, '/') != NULL) {
    if (!g_file_test (file, G_FILE_TEST_EXISTS)) {
      note (attempt, "%s: %s: no such file", place, file);
      return FALSE;
    }
    version = read_version (file);
    if (version != NULL && !agrees (version, attempt->search->version)) {
      note (attempt, "%s: %s: found torch %s, wanted %s", place, file, version,
          attempt->search->version);
      attempt->other_version = TRUE;
      return FALSE;
    }
  }
  /* Lazily, as torch itself is linked; globally, for the graphs. */
  module = dlopen (file, RTLD_LAZY | RTLD_GLOBAL);
  if (module == NULL) {
    note (attempt, "%s: %s", place, dlerror ());
    return FALSE;
  }
  accept_module (attempt, module, place, result);
  return TRUE;
}

/* A folder holds libtorch_cpu.so, or on Debian without the development package
 * only libtorch_cpu.so.2.6. */
static gboolean
try_folder (Attempt * attempt, const char *place, const char *folder,
    GdinoTorchModule * result)
{
  g_autofree char *path = NULL;
  g_autofree char *absolute = NULL;
  guint major, minor;

  absolute = g_canonicalize_filename (folder, NULL);
  path = g_build_filename (absolute, LIBRARY, NULL);
  if (!g_file_test (path, G_FILE_TEST_EXISTS)
      && gdino_version_parse (attempt->search->version, &major, &minor)) {
    g_autofree char *versioned =
        g_strdup_printf ("%s.%u.%u", path, major, minor);

    if (g_file_test (versioned, G_FILE_TEST_EXISTS))
      return try_file (attempt, place, versioned, result);
  }
  return try_file (attempt, place, path, result);
}

static void
try_all (Attempt * attempt, GdinoTorchModule * result)
{
  const GdinoTorchSearch *search = attempt->search;

  if (try_process (attempt, result))
    return;
  if (search->environment_dir == NULL || search->environment_dir[0] == '\0')
    note (attempt, "GDINO_TORCH_LIB_DIR: not set");
  else if (try_folder (attempt, "GDINO_TORCH_LIB_DIR",
          search->environment_dir, result))
    return;
  if (search->package_dir == NULL)
    note (attempt, "folder noted in the package: none");
  else if (try_folder (attempt, "folder noted in the package",
          search->package_dir, result))
    return;
  for (guint i = 0; search->system_names[i] != NULL; i++)
    if (try_file (attempt, "system", search->system_names[i], result))
      return;
}

gboolean
gdino_torch_search (const GdinoTorchSearch * search, GdinoTorchModule * result,
    GError ** error)
{
  g_autoptr (GString) tried = g_string_new (NULL);
  Attempt attempt = { search, tried, FALSE };

  result->module = NULL;
  try_all (&attempt, result);
  if (result->module != NULL)
    return TRUE;
  g_set_error (error, GDINO_ERROR, attempt.other_version
      ? GDINO_ERROR_INCOMPATIBLE : GDINO_ERROR_RUNTIME,
      "found no usable libtorch %s; set GDINO_TORCH_LIB_DIR to the folder that "
      "holds " LIBRARY ". Tried:%s", search->version, tried->str);
  return FALSE;
}

char **
gdino_torch_system_names (const char *version)
{
#if defined(__x86_64__)
  static const char triplet[] = "x86_64-linux-gnu";
#elif defined(__aarch64__)
  static const char triplet[] = "aarch64-linux-gnu";
#else
  static const char triplet[] = "";
#endif
  GPtrArray *names = g_ptr_array_new ();
  guint major = 0, minor = 0;

  gdino_version_parse (version, &major, &minor);
  g_ptr_array_add (names, g_strdup_printf (LIBRARY ".%u.%u", major, minor));
  g_ptr_array_add (names, g_strdup (LIBRARY));
  g_ptr_array_add (names, g_strdup_printf ("/usr/lib/%s/" LIBRARY ".%u.%u",
          triplet, major, minor));
  g_ptr_array_add (names, g_strdup_printf ("/usr/lib/%s/" LIBRARY, triplet));
  g_ptr_array_add (names,
      g_strdup ("/usr/lib/python3/dist-packages/torch/lib/" LIBRARY));
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}
