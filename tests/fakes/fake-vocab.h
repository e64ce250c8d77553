/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* First lines of the fake vocabulary; the fake graphs know words by number.
 * The letters a to z and ##a to ##z follow, so that any other word in Latin
 * letters is spelled, and one in other letters or with digits is [UNK]. */
#pragma once

#define FAKE_PAD 0
#define FAKE_UNK 1
#define FAKE_CLS 2
#define FAKE_SEP 3
#define FAKE_MASK 4
#define FAKE_PERIOD 5
#define FAKE_QUESTION 6
#define FAKE_FIRST_COLOUR 7     /* "red" */
#define FAKE_N_COLOURS 8

static const char *const fake_words[] = {
  "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", "?",
  "red", "green", "blue", "white", "black", "yellow", "cyan", "magenta",
  ",", ";", "-", "a", "an", "the", "of", "and", "car", "cat", "dog", "ball",
  "box", "square", "##s", "person", "remote", "control", "flag", "big",
};
