/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/git/staging.h"

#include "patches/git/pack.h"
#include "patches/git/repo_internal.h"

#include <git2/sys/odb_backend.h>

/* Above libgit2's own, which have 1 and 2. */
#define PRIORITY 1000

struct staging {
	git_odb_backend backend; /* libgit2's; it frees the whole */
	struct pack_object *list;
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
		if (memcmp(s->list[s->slots[at] - 1].id.id, id->id, sizeof(id->id)) == 0)
			break;
	return at;
}

static const struct pack_object *find(const struct staging *s, const git_oid *id)
{
	size_t at = slot_of(s, id);

	return s->slots[at] ? &s->list[s->slots[at] - 1] : NULL;
}

static void grow(struct staging *s)
{
	s->room *= 2;
	free(s->slots);
	s->slots = xcalloc(s->room, sizeof(*s->slots));
	for (size_t i = 0; i < s->n; i++) {
		const git_oid id = to_git(&s->list[i].id);

		s->slots[slot_of(s, &id)] = i + 1;
	}
}

/* How the object is best packed, once it stands in the list. */
static void choose_like(const struct staging *s, struct pack_object *o, const struct oid *like)
{
	const git_oid id = to_git(like);
	size_t at = s->slots[slot_of(s, &id)];

	if (!at || s->list[at - 1].type != o->type || s->list[at - 1].chain == PACK_MAX_CHAIN)
		return;
	o->like = at - 1;
	o->chain = s->list[at - 1].chain + 1;
}

static void stage(struct staging *s, const git_oid *id, git_object_t type, const void *data,
	size_t len, const struct oid *like)
{
	struct pack_object *o;

	if (2 * (s->n + 1) > s->room)
		grow(s);
	s->list = xgrow(s->list, s->n, sizeof(*s->list));
	o = &s->list[s->n];
	*o = (struct pack_object){from_git(id), type, xmalloc(len + 1), len, PACK_NONE, 0};
	if (len)
		memcpy(o->data, data, len);
	if (like)
		choose_like(s, o, like);
	s->slots[slot_of(s, id)] = s->n + 1;
	s->n++;
	s->bytes += len + sizeof(*o);
}

/*
 * Whether it is on disk, as far as that was looked at. git_odb_exists() would also say so of what
 * was staged, read, and dropped; git_odb_write() looks for new packs each time. It takes one or two
 * calls of access() an object, 2 % of the time of applying.
 */
static bool is_on_disk(struct repo *r, const git_oid *id)
{
	size_t n = git_odb_num_backends(r->odb);

	for (size_t i = 0; i < n; i++) {
		git_odb_backend *b = NULL;

		if (git_odb_get_backend(&b, r->odb, i) == 0 && b != &r->staging->backend &&
			b->exists && b->exists(b, id))
			return true;
	}
	return false;
}

int staging_write(struct repo *r, const void *data, size_t len, git_object_t type,
	const struct oid *like, struct oid *ret_id)
{
	git_oid id;
	int status;

	if (!r->staging)
		status = git_odb_write(&id, r->odb, data, len, type);
	else
		status = git_odb_hash(&id, data, len, type);
	if (status < 0)
		return status;
	if (r->staging && !find(r->staging, &id) && !is_on_disk(r, &id))
		stage(r->staging, &id, type, data, len, like);
	*ret_id = from_git(&id);
	return 0;
}

static int give(git_odb_backend *backend, const struct pack_object *o, void **ret_data,
	size_t *ret_len, git_object_t *ret_type)
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
	const struct pack_object *o = find((struct staging *)backend, id);

	if (!o)
		return GIT_ENOTFOUND;
	*ret_len = o->len;
	*ret_type = o->type;
	return 0;
}

static int find_prefix(
	const struct staging *s, const git_oid *prefix, size_t len, const struct pack_object **ret)
{
	*ret = NULL;
	for (size_t i = 0; i < s->n; i++) {
		const git_oid id = to_git(&s->list[i].id);

		if (git_oid_ncmp(&id, prefix, len) != 0)
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
	const struct pack_object *o;
	int r = find_prefix((struct staging *)backend, prefix, len, &o);

	if (r)
		return r;
	*ret_id = to_git(&o->id);
	return give(backend, o, ret_data, ret_len, ret_type);
}

static int on_exists(git_odb_backend *backend, const git_oid *id)
{
	return find((struct staging *)backend, id) != NULL;
}

static int on_exists_prefix(
	git_oid *ret_id, git_odb_backend *backend, const git_oid *prefix, size_t len)
{
	const struct pack_object *o;
	int r = find_prefix((struct staging *)backend, prefix, len, &o);

	if (!r)
		*ret_id = to_git(&o->id);
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

/* Both the pack and its index, synced. libgit2's errors. */
static int write_pack(struct repo *r, const struct strbuf *pack)
{
	git_odb_writepack *to = NULL;
	git_indexer_progress progress = {0};
	int status = git_odb_write_pack(&to, r->odb, NULL, NULL);

	if (status >= 0)
		status = to->append(to, pack->buf, pack->len, &progress);
	if (status >= 0)
		status = to->commit(to, &progress);
	if (to)
		to->free(to);
	return status;
}

int staging_keep(struct repo *r, struct error *e)
{
	AUTO_STRBUF struct strbuf pack;
	int status;

	strbuf_init(&pack, PACK_MAX_BYTES);
	if (!r->staging || !r->staging->n)
		return 0;
	status = pack_fill(r->staging->list, r->staging->n, &pack, e);
	if (status)
		return error_prefix(e, "cannot write to the git repository \"%s\"", r->path);
	if (write_pack(r, &pack) < 0)
		return repo_error(
			e, ERR_STATE, "cannot write to the git repository \"%s\"", r->path);
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
