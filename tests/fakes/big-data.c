/* SPDX-License-Identifier: LGPL-2.1-or-later
 * SPDX-FileCopyrightText: 2026 The gst-gdino authors */

/* A shared object with 4 MiB that are only read and some that are written. */

#define SIZE (4 * 1024 * 1024)

extern const unsigned char big_constant[SIZE];
extern unsigned char big_variable[SIZE];

const unsigned char big_constant[SIZE] = { 1, 2, 3,[SIZE / 2] = 4,[SIZE - 1] = 5
};

unsigned char big_variable[SIZE] = { 6, 7, 8 };
