/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* What a prompt became, for people: as JSON, and as hints. */
#pragma once

#include <gdino/prompt.h>
#include <gdino/tokenizer.h>
#include <json-glib/json-glib.h>

/* Returns: (transfer full): an object; --help of gdino-prompt says what is in
 * it. */
JsonNode *prompt_report_new (GdinoPrompt * prompt, GdinoTokenizer * tokenizer);

/* Returns: (transfer full): one sentence for each thing that may not be meant;
 * possibly empty. */
GStrv prompt_report_hints (GdinoPrompt * prompt);
