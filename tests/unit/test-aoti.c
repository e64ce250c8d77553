/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Finding libtorch, and opening and running graphs, over the fakes. What loads
 * another libtorch than the complete one runs in a process of its own, as none
 * is ever unloaded. */

#include <dlfcn.h>
#include <fcntl.h>
#include <gdino/error.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "aoti/backend_aoti.h"
#include "aoti/loader.h"
#include "batch.h"
#include "engine-private.h"
#include "make-package.h"
#include "package-private.h"

#define WIDTH 64
#define HEIGHT 32
#define QUERIES 4
#define TOKENS 16

static const char *const no_system[] = { NULL };

static void
check_has (GError * error, GdinoError code, const char *what)
{
  g_assert_error (error, GDINO_ERROR, (gint) code);
  if (strstr (error->message, what) == NULL)
    g_error ("no \"%s\" in: %s", what, error->message);
}

/* A folder named lib in a new folder, holding a copy of @fake as @name. */
static char *
make_torch_folder (const char *fake, const char *name)
{
  g_autofree char *parent = g_dir_make_tmp ("gdino-torch-XXXXXX", NULL);
  g_autofree char *source = gdino_fake_path (fake);
  char *folder = g_build_filename (parent, "lib", NULL);
  g_autofree char *target = g_build_filename (folder, name, NULL);
  g_autofree char *data = NULL;
  gsize size;

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_true (g_file_get_contents (source, &data, &size, NULL));
  g_assert_true (g_file_set_contents (target, data, (gssize) size, NULL));
  return folder;
}

static void
remove_torch_folder (const char *folder)
{
  g_autofree char *parent = g_path_get_dirname (folder);

  gdino_fake_package_remove (parent);
}

static void
write_beside (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, "..", name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* Runs @function alone in a process and wants it to pass. */
static void
in_process (gconstpointer data)
{
  void (*function) (void) = *(void (*const *)(void)) data;

  if (g_test_subprocess ()) {
    function ();
    return;
  }
  g_test_trap_subprocess (NULL, 60 * G_USEC_PER_SEC,
      G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

static void
test_nowhere (void)
{
  const GdinoTorchSearch search = { "/env/none", "/package/none", no_system,
    "2.13.0"
  };
  const GdinoTorchSearch unset = { NULL, NULL, no_system, "2.13.0" };
  const char *const names[] = { "libtorch_cpu_absent.so",
    "/usr/lib/absent/libtorch_cpu.so", NULL
  };
  const GdinoTorchSearch system = { "", NULL, names, "2.13.0" };
  g_autoptr (GError) error = NULL;

  g_assert_null (gdino_torch_get (&search, &error));
  check_has (error, GDINO_ERROR_RUNTIME, "no usable libtorch 2.13.0");
  check_has (error, GDINO_ERROR_RUNTIME, "in this process: not loaded");
  check_has (error, GDINO_ERROR_RUNTIME,
      "GDINO_TORCH_LIB_DIR: /env/none/libtorch_cpu.so: no such file");
  check_has (error, GDINO_ERROR_RUNTIME, "folder noted in the package: "
      "/package/none/libtorch_cpu.so: no such file");
  g_clear_error (&error);
  g_assert_null (gdino_torch_get (&unset, &error));
  check_has (error, GDINO_ERROR_RUNTIME, "GDINO_TORCH_LIB_DIR: not set");
  check_has (error, GDINO_ERROR_RUNTIME, "in the package: none");
  g_clear_error (&error);
  g_assert_null (gdino_torch_get (&system, &error));
  check_has (error, GDINO_ERROR_RUNTIME, "system: libtorch_cpu_absent.so");
  check_has (error, GDINO_ERROR_RUNTIME, "system: /usr/lib/absent/");
  /* A failure is not remembered: once there, it is found. */
  g_clear_error (&error);
  {
    g_autofree char *folder = gdino_fake_path ("torch");
    const GdinoTorchSearch good = { folder, NULL, no_system, "2.13.1" };

    g_assert_nonnull (gdino_torch_get (&good, &error));
    g_assert_no_error (error);
  }
}

static void
test_broken_then_package (void)
{
  g_autofree char *broken = make_torch_folder ("libfakes.a", "libtorch_cpu.so");
  g_autofree char *good = gdino_fake_path ("torch");
  const GdinoTorchSearch bad = { broken, "/none", no_system, "2.13.0" };
  const GdinoTorchSearch search = { broken, good, no_system, "2.13.0" };
  g_autoptr (GError) error = NULL;
  const GdinoTorch *torch;

  g_assert_null (gdino_torch_get (&bad, &error));
  check_has (error, GDINO_ERROR_RUNTIME, "GDINO_TORCH_LIB_DIR: ");
  check_has (error, GDINO_ERROR_RUNTIME, "invalid ELF header");
  g_clear_error (&error);
  torch = gdino_torch_get (&search, &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (torch->library.path, good));
  g_assert_cmpstr (torch->library.version, ==, "2.13.0");
  g_assert_true (torch == gdino_torch_get (&search, &error));
  remove_torch_folder (broken);
}

/* A folder whose version is written beside it is passed over unopened. */
static void
test_other_version_beside (void)
{
  g_autofree char *old = make_torch_folder ("torch-silent/libtorch_cpu.so",
      "libtorch_cpu.so");
  g_autofree char *good = gdino_fake_path ("torch");
  const GdinoTorchSearch only = { old, NULL, no_system, "2.13.0" };
  const GdinoTorchSearch search = { old, good, no_system, "2.13.0" };
  g_autoptr (GError) error = NULL;

  write_beside (old, "version.py", "__version__ = '2.6.0+cpu'\n");
  g_assert_null (gdino_torch_get (&only, &error));
  check_has (error, GDINO_ERROR_INCOMPATIBLE, "found torch 2.6.0+cpu");
  check_has (error, GDINO_ERROR_INCOMPATIBLE, "wanted 2.13.0");
  g_clear_error (&error);
  g_assert_nonnull (gdino_torch_get (&search, &error));
  g_assert_no_error (error);
  remove_torch_folder (old);
}

/* Once open it stays, so one that tells its version too late ends it. */
static void
test_other_version_inside (void)
{
  g_autofree char *old = gdino_fake_path ("torch-other");
  g_autofree char *good = gdino_fake_path ("torch");
  const GdinoTorchSearch search = { old, good, no_system, "2.13.0" };
  const GdinoTorchSearch right = { good, NULL, no_system, "2.13.0" };
  g_autoptr (GError) error = NULL;

  g_assert_null (gdino_torch_get (&search, &error));
  check_has (error, GDINO_ERROR_INCOMPATIBLE, "found torch 2.6.0");
  check_has (error, GDINO_ERROR_INCOMPATIBLE, "wanted 2.13.0");
  g_clear_error (&error);
  g_assert_null (gdino_torch_get (&right, &error));
  check_has (error, GDINO_ERROR_INCOMPATIBLE,
      "in this process: found torch 2.6.0");
}

static void
test_two_versions_wanted (void)
{
  g_autofree char *good = gdino_fake_path ("torch");
  const GdinoTorchSearch first = { good, NULL, no_system, "2.13.0" };
  const GdinoTorchSearch second = { good, NULL, no_system, "2.6.0" };
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (gdino_torch_get (&first, &error));
  g_assert_null (gdino_torch_get (&second, &error));
  check_has (error, GDINO_ERROR_INCOMPATIBLE, "already uses torch 2.13.0");
  check_has (error, GDINO_ERROR_INCOMPATIBLE, "with torch 2.6.0");
}

static void
test_silent_unknown (void)
{
  g_autofree char *folder = make_torch_folder ("torch-silent/libtorch_cpu.so",
      "libtorch_cpu.so");
  const GdinoTorchSearch search = { folder, NULL, no_system, "2.6.0" };
  g_autoptr (GError) error = NULL;

  g_assert_null (gdino_torch_get (&search, &error));
  check_has (error, GDINO_ERROR_RUNTIME, "cannot be learned, wanted 2.6.0");
  remove_torch_folder (folder);
}

static void
check_silent (const char *file, const char *note, const char *text,
    const char *version)
{
  g_autofree char *folder =
      make_torch_folder ("torch-silent/libtorch_cpu.so", file);
  const GdinoTorchSearch search = { folder, NULL, no_system, "2.6.0" };
  g_autoptr (GError) error = NULL;
  const GdinoTorch *torch;

  if (note != NULL)
    write_beside (folder, note, text);
  torch = gdino_torch_get (&search, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (torch->library.version, ==, version);
  g_assert_null (torch->abi_version);
  remove_torch_folder (folder);
}

static void
test_silent_version_py (void)
{
  check_silent ("libtorch_cpu.so", "version.py",
      "from typing import Optional\n\n__all__ = ['__version__', 'debug']\n"
      "__version__ = '2.6.0+cpu'\n", "2.6.0+cpu");
}

static void
test_silent_build_version (void)
{
  check_silent ("libtorch_cpu.so", "build-version", "2.6.1\n", "2.6.1");
}

/* As Debian installs it without the development package. */
static void
test_silent_file_name (void)
{
  check_silent ("libtorch_cpu.so.2.6", NULL, NULL, "2.6");
}

static void
test_missing_symbol (void)
{
  g_autofree char *folder = gdino_fake_path ("torch-incomplete");
  const GdinoTorchSearch search = { folder, NULL, no_system, "2.13.0" };
  g_autoptr (GError) error = NULL;

  g_assert_null (gdino_torch_get (&search, &error));
  check_has (error, GDINO_ERROR_RUNTIME, "no function aoti_torch_get_strides");
  check_has (error, GDINO_ERROR_RUNTIME, folder);
}

/* A libtorch from before AOTInductor, or something else of that name. */
static void
test_no_aoti (void)
{
  g_autofree char *folder = make_torch_folder ("fake-model.so",
      "libtorch_cpu.so");
  const GdinoTorchSearch search = { folder, NULL, no_system, "2.13.0" };
  g_autoptr (GError) error = NULL;

  g_assert_null (gdino_torch_get (&search, &error));
  check_has (error, GDINO_ERROR_RUNTIME,
      "no function aoti_torch_delete_tensor_object");
  remove_torch_folder (folder);
}

/* Loaded by another part of the process, which kept its symbols to itself. */
static void
test_in_process (void)
{
  g_autofree char *path = gdino_fake_path ("torch/libtorch_cpu.so");
  g_autofree char *other = gdino_fake_path ("torch-other");
  const GdinoTorchSearch search = { other, NULL, no_system, "2.13.0" };
  g_autoptr (GError) error = NULL;
  const GdinoTorch *torch;

  g_assert_nonnull (dlopen (path, RTLD_NOW | RTLD_LOCAL));
  g_assert_null (dlsym (RTLD_DEFAULT, "aoti_torch_get_dim"));
  torch = gdino_torch_get (&search, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (torch->library.path, ==, path);
  g_assert_nonnull (dlsym (RTLD_DEFAULT, "aoti_torch_get_dim"));
}

static gpointer
get_torch_in_thread (gpointer data)
{
  return (gpointer) gdino_torch_get (data, NULL);
}

static void
test_threads (void)
{
  g_autofree char *good = gdino_fake_path ("torch");
  GdinoTorchSearch search = { good, NULL, no_system, "2.13.0" };
  GThread *threads[8];
  gpointer first;

  for (guint i = 0; i < 8; i++)
    threads[i] = g_thread_new ("torch", get_torch_in_thread, &search);
  first = g_thread_join (threads[0]);
  g_assert_nonnull (first);
  for (guint i = 1; i < 8; i++)
    g_assert_true (g_thread_join (threads[i]) == first);
}

static void
test_system_names (void)
{
  g_auto (GStrv) names = gdino_torch_system_names ("2.6.0");

  g_assert_cmpstr (names[0], ==, "libtorch_cpu.so.2.6");
  g_assert_true (g_strv_contains ((const char *const *) names,
          "libtorch_cpu.so"));
}

/* A CUDA package and a libtorch without CUDA. */
static void
test_cuda_absent (void)
{
  g_autofree char *folder = make_torch_folder ("torch/libtorch_cpu.so",
      "libtorch_cpu.so");
  GdinoFakeOptions options = {.device = "cuda" };
  g_autofree char *path = gdino_fake_package_new (NULL, &options);
  g_autoptr (GdinoPackage) package = gdino_package_open (path, NULL);
  g_autoptr (GError) error = NULL;

  g_setenv (GDINO_TORCH_DIR_VARIABLE, folder, TRUE);
  g_assert_null (gdino_engine_get (package, "auto", &error));
  check_has (error, GDINO_ERROR_INCOMPATIBLE, "this package is for CUDA");
  check_has (error, GDINO_ERROR_INCOMPATIBLE, "libtorch_cuda.so");
  g_clear_error (&error);
  g_assert_null (gdino_engine_get (package, "cpu", &error));
  check_has (error, GDINO_ERROR_INCOMPATIBLE, "compiled for cuda");
  gdino_fake_package_remove (path);
  remove_torch_folder (folder);
}

/* Whole way: no libtorch of the package's version anywhere. */
static void
test_engine_without_torch (void)
{
  GdinoFakeOptions options = {.torch_version = "9.99.0" };
  g_autofree char *path = gdino_fake_package_new (NULL, &options);
  g_autoptr (GdinoPackage) package = gdino_package_open (path, NULL);
  g_autoptr (GError) error = NULL;

  g_setenv (GDINO_TORCH_DIR_VARIABLE, "/env/none", TRUE);
  g_assert_null (gdino_engine_get (package, "auto", &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_nonnull (strstr (error->message, "/env/none/libtorch_cpu.so"));
  g_assert_nonnull (strstr (error->message,
          "/nonexistent/torch/lib/libtorch_cpu.so"));
  g_assert_nonnull (strstr (error->message, "system: libtorch_cpu.so.9.99"));
  gdino_fake_package_remove (path);
}

/* From here on, the complete libtorch of this process. */

typedef struct
{
  const char *text_fault;
  const char *frame_fault;
  const char *graph_file;       /* of the fakes */
  const char *what;             /* in the message */
} Fault;

static const Fault load_faults[] = {
  {"create", NULL, NULL, "text graph"},
  {"create", NULL, NULL, "cannot be created: fake graph: creation fails"},
  {NULL, "create", NULL, "frame graph"},
  {"input-count", NULL, NULL,
      "found 4 inputs and 2 outputs, wanted 3 and 2"},
  {NULL, "output-count", NULL,
      "found 5 inputs and 3 outputs, wanted 5 and 2"},
  {NULL, NULL, "fake-model-incomplete.so",
      "no function AOTInductorModelContainerRun"},
  {NULL, NULL, "fake-model-undefined.so",
      "undefined symbol: aoti_torch_cpu_of_another_version"},
  {NULL, NULL, "libfakes.a", "invalid ELF header"},
};

static const Fault run_faults[] = {
  {"run", NULL, NULL, "text graph"},
  {"run", NULL, NULL, "run failed: fake graph: this run fails on demand"},
  {"run-late", NULL, NULL, "runs fail late"},
  {"output-shape", NULL, NULL,
      "output text_features: found shape [1, 16, 9], wanted [1, 16, 8]"},
  {NULL, "run", NULL, "frame graph"},
  {NULL, "run-late", NULL, "runs fail late"},
  {NULL, "output-shape", NULL,
      "output logits: found shape [1, 4, 17], wanted [1, 4, 16]"},
  {NULL, "output-rank", NULL, "found shape [1, 4, 16, 1], wanted [1, 4, 16]"},
  {NULL, "output-dtype", NULL, "found element type 7 of torch, wanted 6"},
  {NULL, "output-strides", NULL,
      "found strides [128, 32, 2], wanted [64, 16, 1]"},
  {NULL, "output-null", NULL, "output logits: found no tensor"},
};

static char *
make_package (const Fault * fault, const char *device)
{
  g_autofree char *graph =
      fault->graph_file ? gdino_fake_path (fault->graph_file) : NULL;
  const GdinoFakeOptions options = {
    .width = WIDTH,
    .height = HEIGHT,
    .queries = QUERIES,
    .text_tokens = TOKENS,
    .device = device,
    .graph_file = graph,
    .text_fault = fault->text_fault,
    .frame_fault = fault->frame_fault,
  };

  return gdino_fake_package_new (NULL, &options);
}

static void
check_no_handles (void)
{
  g_assert_cmpint (gdino_fake_get (live_tensors), ==, 0);
  g_assert_cmpint (gdino_fake_get (live_containers), ==, 0);
}

static void
test_load_fault (gconstpointer data)
{
  const Fault *fault = data;
  g_autofree char *path = make_package (fault, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPackage) package = gdino_package_open (path, &error);

  g_assert_no_error (error);
  g_assert_null (gdino_engine_get (package, "auto", &error));
  check_has (error, GDINO_ERROR_GRAPH, fault->what);
  check_has (error, GDINO_ERROR_GRAPH, path);
  check_no_handles ();
  gdino_fake_package_remove (path);
}

/* Runs both graphs on a canvas with a red field. */
static gboolean
run_both (GdinoEngine * engine, float *boxes, GError ** error)
{
  GdinoPackage *package = gdino_engine_get_package (engine);
  g_autoptr (GdinoPrompt) prompt =
      gdino_prompt_new (gdino_package_get_tokenizer (package), "a red ball",
      TOKENS, NULL);
  g_autoptr (GdinoTextFeatures) text =
      gdino_engine_get_text (engine, prompt, NULL, error);
  g_autofree guint8 *canvas = g_malloc0 (WIDTH * HEIGHT * 3);
  g_autoptr (GdinoBatch) batch = gdino_batch_new (gdino_package_get_frame_graph
      (package));
  const GdinoEngineFrame frame = { canvas, WIDTH * 3, text, prompt };
  float logits[QUERIES * TOKENS];

  if (text == NULL)
    return FALSE;
  for (guint y = 0; y < 16; y++)
    for (guint x = 0; x < 32; x++)
      canvas[(y * WIDTH + x) * 3] = 255;
  return gdino_engine_run_frames (engine, batch, &frame, 1, logits, boxes,
      error);
}

static void
test_run_fault (gconstpointer data)
{
  const Fault *fault = data;
  g_autofree char *path = make_package (fault, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GdinoPackage) package = gdino_package_open (path, &error);
  g_autoptr (GdinoEngine) engine = gdino_engine_get (package, "cpu", &error);
  float boxes[QUERIES * 4];

  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++) {
    g_assert_false (run_both (engine, boxes, &error));
    check_has (error, GDINO_ERROR_GRAPH, fault->what);
    g_assert_cmpint (gdino_fake_get (live_tensors), ==, 0);
    g_clear_error (&error);
  }
  g_clear_pointer (&engine, gdino_engine_unref);
  check_no_handles ();
  gdino_fake_package_remove (path);
}

static void
check_red_box (const float *boxes)
{
  g_assert_cmpfloat_with_epsilon (boxes[0], 0.25, 1e-6);
  g_assert_cmpfloat_with_epsilon (boxes[1], 0.25, 1e-6);
  g_assert_cmpfloat_with_epsilon (boxes[2], 0.5, 1e-6);
  g_assert_cmpfloat_with_epsilon (boxes[3], 0.5, 1e-6);
}

/* The n-th tensor that is made fails, for every n, on either device. */
static void
test_allocation_fails (gconstpointer device)
{
  const Fault none = { NULL, NULL, NULL, NULL };
  g_autofree char *path = make_package (&none, device);
  g_autoptr (GdinoPackage) package = gdino_package_open (path, NULL);
  g_autoptr (GdinoEngine) engine = NULL;
  g_autoptr (GError) error = NULL;
  float boxes[QUERIES * 4];
  guint failures = 0, n_told = 0;

  gdino_fake_set (cuda_devices, 1);
  for (int n = 0; n < 64; n++) {
    gboolean ok;

    /* A new one each time, or the text graph would run but once. */
    g_clear_pointer (&engine, gdino_engine_unref);
    engine = gdino_engine_get (package, "auto", &error);
    g_assert_no_error (error);
    gdino_fake_set (skip_allocations, n);
    gdino_fake_set (fail_allocations, 1);
    ok = run_both (engine, boxes, &error);
    gdino_fake_set (fail_allocations, 0);
    gdino_fake_set (skip_allocations, 0);
    g_assert_cmpint (gdino_fake_get (live_tensors), ==, 0);
    if (ok)
      break;
    check_has (error, strstr (error->message, "memory") != NULL ?
        GDINO_ERROR_MEMORY : GDINO_ERROR_GRAPH, path);
    if (strstr (error->message, "no memory for a tensor of") != NULL)
      n_told += strstr (error->message, g_str_equal (device, "cpu") ?
          "MiB are free on the machine" : "; 5 MiB are free on the device")
          != NULL;
    g_clear_error (&error);
    failures++;
  }
  /* 3 inputs and 2 outputs, 5 inputs and 2 outputs; on CUDA also their copies
   * in host memory. */
  g_assert_cmpuint (failures, ==, g_str_equal (device, "cpu") ? 12 : 24);
  g_assert_cmpuint (n_told, >=, 8);
  g_assert_true (run_both (engine, boxes, &error));
  check_red_box (boxes);
  g_clear_pointer (&engine, gdino_engine_unref);
  check_no_handles ();
  gdino_fake_package_remove (path);
}

static void
test_cuda (void)
{
  const Fault none = { NULL, NULL, NULL, NULL };
  g_autofree char *path = make_package (&none, "cuda");
  g_autoptr (GdinoPackage) package = gdino_package_open (path, NULL);
  g_autoptr (GdinoEngine) engine = NULL;
  g_autoptr (GError) error = NULL;
  float boxes[QUERIES * 4];

  gdino_fake_set (cuda_devices, 0);
  g_assert_null (gdino_engine_get (package, "auto", &error));
  check_has (error, GDINO_ERROR_INCOMPATIBLE,
      "this package is for CUDA, but there is no CUDA device");
  g_clear_error (&error);
  gdino_fake_set (cuda_devices, 2);
  g_assert_null (gdino_engine_get (package, "cuda:2", &error));
  check_has (error, GDINO_ERROR_INCOMPATIBLE, "found 2 CUDA devices");
  g_clear_error (&error);
  engine = gdino_engine_get (package, "cuda:1", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (gdino_engine_get_device (engine), ==, "cuda:1");
  g_assert_true (run_both (engine, boxes, &error));
  g_assert_no_error (error);
  check_red_box (boxes);
  g_clear_pointer (&engine, gdino_engine_unref);
  engine = gdino_engine_get (package, "cuda", &error);
  g_assert_cmpstr (gdino_engine_get_device (engine), ==, "cuda:0");
  g_clear_pointer (&engine, gdino_engine_unref);
  check_no_handles ();
  gdino_fake_package_remove (path);
}

/* A graph cut short whose digest was made to fit. */
static void
test_truncated (void)
{
  const Fault none = { NULL, NULL, NULL, NULL };
  g_autofree char *path = make_package (&none, NULL);
  g_autofree char *graph = g_build_filename (path, "frame.so", NULL);
  g_autofree char *whole = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (graph, &whole, &size, NULL));
  for (guint i = 0; i < 4; i++) {
    const gsize sizes[] = { size - 1, size / 2, 1024, 1 };
    g_autoptr (GError) error = NULL;
    g_autoptr (GdinoPackage) package = NULL;

    g_assert_true (g_file_set_contents (graph, whole, (gssize) sizes[i], NULL));
    gdino_fake_package_sign (path);
    package = gdino_package_open (path, &error);
    g_assert_no_error (error);
    g_assert_null (gdino_engine_get (package, "auto", &error));
    check_has (error, GDINO_ERROR_GRAPH, graph);
    g_test_message ("%s", error->message);
    check_no_handles ();
  }
  gdino_fake_package_remove (path);
}

/* Written over while the code is in use: the old code is still what runs. */
static void
test_overwritten (void)
{
  const Fault none = { NULL, NULL, NULL, NULL };
  g_autofree char *path = make_package (&none, NULL);
  g_autofree char *graph = g_build_filename (path, "frame.so", NULL);
  g_autoptr (GdinoPackage) package = gdino_package_open (path, NULL);
  g_autoptr (GError) error = NULL;
  struct timespec later[2] = { {1, 0}, {1, 0} };

  gdino_engine_unref (gdino_engine_get (package, "auto", &error));
  g_assert_no_error (error);
  g_assert_cmpint (utimensat (AT_FDCWD, graph, later, 0), ==, 0);
  g_assert_null (gdino_engine_get (package, "auto", &error));
  check_has (error, GDINO_ERROR_GRAPH, "was overwritten");
  check_has (error, GDINO_ERROR_GRAPH, graph);
  check_no_handles ();
  gdino_fake_package_remove (path);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*function) (void);
  } alone[] = {
    {"/aoti/search/nowhere", test_nowhere},
    {"/aoti/search/broken-then-package", test_broken_then_package},
    {"/aoti/search/other-version-beside", test_other_version_beside},
    {"/aoti/search/other-version-inside", test_other_version_inside},
    {"/aoti/search/two-versions-wanted", test_two_versions_wanted},
    {"/aoti/search/silent-unknown", test_silent_unknown},
    {"/aoti/search/silent-version-py", test_silent_version_py},
    {"/aoti/search/silent-build-version", test_silent_build_version},
    {"/aoti/search/silent-file-name", test_silent_file_name},
    {"/aoti/search/missing-symbol", test_missing_symbol},
    {"/aoti/search/no-aoti", test_no_aoti},
    {"/aoti/search/in-process", test_in_process},
    {"/aoti/search/threads", test_threads},
    {"/aoti/search/cuda-absent", test_cuda_absent},
    {"/aoti/search/engine-without-torch", test_engine_without_torch},
  };

  g_test_init (&argc, &argv, NULL);
  gdino_fake_use_torch ();
  for (guint i = 0; i < G_N_ELEMENTS (alone); i++)
    g_test_add_data_func (alone[i].path, &alone[i].function, in_process);
  g_test_add_func ("/aoti/search/system-names", test_system_names);
  for (guint i = 0; i < G_N_ELEMENTS (load_faults); i++) {
    g_autofree char *name = g_strdup_printf ("/aoti/load-fault/%u", i);

    g_test_add_data_func (name, &load_faults[i], test_load_fault);
  }
  for (guint i = 0; i < G_N_ELEMENTS (run_faults); i++) {
    g_autofree char *name = g_strdup_printf ("/aoti/run-fault/%u", i);

    g_test_add_data_func (name, &run_faults[i], test_run_fault);
  }
  g_test_add_data_func ("/aoti/allocation-fails/cpu", "cpu",
      test_allocation_fails);
  g_test_add_data_func ("/aoti/allocation-fails/cuda", "cuda",
      test_allocation_fails);
  g_test_add_func ("/aoti/cuda", test_cuda);
  g_test_add_func ("/aoti/truncated", test_truncated);
  g_test_add_func ("/aoti/overwritten", test_overwritten);
  return g_test_run ();
}
