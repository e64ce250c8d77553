/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* The whole public interface of libgdino. The library knows GLib and libc;
 * it does not know GStreamer, and opens libtorch at run time only. */
#pragma once

#include <gdino/detection.h>
#include <gdino/detector.h>
#include <gdino/engine.h>
#include <gdino/error.h>
#include <gdino/export.h>
#include <gdino/inspect.h>
#include <gdino/letterbox.h>
#include <gdino/package.h>
#include <gdino/probe.h>
#include <gdino/prompt.h>
#include <gdino/tokenizer.h>
#include <gdino/types.h>
