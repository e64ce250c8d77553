/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* Packages made of fake graphs, and the strings that pull them. GLib only. */
#pragma once

#include <glib.h>

#include "fake-control.h"
#include "fake-vocab.h"

G_BEGIN_DECLS

/* Zero or NULL stands for the default in brackets. */
typedef struct
{
  guint width, height;          /* of the canvas [448, 256] */
  guint batch;                  /* [1] */
  guint queries;                /* [20] */
  guint text_tokens;            /* [64] */
  guint features;               /* [8] */
  const char *device;           /* ["cpu"] */
  const char *torch_version;    /* ["2.13.0"] */
  const char *torch_library_dir;        /* [a folder that does not exist] */
  const char *arch;             /* [this machine's] */
  const char *cpu_features;     /* as JSON, [[]] */
  const char *precision;        /* [not said] */
  const char *licence;          /* [not said] */
  const char *compute_capability;       /* [not said] */
  const char *probe;            /* content of probe.json [no such file] */
  const char *graph_file;       /* copied, [the fake graph] */
  const char *text_fault;       /* see fake-model.c [none] */
  const char *frame_fault;
} GdinoFakeOptions;

/* Writes a package into a new folder in @parent_dir (NULL: the folder for
 * temporary files). Aborts when it cannot. Returns: (transfer full): its path */
char *gdino_fake_package_new (const char *parent_dir,
    const GdinoFakeOptions * options);

/* Writes size and SHA-256 of every file anew into the manifest, so that an
 * edited package passes the checks. */
void gdino_fake_package_sign (const char *path);

/* Replaces the first @from in the manifest by @to; aborts without one. */
void gdino_fake_package_edit (const char *path, const char *from,
    const char *to);

/* Removes a folder with all that is in it. */
void gdino_fake_package_remove (const char *path);

/* Path of something the build made in tests/fakes, such as "torch" (a folder
 * with a complete libtorch) or "fake-model.so". (transfer full) */
char *gdino_fake_path (const char *name);

/* Points GDINO_TORCH_LIB_DIR at the complete fake libtorch. Call first. */
void gdino_fake_use_torch (void);

/* The counters and faults of the complete fake libtorch in this process; loads
 * it if need be. Lives for ever. */
FakeControl *gdino_fake_control (void);

#define gdino_fake_get(member) \
  __atomic_load_n (&gdino_fake_control ()->member, __ATOMIC_SEQ_CST)
#define gdino_fake_set(member, value) \
  __atomic_store_n (&gdino_fake_control ()->member, value, __ATOMIC_SEQ_CST)

G_END_DECLS
