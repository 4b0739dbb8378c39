/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/similarity.h"

#define SPAN_BYTES 64
#define BINARY_PROBE 8000

static int compare_spans(const void *a, const void *b)
{
	uint64_t x = ((const struct span *)a)->hash;
	uint64_t y = ((const struct span *)b)->hash;

	return (x > y) - (x < y);
}

/* Lines of one hash become one span. */
static void fold(struct spans *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->list, s->n, sizeof(*s->list), compare_spans);
	for (size_t i = 0; i < s->n; i++) {
		if (n && s->list[n - 1].hash == s->list[i].hash)
			s->list[n - 1].bytes += s->list[i].bytes;
		else
			s->list[n++] = s->list[i];
	}
	s->n = n;
}

void spans_init(struct spans *s, const char *data, size_t len)
{
	bool text = !memchr(data, '\0', MIN_OF(len, (size_t)BINARY_PROBE));
	uint64_t hash = 0xcbf29ce484222325;
	size_t bytes = 0;
	size_t room = 0;

	*s = (struct spans){.size = len};
	for (size_t i = 0; i < len; i++) {
		/* CRLF and LF are the same line. */
		if (text && data[i] == '\r' && i + 1 < len && data[i + 1] == '\n')
			continue;
		hash = (hash ^ (unsigned char)data[i]) * 0x100000001b3;
		/* What is left at the end without a newline does not count, as in git. */
		if (++bytes < SPAN_BYTES && data[i] != '\n')
			continue;
		if (s->n == room) {
			room = room ? room * 2 : 64;
			s->list = xreallocarray(s->list, room, sizeof(*s->list));
		}
		s->list[s->n++] = (struct span){hash, bytes};
		hash = 0xcbf29ce484222325;
		bytes = 0;
	}
	fold(s);
}

void spans_done(struct spans *s)
{
	free(s->list);
	*s = (struct spans){0};
}

unsigned similarity(const struct spans *from, const struct spans *to, unsigned least)
{
	uint64_t max = MAX_OF(from->size, to->size);
	uint64_t delta = max - MIN_OF(from->size, to->size);
	uint64_t copied = 0;
	size_t j = 0;

	if (!to->size || max * (SIMILARITY_MAX - least) < delta * SIMILARITY_MAX)
		return 0;
	for (size_t i = 0; i < from->n; i++) {
		while (j < to->n && to->list[j].hash < from->list[i].hash)
			j++;
		if (j < to->n && to->list[j].hash == from->list[i].hash)
			copied += MIN_OF(from->list[i].bytes, to->list[j].bytes);
	}
	return (unsigned)(copied * SIMILARITY_MAX / max);
}
