/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include <limits.h>
#include <stdio.h>
#include <time.h>

uint64_t clock_mono_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

int64_t clock_mono_ms(void)
{
	return (int64_t)(clock_mono_ns() / 1000000U);
}

int64_t clock_unix_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

const char *clock_iso(int64_t unix_ms, char *buf)
{
	int64_t ms = ((unix_ms % 1000) + 1000) % 1000;
	time_t seconds = (time_t)((unix_ms - ms) / 1000);
	struct tm tm;
	char date[24];

	if (!gmtime_r(&seconds, &tm) || !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm))
		snprintf(date, sizeof(date), "0000-00-00T00:00:00");
	snprintf(buf, 32, "%s.%03dZ", date, (int)ms);
	return buf;
}

int clock_poll_ms(int64_t deadline_ms)
{
	int64_t left;

	if (deadline_ms < 0)
		return -1;
	left = deadline_ms - clock_mono_ms();
	if (left <= 0)
		return 0;
	return left > INT_MAX ? INT_MAX : (int)left;
}
