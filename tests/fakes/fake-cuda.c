/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Stands for libtorch_cuda: says how many devices there are, and that 5 MiB are
 * free. */

#include "fake-control.h"

#include <stddef.h>

#define EXPORT __attribute__ ((visibility ("default")))

EXPORT int cudaGetDeviceCount (int *count);
EXPORT int cudaMemGetInfo (size_t *bytes, size_t *total);

int
cudaGetDeviceCount (int *count)
{
  *count = __atomic_load_n (&fake_torch_control ()->cuda_devices,
      __ATOMIC_SEQ_CST);
  return *count > 0 ? 0 : 100;  /* cudaErrorNoDevice */
}

int
cudaMemGetInfo (size_t *bytes, size_t *total)
{
  *bytes = 5 * 1024 * 1024;
  *total = 2 * *bytes;
  return 0;
}
