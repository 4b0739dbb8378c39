/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/pack.h"

#include "patches/git/sha1.h"

#include <zlib.h>

#define OFS_DELTA 6
#define MAX_COPY 0xffffu /* of one instruction */
#define MAX_INSERT 127u
#define LEAST_DELTA 64u /* bytes; git takes none of less than four */

struct packing {
	const struct pack_object *objects;
	size_t *offsets; /* of the objects in the pack */
	struct strbuf *pack;
	struct strbuf delta; /* of the object at hand */
	z_stream z;
};

static void add_number(struct strbuf *out, uint32_t v)
{
	const unsigned char bytes[4] = {(unsigned char)(v >> 24), (unsigned char)(v >> 16),
		(unsigned char)(v >> 8), (unsigned char)v};

	(void)strbuf_add(out, bytes, sizeof(bytes));
}

static void add_sum(struct strbuf *out)
{
	struct sha1 h;
	uint8_t sum[20];

	sha1_init(&h);
	sha1_add(&h, out->buf, out->len);
	sha1_end(&h, sum);
	(void)strbuf_add(out, sum, sizeof(sum));
}

/* --- what makes one object of another */

/* Bytes that both begin with. */
static size_t common_start(const char *a, const char *b, size_t max)
{
	size_t n = 0;

	while (n + 64 <= max && memcmp(a + n, b + n, 64) == 0)
		n += 64;
	while (n < max && a[n] == b[n])
		n++;
	return n;
}

/* Bytes that both end with; a and b are the ends. */
static size_t common_end(const char *a, const char *b, size_t max)
{
	size_t n = 0;

	while (n + 64 <= max && memcmp(a - n - 64, b - n - 64, 64) == 0)
		n += 64;
	while (n < max && a[-(ptrdiff_t)n - 1] == b[-(ptrdiff_t)n - 1])
		n++;
	return n;
}

static void add_size(struct strbuf *out, size_t v)
{
	for (; v > 0x7f; v >>= 7)
		(void)strbuf_addc(out, (char)(0x80 | (v & 0x7f)));
	(void)strbuf_addc(out, (char)v);
}

static void add_copy(struct strbuf *out, size_t offset, size_t len)
{
	while (len) {
		size_t n = MIN_OF(len, (size_t)MAX_COPY);
		const unsigned char op[7] = {0xbf, (unsigned char)offset,
			(unsigned char)(offset >> 8), (unsigned char)(offset >> 16),
			(unsigned char)(offset >> 24), (unsigned char)n, (unsigned char)(n >> 8)};

		(void)strbuf_add(out, op, sizeof(op));
		offset += n;
		len -= n;
	}
}

static void add_insert(struct strbuf *out, const char *p, size_t len)
{
	while (len) {
		size_t n = MIN_OF(len, (size_t)MAX_INSERT);

		(void)strbuf_addc(out, (char)n);
		(void)strbuf_add(out, p, n);
		p += n;
		len -= n;
	}
}

/* False where it would not be worth it. */
static bool make_delta(
	const struct pack_object *from, const struct pack_object *to, struct strbuf *out)
{
	const char *a = from->data;
	const char *b = to->data;
	size_t least = MIN_OF(from->len, to->len);
	size_t start = least ? common_start(a, b, least) : 0;
	size_t end = least > start ? common_end(a + from->len, b + to->len, least - start) : 0;

	strbuf_truncate(out, 0);
	if (to->len < LEAST_DELTA || start + end < to->len / 2 || from->len > UINT32_MAX)
		return false;
	add_size(out, from->len);
	add_size(out, to->len);
	add_copy(out, 0, start);
	add_insert(out, b + start, to->len - start - end);
	add_copy(out, from->len - end, end);
	return true;
}

/* --- the pack */

static void add_header(struct strbuf *out, int type, size_t len)
{
	unsigned char c = (unsigned char)((unsigned)type << 4 | (len & 15));

	for (len >>= 4; len; len >>= 7) {
		(void)strbuf_addc(out, (char)(c | 0x80));
		c = (unsigned char)(len & 0x7f);
	}
	(void)strbuf_addc(out, (char)c);
}

/* How far back the other object is: seven bits a byte, the highest first, each but the last one
 * less than it says. */
static void add_distance(struct strbuf *out, size_t distance)
{
	unsigned char bytes[10];
	size_t at = sizeof(bytes) - 1;

	bytes[at] = (unsigned char)(distance & 0x7f);
	while (distance >>= 7)
		bytes[--at] = (unsigned char)(0x80 | (--distance & 0x7f));
	(void)strbuf_add(out, bytes + at, sizeof(bytes) - at);
}

static int add_packed(struct packing *p, const void *data, size_t len)
{
	unsigned char buf[16384];
	int r;

	(void)deflateReset(&p->z);
	p->z.next_in = (Bytef *)(uintptr_t)data;
	p->z.avail_in = (uInt)len;
	do {
		p->z.next_out = buf;
		p->z.avail_out = sizeof(buf);
		r = deflate(&p->z, Z_FINISH);
		(void)strbuf_add(p->pack, buf, sizeof(buf) - p->z.avail_out);
	} while (r == Z_OK);
	return r == Z_STREAM_END ? 0 : ERR_STATE;
}

static int add_object(struct packing *p, size_t i)
{
	const struct pack_object *o = &p->objects[i];
	size_t start = p->pack->len;

	p->offsets[i] = start;
	if (o->like != PACK_NONE && make_delta(&p->objects[o->like], o, &p->delta)) {
		add_header(p->pack, OFS_DELTA, p->delta.len);
		add_distance(p->pack, start - p->offsets[o->like]);
		return add_packed(p, p->delta.buf, p->delta.len);
	}
	add_header(p->pack, o->type, o->len);
	return add_packed(p, o->data, o->len);
}

int pack_fill(const struct pack_object *objects, size_t n, struct strbuf *out, struct error *e)
{
	AUTO_FREE size_t *offsets = xcalloc(n, sizeof(*offsets));
	struct packing p = {.objects = objects, .offsets = offsets, .pack = out};
	int r = 0;

	/* The one-time set-up costs as much as packing a small object. */
	if (deflateInit(&p.z, Z_BEST_SPEED) != Z_OK)
		return error_set(e, ERR_STATE, "zlib does not start");
	strbuf_init(&p.delta, out->max);
	(void)strbuf_add(out, "PACK\0\0\0\2", 8);
	add_number(out, (uint32_t)n);
	for (size_t i = 0; i < n && !r; i++)
		r = add_object(&p, i);
	add_sum(out);
	(void)deflateEnd(&p.z);
	strbuf_done(&p.delta);
	if (r)
		return error_set(e, r, "zlib does not pack");
	return out->overflow ? error_set(e, ERR_LIMIT, "a pack has more than %zu bytes", out->max)
			     : 0;
}
