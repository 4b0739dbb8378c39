/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A bare repository, through libgit2, whose types stay in this folder. Configuration outside the
 * repository is ignored. One thread at a time.
 */
#ifndef GIT_REPO_H
#define GIT_REPO_H

#include "base/error.h"

#define OID_HEX 41
#define REPO_MAX_BLOB ((size_t)64 << 20)

struct oid {
	uint8_t id[20];
};

struct repo;

/* ERR_MISSING where there is none. */
int repo_open(const char *path, struct repo **ret_repo, struct error *e);
/* Opens it, and makes a bare one where there is none. */
int repo_ensure(const char *path, struct repo **ret_repo, struct error *e);
struct repo *repo_free(struct repo *r);

static inline void repo_freep(struct repo **r)
{
	*r = repo_free(*r);
}
#define AUTO_REPO CLEANUP(repo_freep)

const char *repo_path(const struct repo *r);

const char *oid_hex(const struct oid *id, char hex[OID_HEX]);
int oid_parse(const char *hex, struct oid *ret_id);
bool oid_equal(const struct oid *a, const struct oid *b);
bool oid_is_null(const struct oid *id);

/* Any revision that names a commit; tags are peeled. ERR_MISSING. */
int repo_commit(struct repo *r, const char *revision, struct oid *ret_commit, struct error *e);
int repo_tree_of(struct repo *r, const struct oid *commit, struct oid *ret_tree, struct error *e);
/* Creates or moves a reference, so that the commit is not collected. */
int repo_set_ref(struct repo *r, const char *name, const struct oid *commit, struct error *e);
/* The commit a reference names; ERR_MISSING. */
int repo_get_ref(struct repo *r, const char *name, struct oid *ret_commit, struct error *e);
/* Looks again which packs there are. */
int repo_refresh(struct repo *r, struct error *e);

/* A blob's bytes, heap, with a NUL behind. ERR_LIMIT past REPO_MAX_BLOB. */
int repo_read_blob(
	struct repo *r, const struct oid *id, char **ret_data, size_t *ret_len, struct error *e);
/* like: a blob that it was made from (NULL, or null: none); it helps to pack it. */
int repo_write_blob(struct repo *r, const char *data, size_t len, const struct oid *like,
	struct oid *ret_id, struct error *e);
/* The id that the bytes would have as a blob. */
void blob_id(const char *data, size_t len, struct oid *ret_id);
/* The one blob whose id begins with these hex digits (4 or more); ERR_MISSING: none, or several. */
int repo_find_blob(struct repo *r, const char *prefix, struct oid *ret_id);
/* The raw text of a commit object becomes one. */
int repo_write_commit(
	struct repo *r, const char *text, size_t len, struct oid *ret_id, struct error *e);

#endif
