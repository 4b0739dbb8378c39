/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/binary.h"

#include "base/strbuf.h"
#include "patches/git/diff_internal.h"

#include <zlib.h>

/* Git's base 85 (RFC 1924's alphabet). */
static const char alphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			       "!#$%&()*+-;<=>?@^_`{|}~";

/* Five digits to four bytes. */
static bool decode_group(const char *p, unsigned char out[4])
{
	uint64_t v = 0;

	for (int i = 0; i < 5; i++) {
		const char *at = p[i] ? strchr(alphabet, p[i]) : NULL;

		if (!at)
			return false;
		v = v * 85 + (uint64_t)(at - alphabet);
	}
	if (v > UINT32_MAX)
		return false;
	for (int i = 3; i >= 0; i--) {
		out[i] = (unsigned char)v;
		v >>= 8;
	}
	return true;
}

/* One line: a letter for its length, then groups. */
static bool decode_line(const char *p, size_t len, struct strbuf *out)
{
	size_t bytes;
	size_t room;

	if (len < 7 || p[len - 1] != '\n' || (len - 2) % 5)
		return false;
	if (*p >= 'A' && *p <= 'Z')
		bytes = (size_t)(*p - 'A') + 1;
	else if (*p >= 'a' && *p <= 'z')
		bytes = (size_t)(*p - 'a') + 27;
	else
		return false;
	room = (len - 2) / 5 * 4;
	if (bytes > room || bytes + 4 <= room)
		return false;
	for (p++; bytes; p += 5) {
		unsigned char group[4];
		size_t n = MIN_OF(bytes, sizeof(group));

		if (!decode_group(p, group))
			return false;
		(void)strbuf_add(out, group, n);
		bytes -= n;
	}
	return true;
}

/* "literal N" or "delta N", its lines, and the empty line behind them. */
static int parse_one(struct scan *s, struct strbuf *packed, enum binary_kind *ret_kind,
	size_t *ret_unpacked, struct error *e)
{
	bool literal = scan_starts(s, "literal ");
	size_t size = 0;
	const char *p;
	int at = s->line;

	if (!literal && !scan_starts(s, "delta "))
		return ERR_MISSING;
	for (p = s->p + (literal ? 8 : 6); p < s->end && *p >= '0' && *p <= '9'; p++)
		if (size <= DIFF_MAX_BINARY)
			size = size * 10 + (size_t)(*p - '0');
	if (size > DIFF_MAX_BINARY)
		return error_set(e, ERR_LIMIT,
			"the binary patch at line %d unpacks to more than %zu bytes", at,
			DIFF_MAX_BINARY);
	scan_skip(s);
	while (s->p < s->end && *s->p != '\n') {
		if (!decode_line(s->p, scan_line(s), packed))
			return error_set(e, ERR_SYNTAX,
				"the binary patch is corrupt at line %d of the patch", s->line);
		scan_skip(s);
	}
	if (s->p < s->end)
		scan_skip(s);
	*ret_kind = literal ? BINARY_LITERAL : BINARY_DELTA;
	*ret_unpacked = size;
	return 0;
}

int binary_parse(struct scan *s, struct diff_file *f, struct error *e)
{
	AUTO_STRBUF struct strbuf packed;
	AUTO_STRBUF struct strbuf reverse;
	enum binary_kind kind;
	size_t size;
	int r;

	strbuf_init(&packed, (size_t)(s->end - s->p) + 16);
	strbuf_init(&reverse, (size_t)(s->end - s->p) + 16);
	r = parse_one(s, &packed, &f->binary, &f->unpacked_len, e);
	if (r == ERR_MISSING)
		return error_set(e, ERR_SYNTAX,
			"the binary patch at line %d of the patch is not one that git wrote",
			s->line);
	if (r)
		return r;
	f->packed = strbuf_detach(&packed, &f->packed_len);
	/* The way back, which is optional and not needed. */
	r = parse_one(s, &reverse, &kind, &size, e);
	return r == ERR_MISSING ? 0 : r;
}

static int unpack(const struct diff_file *f, char **ret_data, struct error *e)
{
	AUTO_FREE char *out = xmalloc(f->unpacked_len + 1);
	uLongf len = f->unpacked_len;

	if (uncompress((Bytef *)out, &len, (const Bytef *)f->packed, f->packed_len) != Z_OK ||
		len != f->unpacked_len)
		return error_set(e, ERR_SYNTAX, "the binary patch to \"%s\" does not unpack",
			diff_file_name(f));
	out[len] = '\0';
	*ret_data = steal_ptr(out);
	return 0;
}

/* A size in the delta's header: seven bits a byte, the lowest first. */
static bool delta_size(const unsigned char **p, const unsigned char *end, size_t *ret_size)
{
	size_t v = 0;
	unsigned shift = 0;
	unsigned char c;

	do {
		if (*p == end || shift > 56)
			return false;
		c = *(*p)++;
		v |= (size_t)(c & 0x7f) << shift;
		shift += 7;
	} while (c & 0x80);
	*ret_size = v;
	return true;
}

/* The bytes of a number whose bits in `flags` are set, the lowest first. */
static bool delta_number(
	const unsigned char **p, const unsigned char *end, unsigned flags, int bytes, size_t *ret_n)
{
	size_t v = 0;

	for (int i = 0; i < bytes; i++) {
		if (!(flags & (1u << i)))
			continue;
		if (*p == end)
			return false;
		v |= (size_t) * (*p)++ << (8 * i);
	}
	*ret_n = v;
	return true;
}

/* Copies and insertions until the delta ends; everything must come out even. */
static bool run_delta(const unsigned char *p, const unsigned char *end, const char *old,
	size_t old_len, struct strbuf *out)
{
	while (p < end) {
		unsigned op = *p++;
		size_t offset;
		size_t n;

		if (!op)
			return false;
		if (!(op & 0x80)) {
			n = op;
			if ((size_t)(end - p) < n)
				return false;
			(void)strbuf_add(out, p, n);
			p += n;
			continue;
		}
		if (!delta_number(&p, end, op & 0xf, 4, &offset) ||
			!delta_number(&p, end, (op >> 4) & 7, 3, &n))
			return false;
		if (!n)
			n = 0x10000;
		if (offset > old_len || n > old_len - offset || out->overflow)
			return false;
		(void)strbuf_add(out, old + offset, n);
	}
	return !out->overflow;
}

int binary_apply(const struct diff_file *f, const char *old, size_t old_len, char **ret_data,
	size_t *ret_len, struct error *e)
{
	AUTO_FREE char *data = NULL;
	AUTO_STRBUF struct strbuf out;
	const unsigned char *p;
	const unsigned char *end;
	size_t from;
	size_t to;
	int r = unpack(f, &data, e);

	strbuf_init(&out, 0);
	if (r)
		return r;
	if (f->binary == BINARY_LITERAL) {
		*ret_data = steal_ptr(data);
		*ret_len = f->unpacked_len;
		return 0;
	}
	p = (const unsigned char *)data;
	end = p + f->unpacked_len;
	if (!delta_size(&p, end, &from) || !delta_size(&p, end, &to) || from != old_len)
		return error_set(e, ERR_CONFLICT,
			"the binary patch to \"%s\" was made for other content", diff_file_name(f));
	if (to > DIFF_MAX_BINARY)
		return error_set(e, ERR_LIMIT,
			"the binary patch to \"%s\" unpacks to more than %zu bytes",
			diff_file_name(f), DIFF_MAX_BINARY);
	strbuf_init(&out, to);
	if (!run_delta(p, end, old, old_len, &out) || out.len != to)
		return error_set(
			e, ERR_SYNTAX, "the binary patch to \"%s\" is corrupt", diff_file_name(f));
	*ret_data = strbuf_detach(&out, ret_len);
	return 0;
}
