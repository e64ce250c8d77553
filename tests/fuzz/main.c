/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Runs a libFuzzer target without libFuzzer: first every file of its corpus,
 * then a fixed number of mutations of them from a fixed seed. Prints TAP.
 * An input that kills the target is left in the working directory. */

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

#define LARGEST_INPUT 65536
#define MAX_MUTATIONS 8

int LLVMFuzzerTestOneInput (const uint8_t * data, size_t size);

/* Provided by the sanitizers' runtimes when they are linked in. */
void __sanitizer_set_death_callback (void (*callback) (void))
    __attribute__((weak));

static const uint8_t *current_data;
static size_t current_size;
static char crash_file[256];

static void
save_current (void)
{
  int fd = -1;

  if (current_data)
    fd = open (crash_file, O_CREAT | O_TRUNC | O_WRONLY, 0644);
  if (fd < 0)
    return;
  if (write (fd, current_data, current_size) == (ssize_t) current_size) {
    static const char note[] = "# the input that did it was saved\n";

    if (write (STDOUT_FILENO, note, sizeof note - 1) < 0)
      _exit (1);
  }
  close (fd);
}

static void
on_signal (int number)
{
  save_current ();
  signal (number, SIG_DFL);
  raise (number);
}

static void
run_one (const uint8_t * data, size_t size)
{
  current_data = data;
  current_size = size;
  LLVMFuzzerTestOneInput (data, size);
  /* What is found later, such as a leak, belongs to no single input. */
  current_data = NULL;
  current_size = 0;
}

static void
mutate (GRand * rand, GByteArray * bytes)
{
  static const char *const words[] = { "\n", ".", "\"", "{", "}", "[", "]",
    "-1", "1e999", "9223372036854775808", "##", "\xc3\xa9", "\xff", "null", "?"
  };
  gint n = g_rand_int_range (rand, 1, MAX_MUTATIONS + 1);

  for (gint i = 0; i < n; i++) {
    guint at = bytes->len ? (guint) g_rand_int_range (rand, 0,
        (gint32) bytes->len) : 0;

    switch (g_rand_int_range (rand, 0, 6)) {
      case 0:
        if (bytes->len)
          bytes->data[at] ^= (guint8) (1u << g_rand_int_range (rand, 0, 8));
        break;
      case 1:
        if (bytes->len)
          bytes->data[at] = (guint8) g_rand_int_range (rand, 0, 256);
        break;
      case 2:
        if (bytes->len)
          g_byte_array_set_size (bytes, at);
        break;
      case 3:
        if (bytes->len) {
          guint length = (guint) g_rand_int_range (rand, 1, 64);

          length = MIN (length, bytes->len - at);
          g_byte_array_remove_range (bytes, at, length);
        }
        break;
      case 4:
        if (bytes->len && bytes->len < LARGEST_INPUT / 2) {
          guint length = (guint) g_rand_int_range (rand, 1, 512);
          g_autofree guint8 *copy = NULL;

          length = MIN (length, bytes->len - at);
          copy = g_memdup2 (bytes->data + at, length);
          g_byte_array_append (bytes, copy, length);
        }
        break;
      default:{
        const char *word = words[g_rand_int_range (rand, 0,
                G_N_ELEMENTS (words))];
        guint length = (guint) strlen (word);

        if (bytes->len + length > LARGEST_INPUT)
          break;
        g_byte_array_set_size (bytes, bytes->len + length);
        memmove (bytes->data + at + length, bytes->data + at,
            bytes->len - length - at);
        memcpy (bytes->data + at, word, length);
        break;
      }
    }
  }
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Contents of the corpus, by file name. Exits when there is none. */
static GPtrArray *
read_corpus (const char *folder, GPtrArray * names)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func
      ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &error);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    g_ptr_array_add (names, g_strdup (name));
  if (names->len == 0)
    g_error ("corpus %s: %s", folder, error ? error->message : "empty");
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);
    char *data;
    gsize size;

    if (!g_file_get_contents (path, &data, &size, &error))
      g_error ("corpus %s", error->message);
    g_ptr_array_add (inputs, g_bytes_new_take (data, size));
  }
  return inputs;
}

int
main (int argc, char **argv)
{
  if (argc != 4)
    g_error ("usage: %s CORPUS-FOLDER RUNS SEED", argv[0]);

  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) inputs = read_corpus (argv[1], names);
  guint64 runs = g_ascii_strtoull (argv[2], NULL, 10);
  guint64 seed = g_ascii_strtoull (argv[3], NULL, 10);
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) seed);
  g_autofree char *base = g_path_get_basename (argv[0]);

  g_snprintf (crash_file, sizeof crash_file, "crash-%s", base);
  signal (SIGSEGV, on_signal);
  signal (SIGABRT, on_signal);
  signal (SIGFPE, on_signal);
  if (__sanitizer_set_death_callback)
    __sanitizer_set_death_callback (save_current);

  g_print ("1..%u\n", inputs->len + 1);
  for (guint i = 0; i < inputs->len; i++) {
    gsize size;
    const guint8 *data = g_bytes_get_data (inputs->pdata[i], &size);

    run_one (data, size);
    g_print ("ok %u %s\n", i + 1, (const char *) names->pdata[i]);
  }

  for (guint64 i = 0; i < runs; i++) {
    GBytes *from = inputs->pdata[g_rand_int_range (rand, 0,
            (gint32) inputs->len)];
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    gsize size;
    const guint8 *data = g_bytes_get_data (from, &size);

    g_byte_array_append (bytes, data, (guint) MIN (size, LARGEST_INPUT));
    mutate (rand, bytes);
    run_one (bytes->data, bytes->len);
  }
  g_print ("ok %u %" G_GUINT64_FORMAT " mutations, seed %" G_GUINT64_FORMAT
      "\n", inputs->len + 1, runs, seed);
  return 0;
}
