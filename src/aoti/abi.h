/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Our own declarations of the C functions used of libtorch and of graphs
 * compiled by AOTInductor. torch's headers for them are C++, so they cannot be
 * included here; the functions themselves take plain C types. Compared with
 * torch 2.6 and 2.13 (torch/csrc/inductor/aoti_torch/c/shim.h and
 * torch/csrc/inductor/aoti_runtime/interface.h). All that return an int32_t
 * return 0 for success unless said otherwise. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct AtenTensor AtenTensor;   /* a tensor handle */
typedef struct AotiContainer AotiContainer;     /* a loaded graph */

/* libtorch_cpu. Name here, result, name there behind aoti_torch_, arguments. */
#define GDINO_TORCH_REQUIRED(F) \
  F (device_type_cpu, int32_t, (void)) \
  F (device_type_cuda, int32_t, (void)) \
  F (dtype_bool, int32_t, (void)) \
  F (dtype_uint8, int32_t, (void)) \
  F (dtype_int64, int32_t, (void)) \
  F (dtype_float32, int32_t, (void)) \
  /* Borrows @data until the handle and all made of it are deleted. */ \
  F (create_tensor_from_blob, int32_t, (void *data, int64_t rank, \
          const int64_t *sizes, const int64_t *strides, int64_t offset, \
          int32_t dtype, int32_t device_type, int32_t device_index, \
          AtenTensor **tensor)) \
  F (empty_strided, int32_t, (int64_t rank, const int64_t *sizes, \
          const int64_t *strides, int32_t dtype, int32_t device_type, \
          int32_t device_index, AtenTensor **tensor)) \
  F (copy_, int32_t, (AtenTensor *target, AtenTensor *source, \
          int32_t non_blocking)) \
  F (delete_tensor_object, int32_t, (AtenTensor *tensor)) \
  /* What these give is borrowed from the tensor. */ \
  F (get_data_ptr, int32_t, (AtenTensor *tensor, void **data)) \
  F (get_dim, int32_t, (AtenTensor *tensor, int64_t *rank)) \
  F (get_sizes, int32_t, (AtenTensor *tensor, int64_t **sizes)) \
  F (get_strides, int32_t, (AtenTensor *tensor, int64_t **strides)) \
  F (get_dtype, int32_t, (AtenTensor *tensor, int32_t *dtype)) \
  F (get_device_type, int32_t, (AtenTensor *tensor, int32_t *type))

/* Absent in torch 2.6: major, minor and patch in the three highest bytes. */
#define GDINO_TORCH_OPTIONAL(F) \
  F (abi_version, uint64_t, (void))

/* A graph. Name here, name there, arguments. */
#define GDINO_AOTI_REQUIRED(F) \
  F (create, "AOTInductorModelContainerCreateWithDevice", \
      (AotiContainer **container, size_t n_models, const char *device, \
          const char *cubin_dir)) \
  F (destroy, "AOTInductorModelContainerDelete", (AotiContainer *container)) \
  /* Takes the input handles, also when it fails, and gives output handles. */ \
  F (run, "AOTInductorModelContainerRun", (AotiContainer *container, \
          AtenTensor **inputs, size_t n_inputs, AtenTensor **outputs, \
          size_t n_outputs, void *stream, void *proxy_executor)) \
  F (get_n_inputs, "AOTInductorModelContainerGetNumInputs", \
      (AotiContainer *container, size_t *count)) \
  F (get_n_outputs, "AOTInductorModelContainerGetNumOutputs", \
      (AotiContainer *container, size_t *count))

/* Absent in torch 2.6: text of the last failure in this thread, borrowed. */
#define GDINO_AOTI_OPTIONAL(F) \
  F (get_last_error, "AOTInductorGetLastError", (const char **message))
