/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clocks. Deadlines are monotonic milliseconds; stored times are Unix milliseconds, UTC. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t clock_mono_ms(void);
uint64_t clock_mono_ns(void);
int64_t clock_unix_ms(void);
/* "2026-11-30T17:12:44.123Z" into buf of at least 32 bytes; returns buf. */
const char *clock_iso(int64_t unix_ms, char *buf);
/* Milliseconds until a monotonic deadline for poll(): 0 if past, -1 for deadline_ms < 0. */
int clock_poll_ms(int64_t deadline_ms);

#endif
