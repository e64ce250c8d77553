/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What the fake libtorch, the fake graphs and the tests share in a process.
 * Every member is read and written with the __atomic built-ins. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct
{
  int32_t live_tensors;         /* handles made and not yet deleted */
  int32_t live_containers;
  int32_t created_containers;
  int32_t text_runs;            /* runs begun */
  int32_t frame_runs;
  int32_t running;              /* runs in progress now */
  int32_t most_running;         /* most of them at one time */
  int32_t delay_us;             /* each frame run sleeps so long */
  int32_t text_delay_us;        /* and each text run so long */
  int32_t create_delay_us;      /* each creation sleeps so long */
  int32_t skip_runs;            /* so many of the next frame runs go well */
  int32_t fail_runs;            /* and so many after them fail */
  int32_t fail_creations;       /* so many of the next containers find no memory */
  int32_t skip_allocations;     /* so many of the next tensors are made */
  int32_t fail_allocations;     /* and so many after them fail */
  int32_t cuda_devices;         /* what cudaGetDeviceCount says */
  int32_t order[1024];          /* first canvas byte of each frame run */
} FakeControl;

/* Exported by the fake libtorch. */
FakeControl *fake_torch_control (void);

/* Counts a member down to 0; returns whether it was above. */
static inline bool
fake_take_one (int32_t * counter)
{
  int32_t left = __atomic_load_n (counter, __ATOMIC_SEQ_CST);

  while (left > 0) {
    if (__atomic_compare_exchange_n (counter, &left, left - 1, false,
            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      return true;
  }
  return false;
}

/* Tensors made with a device type other than this one lie in "device" memory. */
#define FAKE_DEVICE_CPU 0
#define FAKE_DEVICE_CUDA 1

/* The numbers torch uses; only fakes may know them. */
#define FAKE_DTYPE_UINT8 0
#define FAKE_DTYPE_INT64 4
#define FAKE_DTYPE_FLOAT32 6
#define FAKE_DTYPE_FLOAT64 7
#define FAKE_DTYPE_BOOL 11

#define FAKE_TRAILER_MAGIC "GDINO-FAKE-GRAPH"

/* Lies at the very end of each copy of the fake graph, and makes it this one. */
typedef struct
{
  char magic[16];
  int32_t is_frame;
  int32_t batch;
  int32_t width;
  int32_t height;
  int32_t queries;
  int32_t tokens;
  int32_t features;
  char fault[32];
} FakeTrailer;
