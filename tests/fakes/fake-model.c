/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* A shared object that stands for a graph compiled by AOTInductor. What it is,
 * text or frame graph and of which sizes, is written in a trailer behind the
 * ELF data of each copy (fake-control.h).
 *
 * The text graph passes ids and positions on in its features. The frame graph
 * looks for the colour named in each phrase: query k gets the bounding box of
 * the pixels of the colour of phrase k and score 0.9; all else scores low.
 *
 * Faults: create, run, run-late (fails with an output made), output-shape,
 * output-rank, output-dtype, output-strides, output-null, output-count,
 * input-count, nan (all logits), nan-box (box of query 0), nothing (no scores),
 * far-box (box of query 0 leaves the canvas), last-slot (no scores for the last
 * frame of a batch).
 * Variants by macro:
 *   FAKE_NO_RUN     leaves out a function that the host cannot do without
 *   FAKE_UNDEFINED  needs a function that no libtorch has */

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake-control.h"
#include "fake-vocab.h"

#ifdef FAKE_NO_RUN
#define AOTInductorModelContainerRun fake_hidden_run
#endif

#define EXPORT __attribute__ ((visibility ("default")))
#define ADD(member, n) \
  __atomic_add_fetch (&fake_torch_control ()->member, n, __ATOMIC_SEQ_CST)
#define LOAD(member) \
  __atomic_load_n (&fake_torch_control ()->member, __ATOMIC_SEQ_CST)

#define SCORE_HIGH 2.1972246f   /* logit of 0.9 */
#define SCORE_LOW -12.0f

/* Of the fake libtorch; found at load time as in a real graph. */
extern int32_t aoti_torch_empty_strided (int64_t rank, const int64_t * sizes,
    const int64_t * strides, int32_t dtype, int32_t device_type,
    int32_t device_index, void **handle);
extern int32_t aoti_torch_delete_tensor_object (void *handle);
extern int32_t aoti_torch_get_data_ptr (void *handle, void **data);
extern int32_t aoti_torch_get_dim (void *handle, int64_t * rank);
extern int32_t aoti_torch_get_sizes (void *handle, int64_t ** sizes);
extern int32_t aoti_torch_get_dtype (void *handle, int32_t * dtype);
extern int32_t aoti_torch_get_device_type (void *handle, int32_t * type);
#ifdef FAKE_UNDEFINED
extern int32_t aoti_torch_cpu_of_another_version (void);
#endif

EXPORT int32_t AOTInductorModelContainerCreateWithDevice (void **container,
    size_t n_models, const char *device, const char *cubin_dir);
EXPORT int32_t AOTInductorModelContainerDelete (void *container);
EXPORT int32_t AOTInductorModelContainerRun (void *container, void **inputs,
    size_t n_inputs, void **outputs, size_t n_outputs, void *stream,
    void *proxy);
EXPORT int32_t AOTInductorModelContainerGetNumInputs (void *container,
    size_t *count);
EXPORT int32_t AOTInductorModelContainerGetNumOutputs (void *container,
    size_t *count);
EXPORT int32_t AOTInductorGetLastError (const char **message);

typedef struct
{
  FakeTrailer trailer;
  int32_t device_type;
} FakeModel;

typedef struct
{
  int left, top, right, bottom; /* right and bottom exclusive; empty: 0 */
} Box;

/* In a real graph one for each thread; but many modules with memory of that
 * kind upset the leak checker, and calls on one copy take turns. */
static const char *last_error = "";

static int32_t
fail (const char *message)
{
  last_error = message;
  return 1;
}

int32_t
AOTInductorGetLastError (const char **message)
{
  *message = last_error;
  return 0;
}

static bool
has_fault (const FakeModel * self, const char *fault)
{
  return strcmp (self->trailer.fault, fault) == 0;
}

static bool
read_trailer (FakeTrailer * trailer)
{
  Dl_info info;
  FILE *file;
  bool ok;

  if (!dladdr ((void *) (uintptr_t) read_trailer, &info))
    return false;
  file = fopen (info.dli_fname, "rb");
  if (file == NULL)
    return false;
  ok = fseek (file, -(long) sizeof *trailer, SEEK_END) == 0
      && fread (trailer, sizeof *trailer, 1, file) == 1
      && memcmp (trailer->magic, FAKE_TRAILER_MAGIC, 16) == 0;
  fclose (file);
  return ok;
}

int32_t
AOTInductorModelContainerCreateWithDevice (void **container, size_t n_models,
    const char *device, const char *cubin_dir)
{
  FakeModel *self = calloc (1, sizeof *self);

  if (self == NULL || !read_trailer (&self->trailer)) {
    free (self);
    return fail ("fake graph: the trailer is missing");
  }
#ifdef FAKE_UNDEFINED
  self->device_type = aoti_torch_cpu_of_another_version ();
#endif
  self->device_type =
      strncmp (device, "cuda", 4) == 0 ? FAKE_DEVICE_CUDA : FAKE_DEVICE_CPU;
  usleep ((useconds_t) LOAD (create_delay_us));
  if (n_models != 1 || has_fault (self, "create")) {
    free (self);
    return fail ("fake graph: creation fails on demand");
  }
  if (fake_take_one (&fake_torch_control ()->fail_creations)) {
    free (self);
    return fail ("fake graph: out of memory. Tried to allocate 2.00 GiB");
  }
  ADD (live_containers, 1);
  ADD (created_containers, 1);
  *container = self;
  return 0;
}

int32_t
AOTInductorModelContainerDelete (void *container)
{
  ADD (live_containers, -1);
  free (container);
  return 0;
}

int32_t
AOTInductorModelContainerGetNumInputs (void *container, size_t *count)
{
  FakeModel *self = container;

  *count = self->trailer.is_frame ? 5 : 3;
  if (has_fault (self, "input-count"))
    *count += 1;
  return 0;
}

int32_t
AOTInductorModelContainerGetNumOutputs (void *container, size_t *count)
{
  *count = has_fault (container, "output-count") ? 3 : 2;
  return 0;
}

static void *
data_of (void *handle)
{
  void *data = NULL;

  aoti_torch_get_data_ptr (handle, &data);
  return data;
}

static bool
input_is (const FakeModel * self, void *handle, int32_t dtype, int64_t rank,
    const int64_t * shape)
{
  int64_t got_rank, *sizes;
  int32_t got_dtype, type;

  aoti_torch_get_dim (handle, &got_rank);
  aoti_torch_get_sizes (handle, &sizes);
  aoti_torch_get_dtype (handle, &got_dtype);
  aoti_torch_get_device_type (handle, &type);
  /* A real graph copies inputs that are less aligned, on each run. */
  return (uintptr_t) data_of (handle) % (type == FAKE_DEVICE_CPU ? 64 : 1) == 0
      && got_rank == rank && got_dtype == dtype && type == self->device_type
      && memcmp (sizes, shape, (size_t) rank * sizeof *shape) == 0;
}

static void *
make_output (const FakeModel * self, int64_t rank, const int64_t * shape,
    bool faulty)
{
  int64_t sizes[5], strides[5];
  int32_t dtype = FAKE_DTYPE_FLOAT32;
  void *handle = NULL;

  memcpy (sizes, shape, (size_t) rank * sizeof *shape);
  if (faulty && has_fault (self, "output-shape"))
    sizes[rank - 1] += 1;
  if (faulty && has_fault (self, "output-rank"))
    sizes[rank++] = 1;
  if (faulty && has_fault (self, "output-dtype"))
    dtype = FAKE_DTYPE_FLOAT64;
  strides[rank - 1] = faulty && has_fault (self, "output-strides") ? 2 : 1;
  for (int64_t i = rank - 1; i > 0; i--)
    strides[i - 1] = strides[i] * sizes[i];
  if (faulty && has_fault (self, "output-null"))
    return NULL;
  if (aoti_torch_empty_strided (rank, sizes, strides, dtype, self->device_type,
          self->device_type == FAKE_DEVICE_CUDA ? 0 : -1, &handle) != 0)
    return NULL;
  return handle;
}

static int32_t
run_text (const FakeModel * self, void **inputs, void **outputs)
{
  const int64_t tokens = self->trailer.tokens;
  const int64_t features = self->trailer.features;
  const int64_t row[] = { 1, tokens };
  const int64_t square[] = { 1, tokens, tokens };
  const int64_t shape[] = { 1, tokens, features };
  const int64_t *ids, *positions;
  float *text, *position;

  if (!input_is (self, inputs[0], FAKE_DTYPE_INT64, 2, row)
      || !input_is (self, inputs[1], FAKE_DTYPE_INT64, 2, row)
      || !input_is (self, inputs[2], FAKE_DTYPE_BOOL, 3, square))
    return fail ("fake text graph: an input is not as expected");
  outputs[0] = make_output (self, 3, shape, true);
  if (has_fault (self, "run-late"))
    return fail ("fake text graph: runs fail late on demand");
  outputs[1] = make_output (self, 3, shape, false);
  if (outputs[0] == NULL || outputs[1] == NULL)
    return has_fault (self, "output-null") ? 0 : fail ("fake: no memory");
  ids = data_of (inputs[0]);
  positions = data_of (inputs[1]);
  text = data_of (outputs[0]);
  position = data_of (outputs[1]);
  for (int64_t t = 0; t < tokens; t++) {
    text[t * features] = (float) ids[t];
    position[t * features] = (float) positions[t];
  }
  return 0;
}

/* Index into the colours of fake-vocab.h, or -1. */
static int
colour_of (const uint8_t * p)
{
  const int r = p[0], g = p[1], b = p[2], far = 80;
  const int low = r < g ? (r < b ? r : b) : (g < b ? g : b);
  const int high = r > g ? (r > b ? r : b) : (g > b ? g : b);

  if (low > 200)
    return 4 - 1;               /* white */
  if (high < 45)
    return 5 - 1;               /* black */
  if (r - g > far && r - b > far)
    return 0;
  if (g - r > far && g - b > far)
    return 1;
  if (b - r > far && b - g > far)
    return 2;
  if (r - b > far && g - b > far)
    return 5;
  if (g - r > far && b - r > far)
    return 6;
  if (r - g > far && b - g > far)
    return 7;
  return -1;
}

static void
find_boxes (const FakeModel * self, const uint8_t * image, Box * boxes)
{
  for (int y = 0; y < self->trailer.height; y++) {
    for (int x = 0; x < self->trailer.width; x++, image += 3) {
      int c = colour_of (image);
      Box *box;

      if (c < 0)
        continue;
      box = &boxes[c];
      if (box->right == 0) {
        box->left = x;
        box->top = y;
      }
      box->left = x < box->left ? x : box->left;
      box->right = x >= box->right ? x + 1 : box->right;
      box->bottom = y + 1;
    }
  }
}

/* Scores the tokens of one phrase in one query. */
static void
set_query (const FakeModel * self, int64_t query, int64_t start, int64_t end,
    const Box * box, float *logits, float *out)
{
  const float width = (float) self->trailer.width;
  const float height = (float) self->trailer.height;

  for (int64_t t = start; t < end; t++)
    logits[query * self->trailer.tokens + t] = SCORE_HIGH;
  out[query * 4 + 0] = (float) (box->left + box->right) / 2 / width;
  out[query * 4 + 1] = (float) (box->top + box->bottom) / 2 / height;
  out[query * 4 + 2] = (float) (box->right - box->left) / width;
  out[query * 4 + 3] = (float) (box->bottom - box->top) / height;
}

/* Phrases are what lies between special tokens, as in the real model. */
static void
match_phrases (const FakeModel * self, const float *features,
    const uint8_t * text_mask, const Box * boxes, float *logits, float *out)
{
  const int64_t tokens = self->trailer.tokens;
  int64_t start = 1, query = 0;

  for (int64_t t = 1; t < tokens && text_mask[t]; t++) {
    int id = (int) features[t * self->trailer.features];

    if (id != FAKE_PERIOD && id != FAKE_QUESTION && id != FAKE_SEP)
      continue;
    for (int64_t k = start; k < t && query < self->trailer.queries; k++) {
      int c = (int) features[k * self->trailer.features] - FAKE_FIRST_COLOUR;

      if (c < 0 || c >= FAKE_N_COLOURS)
        continue;
      if (boxes[c].right > 0)
        set_query (self, query, start, t, &boxes[c], logits, out);
      break;
    }
    if (t > start)
      query++;
    start = t + 1;
  }
}

/* One frame of the batch. */
static void
slot_values (const FakeModel * self, int32_t slot, void **inputs,
    float *logits, float *out)
{
  const int64_t tokens = self->trailer.tokens;
  const uint8_t *image = (const uint8_t *) data_of (inputs[0])
      + (int64_t) slot * self->trailer.height * self->trailer.width * 3;
  const float *features = (const float *) data_of (inputs[1])
      + slot * tokens * self->trailer.features;
  const uint8_t *text_mask =
      (const uint8_t *) data_of (inputs[3]) + slot * tokens;
  Box boxes[FAKE_N_COLOURS] = { {0} };

  for (int64_t q = 0; q < self->trailer.queries; q++) {
    for (int64_t t = 0; t < tokens; t++)
      logits[q * tokens + t] = text_mask[t] ? SCORE_LOW : -INFINITY;
    out[q * 4 + 0] = out[q * 4 + 1] = 0.5f;
    out[q * 4 + 2] = out[q * 4 + 3] = 0.25f;
  }
  if (has_fault (self, "nothing") || (has_fault (self, "last-slot")
          && slot == self->trailer.batch - 1))
    return;
  find_boxes (self, image, boxes);
  match_phrases (self, features, text_mask, boxes, logits, out);
  if (has_fault (self, "nan"))
    for (int64_t i = 0; i < self->trailer.queries * tokens; i++)
      logits[i] = NAN;
  if (has_fault (self, "nan-box"))
    out[0] = NAN;
  if (has_fault (self, "far-box"))
    out[0] = 1.5f;
}

static void
frame_values (const FakeModel * self, void **inputs, float *logits, float *out)
{
  const int64_t n = self->trailer.queries;

  for (int32_t slot = 0; slot < self->trailer.batch; slot++)
    slot_values (self, slot, inputs, logits + slot * n * self->trailer.tokens,
        out + slot * n * 4);
}

static int32_t
run_frame (const FakeModel * self, void **inputs, void **outputs)
{
  const int64_t tokens = self->trailer.tokens;
  const int64_t features = self->trailer.features;
  const int64_t n = self->trailer.batch;
  const int64_t image[] = { n, self->trailer.height, self->trailer.width, 3 };
  const int64_t text[] = { n, tokens, features };
  const int64_t square[] = { n, tokens, tokens };
  const int64_t logits[] = { n, self->trailer.queries, tokens };
  const int64_t boxes[] = { n, self->trailer.queries, 4 };

  if (!input_is (self, inputs[0], FAKE_DTYPE_UINT8, 4, image)
      || !input_is (self, inputs[1], FAKE_DTYPE_FLOAT32, 3, text)
      || !input_is (self, inputs[2], FAKE_DTYPE_FLOAT32, 3, text)
      || !input_is (self, inputs[3], FAKE_DTYPE_BOOL, 2, text)
      || !input_is (self, inputs[4], FAKE_DTYPE_BOOL, 3, square))
    return fail ("fake frame graph: an input is not as expected");
  outputs[0] = make_output (self, 3, logits, true);
  if (has_fault (self, "run-late"))
    return fail ("fake frame graph: runs fail late on demand");
  outputs[1] = make_output (self, 3, boxes, false);
  if (outputs[0] == NULL || outputs[1] == NULL)
    return has_fault (self, "output-null") ? 0 : fail ("fake: no memory");
  if (!has_fault (self, "output-strides"))
    frame_values (self, inputs, data_of (outputs[0]), data_of (outputs[1]));
  return 0;
}

/* Counts the run, keeps its place in the order, and takes its time. Returns
 * whether it is one of those asked to fail. */
static bool
begin_frame (void **inputs)
{
  FakeControl *control = fake_torch_control ();
  int32_t run = ADD (frame_runs, 1);
  int32_t running = ADD (running, 1);
  int32_t most = LOAD (most_running);
  if (run <= 1024)
    control->order[run - 1] = *(const uint8_t *) data_of (inputs[0]);
  while (running > most && !__atomic_compare_exchange_n (&control->most_running,
          &most, running, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  usleep ((useconds_t) LOAD (delay_us));
  ADD (running, -1);
  return !fake_take_one (&control->skip_runs)
      && fake_take_one (&control->fail_runs);
}

int32_t
AOTInductorModelContainerRun (void *container, void **inputs, size_t n_inputs,
    void **outputs, size_t n_outputs, void *stream, void *proxy)
{
  FakeModel *self = container;
  bool must_fail = has_fault (self, "run");
  int32_t code;

  last_error = "";
  if (self->trailer.is_frame) {
    must_fail = begin_frame (inputs) || must_fail;
  } else {
    ADD (text_runs, 1);
    usleep ((useconds_t) LOAD (text_delay_us));
  }
  if (must_fail)
    code = fail ("fake graph: this run fails on demand");
  else if (self->trailer.is_frame)
    code = run_frame (self, inputs, outputs);
  else
    code = run_text (self, inputs, outputs);
  /* Inputs are the graph's from the call on, whatever happens. */
  for (size_t i = 0; i < n_inputs; i++)
    aoti_torch_delete_tensor_object (inputs[i]);
  return code;
}
