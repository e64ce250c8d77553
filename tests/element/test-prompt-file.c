/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The prompt file of an element that plays. */
#include "rig.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define CAPS "RGB,width=160,height=120"

static const Patch both[] = {
  {"red", 10, 10, 40, 40}, {"blue", 80, 60, 40, 40}
};

typedef struct
{
  gchar *folder;
  gchar *path;
  Rig *rig;
} Fixture;

static void
write_text (const gchar * path, const char *text)
{
  FILE *file = g_fopen (path, "w");

  g_assert_nonnull (file);
  fputs (text, file);
  g_assert_cmpint (fclose (file), ==, 0);
}

static void
set_up (Fixture * self, gconstpointer prompt)
{
  GstElement *element = rig_element_new (prompt);

  self->folder = g_dir_make_tmp ("prompt-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "prompt.txt", NULL);
  write_text (self->path, "red.\n");
  g_object_set (element, "prompt-path", self->path, NULL);
  self->rig = rig_new_with_element (element);
  rig_set_caps (self->rig, CAPS);
}

static void
tear_down (Fixture * self, gconstpointer prompt)
{
  GDir *folder;
  const gchar *name;

  rig_free (self->rig);
  folder = g_dir_open (self->folder, 0, NULL);
  while ((name = g_dir_read_name (folder)) != NULL) {
    g_autofree gchar *path = g_build_filename (self->folder, name, NULL);

    g_remove (path);
  }
  g_dir_close (folder);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
  g_free (self->path);
}

/* Waits until the prompt is @text; a file system may take its time. */
static void
wait_for (Fixture * self, const char *text)
{
  for (guint i = 0;; i++) {
    g_autofree gchar *prompt = NULL;

    g_object_get (self->rig->element, "prompt", &prompt, NULL);
    if (g_strcmp0 (prompt, text) == 0)
      return;
    if (i > 20000)
      g_error ("the prompt is \"%s\", not \"%s\"", prompt, text);
    g_usleep (1000);
  }
}

static void
wait_for_warning (Fixture * self, const char *text)
{
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (self->rig->bus,
      20 * GST_SECOND, GST_MESSAGE_WARNING);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (message);
  gst_message_parse_warning (message, &error, NULL);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, text));
}

/* The text can be read a moment before frames are looked at with it. */
static void
expect (Fixture * self, gboolean red, gboolean blue)
{
  for (guint i = 0;; i++) {
    GstBuffer *out = rig_show (self->rig, both, 2);
    const gboolean as_wanted = (roi_of (out, "red") != NULL) == red
        && (roi_of (out, "blue") != NULL) == blue;

    gst_buffer_unref (out);
    if (as_wanted)
      return;
    g_assert_cmpuint (i, <, 5000);
    g_usleep (1000);
  }
}

static void
test_written (Fixture * self, gconstpointer prompt)
{
  expect (self, TRUE, FALSE);
  wait_for (self, "red.");
  write_text (self->path, "blue\n");
  wait_for (self, "blue.");
  expect (self, FALSE, TRUE);
  write_text (self->path, "red\nblue\n");
  wait_for (self, "red. blue.");
  expect (self, TRUE, TRUE);
  /* The property goes on to work, and the file after it. */
  g_object_set (self->rig->element, "prompt", "blue.", NULL);
  expect (self, FALSE, TRUE);
  write_text (self->path, "red");
  wait_for (self, "red.");
  expect (self, TRUE, FALSE);
  g_assert_cmpuint (rig_drain (self->rig, GST_MESSAGE_WARNING), ==, 0);
}

/* The property is what holds at first; the file as it is changes nothing. */
static void
test_beside_the_property (Fixture * self, gconstpointer prompt)
{
  expect (self, FALSE, TRUE);
  g_usleep (300000);
  expect (self, FALSE, TRUE);
  write_text (self->path, "red. blue.");
  wait_for (self, "red. blue.");
  expect (self, TRUE, TRUE);
}

static void
test_replaced (Fixture * self, gconstpointer prompt)
{
  g_autofree gchar *other = g_build_filename (self->folder, "new", NULL);

  for (guint i = 0; i < 5; i++) {
    write_text (other, i % 2 ? "red." : "blue.");
    g_assert_cmpint (g_rename (other, self->path), ==, 0);
    wait_for (self, i % 2 ? "red." : "blue.");
    expect (self, i % 2, !(i % 2));
  }
  g_assert_cmpuint (rig_drain (self->rig, GST_MESSAGE_WARNING), ==, 0);
}

/* Nothing is taken of a file that is still being written to. */
static void
test_half_written (Fixture * self, gconstpointer prompt)
{
  g_autofree gchar *text = NULL;
  FILE *file;

  write_text (self->path, "blue.");
  wait_for (self, "blue.");
  file = g_fopen (self->path, "w");
  fputs ("blue. re", file);
  fflush (file);
  g_usleep (900000);
  g_object_get (self->rig->element, "prompt", &text, NULL);
  g_assert_cmpstr (text, ==, "blue.");
  fputs ("d.", file);
  fclose (file);
  wait_for (self, "blue. red.");
  expect (self, TRUE, TRUE);
}

static void
test_removed (Fixture * self, gconstpointer prompt)
{
  wait_for (self, "red.");
  g_assert_cmpint (g_remove (self->path), ==, 0);
  wait_for_warning (self, "No such file");
  expect (self, TRUE, FALSE);
  g_assert_cmpint (g_mkdir (self->path, 0700), ==, 0);
  wait_for_warning (self, "is a folder, wanted a text file");
  expect (self, TRUE, FALSE);
  g_assert_cmpint (g_rmdir (self->path), ==, 0);
  wait_for_warning (self, "No such file");
  write_text (self->path, "blue.");
  wait_for (self, "blue.");
  expect (self, FALSE, TRUE);
  g_assert_cmpuint (rig_drain (self->rig, GST_MESSAGE_ERROR), ==, 0);
}

static void
test_nonsense (Fixture * self, gconstpointer prompt)
{
  g_autoptr (GString) long_text = g_string_new (NULL);

  write_text (self->path, "\xff\xfe");
  wait_for_warning (self, "is not UTF-8 text: byte 0xff at offset 0");
  expect (self, TRUE, FALSE);
  while (long_text->len <= 1024 * 1024)
    g_string_append (long_text, "blue. ");
  write_text (self->path, long_text->str);
  wait_for_warning (self, "wanted at most");
  expect (self, TRUE, FALSE);
  write_text (self->path, "blue.");
  wait_for (self, "blue.");
  expect (self, FALSE, TRUE);
}

static void
test_link (Fixture * self, gconstpointer prompt)
{
  g_autofree gchar *one = g_build_filename (self->folder, "one", NULL);
  g_autofree gchar *two = g_build_filename (self->folder, "two", NULL);
  g_autofree gchar *swap = g_build_filename (self->folder, "swap", NULL);

  write_text (one, "blue.");
  write_text (two, "red. blue.");
  g_assert_cmpint (symlink (one, swap), ==, 0);
  g_assert_cmpint (g_rename (swap, self->path), ==, 0);
  wait_for (self, "blue.");
  write_text (one, "red.");
  wait_for (self, "red.");
  g_assert_cmpint (symlink (two, swap), ==, 0);
  g_assert_cmpint (g_rename (swap, self->path), ==, 0);
  wait_for (self, "red. blue.");
  g_assert_cmpuint (rig_drain (self->rig, GST_MESSAGE_WARNING), ==, 0);
}

/* A start reads the file anew, unless the property has had the last word. */
static void
test_restart (Fixture * self, gconstpointer prompt)
{
  wait_for (self, "red.");
  gst_element_set_state (self->rig->element, GST_STATE_NULL);
  write_text (self->path, "blue.");
  rig_restart (self->rig, CAPS);
  expect (self, FALSE, TRUE);
  g_object_set (self->rig->element, "prompt", "red.", NULL);
  rig_restart (self->rig, CAPS);
  expect (self, TRUE, FALSE);
  for (guint i = 0; i < 50; i++)
    rig_restart (self->rig, CAPS);
  write_text (self->path, "red. blue.");
  wait_for (self, "red. blue.");
}

#define ADD(path, prompt, func) \
  g_test_add ("/prompt-file/" path, Fixture, prompt, set_up, func, tear_down)

int
main (int argc, char **argv)
{
  rig_main_init (&argc, &argv);
  ADD ("written", NULL, test_written);
  ADD ("beside-the-property", "blue.", test_beside_the_property);
  ADD ("replaced", NULL, test_replaced);
  ADD ("half-written", NULL, test_half_written);
  ADD ("removed", NULL, test_removed);
  ADD ("nonsense", NULL, test_nonsense);
  ADD ("link", NULL, test_link);
  ADD ("restart", NULL, test_restart);
  return rig_main_run ();
}
