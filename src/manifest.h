/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* manifest.json of a model package. Knows no file and no folder. */
#pragma once

#include <glib.h>

#include "graph.h"

G_BEGIN_DECLS

#define GDINO_MANIFEST_FORMAT 1

/* Limits of what a manifest may say; docs/model-package.md lists them. */
#define GDINO_MANIFEST_MAX_BYTES (1024 * 1024)
#define GDINO_MANIFEST_MAX_DEPTH 16
#define GDINO_MANIFEST_MAX_STRING 4096
#define GDINO_MANIFEST_MIN_CANVAS 32
#define GDINO_MANIFEST_MAX_CANVAS 8192
#define GDINO_MANIFEST_MAX_BATCH 64
#define GDINO_MANIFEST_MAX_QUERIES 10000
#define GDINO_MANIFEST_MIN_TEXT_TOKENS 4
#define GDINO_MANIFEST_MAX_TEXT_TOKENS 4096
#define GDINO_MANIFEST_MAX_FEATURES 4096
#define GDINO_MANIFEST_MAX_TOKEN_ID 0xFFFFFF
#define GDINO_MANIFEST_MAX_CPU_FEATURES 512
#define GDINO_MANIFEST_MAX_FILES 64
#define GDINO_MANIFEST_MAX_FILE_SIZE (G_GUINT64_CONSTANT (1) << 40)
#define GDINO_MANIFEST_MAX_TENSOR_BYTES ((gsize) 1 << 30)

typedef struct
{
  char *name;                   /* plain name, no folder */
  guint64 size;
  char *sha256;                 /* 64 lower-case hex digits */
} GdinoManifestFile;

typedef struct
{
  char *generator;
  char *source_name;
  char *source_sha256;
  char *licence;                /* (nullable) */
  guint width, height;          /* of the canvas */
  guint8 pad[3];
  double mean[3], std[3];
  guint batch;                  /* B */
  char *precision;              /* "fp32" or "bf16" */
  guint queries;                /* Q */
  guint text_tokens;            /* T */
  guint features;               /* D */
  char *vocabulary;             /* file name */
  guint pad_id, unk_id, cls_id, sep_id;
  char *text_file, *frame_file;
  GdinoGraphInfo text, frame;   /* their paths are NULL */
  char *device;                 /* "cpu" or "cuda" */
  char *arch;
  char **cpu_features;          /* NULL-terminated */
  char *compute_capability;     /* (nullable) such as "9.0" */
  char *torch_version;
  char *torch_library_dir;      /* (nullable) absolute */
  float box_threshold, text_threshold;
  char *probe;                  /* (nullable) file name */
  guint n_files;
  GdinoManifestFile files[GDINO_MANIFEST_MAX_FILES];
} GdinoManifest;

/* Reads @length bytes of JSON, which need not end with a NUL. Everything in the
 * result has been checked. Messages begin with the member concerned, such as
 * graphs.frame.inputs[0].shape.
 * Returns: (transfer full) (nullable): NULL with GDINO_ERROR_CORRUPT, or
 *   GDINO_ERROR_INCOMPATIBLE for a sound manifest that this version cannot use.
 * Thread-safety: Safe. */
GdinoManifest *gdino_manifest_parse (const char *data, gsize length,
    GError ** error);

/* @self: (nullable) */
void gdino_manifest_free (GdinoManifest * self);

/* The entry of @name, or NULL. */
const GdinoManifestFile *gdino_manifest_find_file (const GdinoManifest * self,
    const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GdinoManifest, gdino_manifest_free)

G_END_DECLS
