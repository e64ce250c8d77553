/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* A shared object that stands for libtorch: the aoti_torch_* functions that a
 * host and a graph need, over plain memory. It counts live handles and fails
 * on demand (fake-control.h). Variants by macro:
 *   FAKE_VERSION      what aoti_torch_abi_version() says, as 0xMMmm
 *   FAKE_NO_VERSION   leaves that function out, as torch 2.6 does
 *   FAKE_NO_STRIDES   leaves out a function that the host cannot do without */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fake-control.h"

#ifndef FAKE_VERSION
#define FAKE_VERSION 0x020D     /* 2.13 */
#endif

#define MAX_RANK 8
#define EXPORT __attribute__ ((visibility ("default")))

typedef struct
{
  void *data;
  void *owned;                  /* what to free with the handle */
  int64_t rank;
  int64_t sizes[MAX_RANK];
  int64_t strides[MAX_RANK];
  int32_t dtype;
  int32_t device_type;
  int32_t device_index;
} FakeTensor;

EXPORT uint64_t aoti_torch_abi_version (void);
EXPORT int32_t aoti_torch_device_type_cpu (void);
EXPORT int32_t aoti_torch_device_type_cuda (void);
EXPORT int32_t aoti_torch_dtype_uint8 (void);
EXPORT int32_t aoti_torch_dtype_int64 (void);
EXPORT int32_t aoti_torch_dtype_float32 (void);
EXPORT int32_t aoti_torch_dtype_float64 (void);
EXPORT int32_t aoti_torch_dtype_bool (void);
EXPORT int32_t aoti_torch_create_tensor_from_blob (void *data, int64_t rank,
    const int64_t * sizes, const int64_t * strides, int64_t offset,
    int32_t dtype, int32_t device_type, int32_t device_index, void **handle);
EXPORT int32_t aoti_torch_empty_strided (int64_t rank, const int64_t * sizes,
    const int64_t * strides, int32_t dtype, int32_t device_type,
    int32_t device_index, void **handle);
EXPORT int32_t aoti_torch_copy_ (void *target, void *source,
    int32_t non_blocking);
EXPORT int32_t aoti_torch_delete_tensor_object (void *handle);
EXPORT int32_t aoti_torch_get_data_ptr (void *handle, void **data);
EXPORT int32_t aoti_torch_get_dim (void *handle, int64_t * rank);
EXPORT int32_t aoti_torch_get_sizes (void *handle, int64_t ** sizes);
EXPORT int32_t aoti_torch_get_strides (void *handle, int64_t ** strides);
EXPORT int32_t aoti_torch_get_dtype (void *handle, int32_t * dtype);
EXPORT int32_t aoti_torch_get_device_type (void *handle, int32_t * type);
EXPORT FakeControl *fake_torch_control (void);

static FakeControl control;

FakeControl *
fake_torch_control (void)
{
  return &control;
}

#ifndef FAKE_NO_VERSION
uint64_t
aoti_torch_abi_version (void)
{
  return (uint64_t) FAKE_VERSION << 48;
}
#endif

int32_t
aoti_torch_device_type_cpu (void)
{
  return FAKE_DEVICE_CPU;
}

int32_t
aoti_torch_device_type_cuda (void)
{
  return FAKE_DEVICE_CUDA;
}

int32_t
aoti_torch_dtype_uint8 (void)
{
  return FAKE_DTYPE_UINT8;
}

int32_t
aoti_torch_dtype_int64 (void)
{
  return FAKE_DTYPE_INT64;
}

int32_t
aoti_torch_dtype_float32 (void)
{
  return FAKE_DTYPE_FLOAT32;
}

int32_t
aoti_torch_dtype_float64 (void)
{
  return FAKE_DTYPE_FLOAT64;
}

int32_t
aoti_torch_dtype_bool (void)
{
  return FAKE_DTYPE_BOOL;
}

static size_t
element_size (int32_t dtype)
{
  switch (dtype) {
    case FAKE_DTYPE_INT64:
    case FAKE_DTYPE_FLOAT64:
      return 8;
    case FAKE_DTYPE_FLOAT32:
      return 4;
    default:
      return 1;
  }
}

/* Whether this allocation is one of those asked to fail. */
static bool
must_fail (void)
{
  return !fake_take_one (&control.skip_allocations)
      && fake_take_one (&control.fail_allocations);
}

static FakeTensor *
tensor_new (int64_t rank, const int64_t * sizes, const int64_t * strides,
    int32_t dtype, int32_t device_type, int32_t device_index)
{
  FakeTensor *self;

  if (rank < 0 || rank > MAX_RANK || must_fail ())
    return NULL;
  self = calloc (1, sizeof *self);
  if (self == NULL)
    return NULL;
  self->rank = rank;
  memcpy (self->sizes, sizes, (size_t) rank * sizeof *sizes);
  memcpy (self->strides, strides, (size_t) rank * sizeof *strides);
  self->dtype = dtype;
  self->device_type = device_type;
  self->device_index = device_index;
  __atomic_add_fetch (&control.live_tensors, 1, __ATOMIC_SEQ_CST);
  return self;
}

int32_t
aoti_torch_create_tensor_from_blob (void *data, int64_t rank,
    const int64_t * sizes, const int64_t * strides, int64_t offset,
    int32_t dtype, int32_t device_type, int32_t device_index, void **handle)
{
  FakeTensor *self;

  if (offset != 0)
    return 1;
  self = tensor_new (rank, sizes, strides, dtype, device_type, device_index);
  if (self == NULL)
    return 1;
  self->data = data;
  *handle = self;
  return 0;
}

int32_t
aoti_torch_empty_strided (int64_t rank, const int64_t * sizes,
    const int64_t * strides, int32_t dtype, int32_t device_type,
    int32_t device_index, void **handle)
{
  FakeTensor *self;
  size_t last = 0;

  self = tensor_new (rank, sizes, strides, dtype, device_type, device_index);
  if (self == NULL)
    return 1;
  for (int64_t i = 0; i < rank; i++)
    last += (size_t) (sizes[i] - 1) * (size_t) strides[i];
  self->owned = calloc (last + 1, element_size (dtype));
  self->data = self->owned;
  *handle = self;
  return 0;
}

int32_t
aoti_torch_copy_ (void *target, void *source, int32_t non_blocking)
{
  FakeTensor *to = target;
  FakeTensor *from = source;
  size_t count = 1;

  if (to->rank != from->rank || to->dtype != from->dtype)
    return 1;
  for (int64_t i = 0; i < to->rank; i++) {
    if (to->sizes[i] != from->sizes[i] || to->strides[i] != from->strides[i])
      return 1;
    count *= (size_t) to->sizes[i];
  }
  memcpy (to->data, from->data, count * element_size (to->dtype));
  return 0;
}

int32_t
aoti_torch_delete_tensor_object (void *handle)
{
  FakeTensor *self = handle;

  if (self != NULL) {
    free (self->owned);
    free (self);
    __atomic_sub_fetch (&control.live_tensors, 1, __ATOMIC_SEQ_CST);
  }
  return 0;
}

int32_t
aoti_torch_get_data_ptr (void *handle, void **data)
{
  *data = ((FakeTensor *) handle)->data;
  return 0;
}

int32_t
aoti_torch_get_dim (void *handle, int64_t * rank)
{
  *rank = ((FakeTensor *) handle)->rank;
  return 0;
}

int32_t
aoti_torch_get_sizes (void *handle, int64_t ** sizes)
{
  *sizes = ((FakeTensor *) handle)->sizes;
  return 0;
}

#ifndef FAKE_NO_STRIDES
int32_t
aoti_torch_get_strides (void *handle, int64_t ** strides)
{
  *strides = ((FakeTensor *) handle)->strides;
  return 0;
}
#endif

int32_t
aoti_torch_get_dtype (void *handle, int32_t * dtype)
{
  *dtype = ((FakeTensor *) handle)->dtype;
  return 0;
}

int32_t
aoti_torch_get_device_type (void *handle, int32_t * type)
{
  *type = ((FakeTensor *) handle)->device_type;
  return 0;
}
