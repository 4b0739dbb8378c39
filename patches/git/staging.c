/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pack's format: gitformat-pack(5), version 2, whole objects only. */
#include "patches/git/staging.h"

#include "patches/git/repo_internal.h"
#include "patches/git/sha1.h"

#include <git2/sys/odb_backend.h>
#include <zlib.h>

/* Above libgit2's own, which have 1 and 2: it writes to the first that takes it. */
#define PRIORITY 1000

struct object {
	git_oid id;
	git_object_t type;
	void *data;
	size_t len;
};

struct staging {
	git_odb_backend backend; /* libgit2's; it frees the whole */
	struct object *list;
	size_t n;
	size_t *slots; /* place in list + 1, by id; 0: free */
	size_t room; /* a power of two */
	size_t bytes;
};

static size_t slot_of(const struct staging *s, const git_oid *id)
{
	size_t at;

	memcpy(&at, id->id, sizeof(at));
	for (at &= s->room - 1; s->slots[at]; at = (at + 1) & (s->room - 1))
		if (git_oid_equal(&s->list[s->slots[at] - 1].id, id))
			break;
	return at;
}

static const struct object *find(const struct staging *s, const git_oid *id)
{
	size_t at = slot_of(s, id);

	return s->slots[at] ? &s->list[s->slots[at] - 1] : NULL;
}

static void grow(struct staging *s)
{
	s->room *= 2;
	free(s->slots);
	s->slots = xcalloc(s->room, sizeof(*s->slots));
	for (size_t i = 0; i < s->n; i++)
		s->slots[slot_of(s, &s->list[i].id)] = i + 1;
}

static int on_write(git_odb_backend *backend, const git_oid *id, const void *data, size_t len,
	git_object_t type)
{
	struct staging *s = (struct staging *)backend;

	if (find(s, id))
		return 0;
	if (2 * (s->n + 1) > s->room)
		grow(s);
	s->list = xgrow(s->list, s->n, sizeof(*s->list));
	s->list[s->n] = (struct object){*id, type, xmalloc(len + 1), len};
	if (len)
		memcpy(s->list[s->n].data, data, len);
	s->slots[slot_of(s, id)] = s->n + 1;
	s->n++;
	s->bytes += len + sizeof(struct object);
	return 0;
}

static int give(git_odb_backend *backend, const struct object *o, void **ret_data, size_t *ret_len,
	git_object_t *ret_type)
{
	void *copy = o ? git_odb_backend_data_alloc(backend, o->len + 1) : NULL;

	if (!copy)
		return o ? GIT_ERROR : GIT_ENOTFOUND;
	if (o->len)
		memcpy(copy, o->data, o->len);
	*ret_data = copy;
	*ret_len = o->len;
	*ret_type = o->type;
	return 0;
}

static int on_read(void **ret_data, size_t *ret_len, git_object_t *ret_type,
	git_odb_backend *backend, const git_oid *id)
{
	return give(backend, find((struct staging *)backend, id), ret_data, ret_len, ret_type);
}

static int on_read_header(
	size_t *ret_len, git_object_t *ret_type, git_odb_backend *backend, const git_oid *id)
{
	const struct object *o = find((struct staging *)backend, id);

	if (!o)
		return GIT_ENOTFOUND;
	*ret_len = o->len;
	*ret_type = o->type;
	return 0;
}

static int find_prefix(
	const struct staging *s, const git_oid *prefix, size_t len, const struct object **ret)
{
	*ret = NULL;
	for (size_t i = 0; i < s->n; i++) {
		if (git_oid_ncmp(&s->list[i].id, prefix, len) != 0)
			continue;
		if (*ret)
			return GIT_EAMBIGUOUS;
		*ret = &s->list[i];
	}
	return *ret ? 0 : GIT_ENOTFOUND;
}

static int on_read_prefix(git_oid *ret_id, void **ret_data, size_t *ret_len, git_object_t *ret_type,
	git_odb_backend *backend, const git_oid *prefix, size_t len)
{
	const struct object *o;
	int r = find_prefix((struct staging *)backend, prefix, len, &o);

	if (r)
		return r;
	*ret_id = o->id;
	return give(backend, o, ret_data, ret_len, ret_type);
}

static int on_exists(git_odb_backend *backend, const git_oid *id)
{
	return find((struct staging *)backend, id) != NULL;
}

static int on_exists_prefix(
	git_oid *ret_id, git_odb_backend *backend, const git_oid *prefix, size_t len)
{
	const struct object *o;
	int r = find_prefix((struct staging *)backend, prefix, len, &o);

	if (!r)
		*ret_id = o->id;
	return r;
}

static void forget(struct staging *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->list[i].data);
	free(s->list);
	s->list = NULL;
	s->n = s->bytes = 0;
	memset(s->slots, 0, s->room * sizeof(*s->slots));
}

static void on_free(git_odb_backend *backend)
{
	struct staging *s = (struct staging *)backend;

	forget(s);
	free(s->slots);
	free(s);
}

int staging_start(struct repo *r, struct error *e)
{
	struct staging *s;

	if (r->staging)
		return 0;
	s = xcalloc(1, sizeof(*s));
	s->room = 1024;
	s->slots = xcalloc(s->room, sizeof(*s->slots));
	if (git_odb_init_backend(&s->backend, GIT_ODB_BACKEND_VERSION) < 0) {
		on_free(&s->backend);
		return repo_error(e, ERR_STATE, "libgit2 is of another version");
	}
	s->backend.write = on_write;
	s->backend.read = on_read;
	s->backend.read_header = on_read_header;
	s->backend.read_prefix = on_read_prefix;
	s->backend.exists = on_exists;
	s->backend.exists_prefix = on_exists_prefix;
	s->backend.free = on_free;
	if (git_odb_add_backend(r->odb, &s->backend, PRIORITY) < 0) {
		on_free(&s->backend);
		return repo_error(e, ERR_STATE, "libgit2 takes no objects in memory");
	}
	r->staging = s;
	return 0;
}

/* A pack on its way to disk. */
struct packing {
	git_odb_writepack *to;
	git_indexer_progress stats;
	struct sha1 sum;
};

static int put(struct packing *p, const void *data, size_t len)
{
	sha1_add(&p->sum, data, len);
	return p->to->append(p->to, data, len, &p->stats);
}

static int put_object(struct packing *p, const struct object *o)
{
	uLongf room = compressBound(o->len);
	AUTO_FREE unsigned char *packed = xmalloc(room);
	unsigned char head[16];
	size_t n = 0;
	size_t len = o->len;
	int r;

	head[0] = (unsigned char)((unsigned)o->type << 4 | (len & 15));
	for (len >>= 4; len; len >>= 7) {
		head[n++] |= 0x80;
		head[n] = (unsigned char)(len & 0x7f);
	}
	if (compress2(packed, &room, o->data, o->len, Z_BEST_SPEED) != Z_OK)
		return -1;
	r = put(p, head, n + 1);
	return r < 0 ? r : put(p, packed, room);
}

static int write_pack(const struct staging *s, struct packing *p)
{
	unsigned char head[12] = "PACK\0\0\0\2";
	uint8_t sum[20];
	int r;

	for (int i = 0; i < 4; i++)
		head[8 + i] = (unsigned char)(s->n >> (24 - 8 * i));
	sha1_init(&p->sum);
	r = put(p, head, sizeof(head));
	for (size_t i = 0; i < s->n && r >= 0; i++)
		r = put_object(p, &s->list[i]);
	sha1_end(&p->sum, sum);
	if (r >= 0)
		r = p->to->append(p->to, sum, sizeof(sum), &p->stats);
	return r < 0 ? r : p->to->commit(p->to, &p->stats);
}

int staging_keep(struct repo *r, struct error *e)
{
	struct packing p = {0};
	int status;

	if (!r->staging || !r->staging->n)
		return 0;
	status = git_odb_write_pack(&p.to, r->odb, NULL, NULL);
	if (status >= 0)
		status = write_pack(r->staging, &p);
	if (status < 0)
		status = repo_error(
			e, ERR_STATE, "cannot write to the git repository \"%s\"", r->path);
	if (p.to)
		p.to->free(p.to);
	if (status < 0)
		return status;
	forget(r->staging);
	return repo_refresh(r, e);
}

int staging_trim(struct repo *r, struct error *e)
{
	return r->staging && r->staging->bytes > STAGING_MAX_BYTES ? staging_keep(r, e) : 0;
}

void staging_drop(struct repo *r)
{
	if (r->staging)
		forget(r->staging);
}
