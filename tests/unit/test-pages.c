/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

#include "aoti/pages.h"

#include <gmodule.h>
#include <string.h>

#define SIZE (4 * 1024 * 1024)

static guchar *constant, *variable;

/* Kilobytes of the mappings around @address that lie in memory, -1 where the
 * kernel does not tell. */
static gint64
resident (gconstpointer address)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  gboolean inside = FALSE;

  if (!g_file_get_contents ("/proc/self/smaps", &text, NULL, NULL))
    return -1;
  lines = g_strsplit (text, "\n", -1);
  for (char **line = lines; *line != NULL; line++) {
    char *end;
    const guint64 first = g_ascii_strtoull (*line, &end, 16);

    if (*end == '-') {
      const guint64 last = g_ascii_strtoull (end + 1, &end, 16);

      inside = *end == ' ' && (guintptr) address >= first
          && (guintptr) address < last;
    } else if (inside && g_str_has_prefix (*line, "Rss:")) {
      return g_ascii_strtoll (g_strchug (*line + strlen ("Rss:")), NULL, 10);
    }
  }
  return -1;
}

static guint
touch (const guchar * data)
{
  guint sum = 0;

  for (gsize i = 0; i < SIZE; i++)
    sum += ((const volatile guchar *) data)[i];
  return sum;
}

static void
test_read_only_pages_go (void)
{
  gconstpointer middle = constant + SIZE / 2;

  g_assert_cmpuint (touch (constant), ==, 15);
  if (resident (middle) < 0) {
    g_test_skip ("/proc/self/smaps does not tell what is in memory");
    return;
  }
  g_assert_cmpint (resident (middle), >=, SIZE / 1024);
  gdino_pages_release (constant);
  g_assert_cmpint (resident (middle), <, 1024);
  g_assert_cmpuint (touch (constant), ==, 15);
}

static void
test_written_pages_stay (void)
{
  memset (variable, 9, SIZE);
  gdino_pages_release (constant);
  g_assert_cmpuint (touch (variable), ==, 9u * SIZE);
}

static void
test_no_object (void)
{
  guint local = 3;

  gdino_pages_release (&local);
  gdino_pages_release (NULL);
  g_assert_cmpuint (local, ==, 3);
}

int
main (int argc, char **argv)
{
  g_autofree char *path = NULL;
  GModule *module;

  g_test_init (&argc, &argv, NULL);
  path = g_build_filename (g_getenv ("GDINO_FAKES_DIR"), "big-data.so", NULL);
  module = g_module_open (path, G_MODULE_BIND_LOCAL);
  if (module == NULL)
    g_error ("%s", g_module_error ());
  g_assert_true (g_module_symbol (module, "big_constant",
          (gpointer *) & constant));
  g_assert_true (g_module_symbol (module, "big_variable",
          (gpointer *) & variable));
  g_test_add_func ("/pages/read-only-go", test_read_only_pages_go);
  g_test_add_func ("/pages/written-stay", test_written_pages_stay);
  g_test_add_func ("/pages/no-object", test_no_object);
  return g_test_run ();
}
