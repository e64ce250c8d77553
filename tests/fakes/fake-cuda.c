/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Stands for libtorch_cuda: says how many devices there are. */

#include "fake-control.h"

#define EXPORT __attribute__ ((visibility ("default")))

EXPORT int cudaGetDeviceCount (int *count);

int
cudaGetDeviceCount (int *count)
{
  *count = __atomic_load_n (&fake_torch_control ()->cuda_devices,
      __ATOMIC_SEQ_CST);
  return *count > 0 ? 0 : 100;  /* cudaErrorNoDevice */
}
