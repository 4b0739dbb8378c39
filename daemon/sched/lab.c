/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verbs on trees, hosts and machines. */
#include "daemon/sched/internal.h"

#define NAME_MAX_BYTES 64
#define TEXT_MAX_BYTES 1024
#define MEMORY_MAX_MIB (4 * 1024 * 1024)
#define CPUS_MAX 4096

/* Names become parts of paths and references. */
static int check_name(const char *what, const char *name, struct error *e)
{
	static const char first[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	size_t len = name ? strlen(name) : 0;

	if (len > 0 && len <= NAME_MAX_BYTES && strchr(first, name[0]) && !strstr(name, "..") &&
		!ends_with(name, ".lock") && !ends_with(name, ".git") && name[len - 1] != '.') {
		const char *p = name;

		while (*p && (strchr(first, *p) || strchr("._-", *p)))
			p++;
		if (!*p)
			return 0;
	}
	return error_set(e, ERR_SYNTAX,
		"'%.80s' is no name for a %s: 1 to %d letters, digits, '-', '_' and '.', the first "
		"a letter or a digit",
		name ? name : "", what, NAME_MAX_BYTES);
}

static int check_text(const char *what, const char *text, struct error *e)
{
	size_t len = text ? strlen(text) : 0;

	if (len == 0)
		return error_set(e, ERR_SYNTAX, "%s is missing", what);
	if (len > TEXT_MAX_BYTES)
		return error_set(e, ERR_SYNTAX, "%s is longer than %d bytes", what, TEXT_MAX_BYTES);
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 127)
			return error_set(e, ERR_SYNTAX, "%s has a control character in it", what);
	return 0;
}

static int check_package(const char *deb, struct error *e)
{
	if (strlen(deb) > 1 && strlen(deb) <= 128 &&
		strspn(deb, "abcdefghijklmnopqrstuvwxyz0123456789+-.") == strlen(deb) &&
		!strchr("+-.", deb[0]))
		return 0;
	return error_set(e, ERR_SYNTAX,
		"'%.80s' is no name of a Debian package: linux-source-6.12, say", deb);
}

/* git has transports that run commands, and takes a leading '-' for an option. */
static int check_url(const char *url, struct error *e)
{
	static const char *const schemes[] = {
		"https://", "http://", "git://", "ssh://", "file:///", "/"};
	int err = check_text("the URL", url, e);

	if (err < 0)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++)
		if (starts_with(url, schemes[i]))
			return 0;
	return error_set(e, ERR_SYNTAX,
		"a tree is fetched from https://, http://, git://, ssh://, file:/// or an absolute "
		"path, not '%.200s'",
		url);
}

/* Queue the import or fetch of a tree that has no job under way. */
static int queue_tree(struct sched *s, const struct tree_row *tree, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	struct job_row job = {.kind = (char *)"tree", .tree = tree->name};
	int err = store_begin(s->store, &tx, e);

	if (err < 0 || (err = job_insert(s->store, &job, &job.id, e)) < 0 ||
		(err = tree_set_job(
			 s->store, tree->id, tree->tip ? "ready" : "importing", job.id, e)) < 0 ||
		(err = store_commit(&tx, e)) < 0)
		return err;
	sched_notify_job(s, &job);
	sched_notify_row(s, CHANGE_TREE, tree->id);
	sched_kick(s);
	return 0;
}

static int check_source(const char *deb, const char *git, struct error *e)
{
	if (!deb == !git)
		return error_set(e, ERR_SYNTAX,
			"a tree comes from a Debian package (deb) or a git repository (git): give "
			"one of the two");
	return deb ? check_package(deb, e) : check_url(git, e);
}

int sched_tree_add(struct sched *s, const char *name, const char *deb, const char *git,
	struct tree_row *ret_row, struct error *e)
{
	AUTO_TREE struct tree_row row = {0};
	AUTO_TREE struct tree_row there = {0};
	AUTO_FREE char *folder = NULL;
	int err;

	if ((err = check_name("tree", name, e)) < 0 || (err = check_source(deb, git, e)) < 0)
		return err;
	folder = xasprintf("%s.git", name);
	row.name = xstrdup(name);
	row.path = path_join(s->trees, folder);
	row.source = cJSON_CreateObject();
	json_set_str(row.source, deb ? "deb" : "git", deb ? deb : git);
	err = tree_get(s->store, name, &there, e);
	if (err >= 0 && !cJSON_Compare(row.source, there.source, true))
		return error_set(e, ERR_CONFLICT,
			"there is a tree %s already, from somewhere else: give this one another "
			"name",
			name);
	if (err == ERR_MISSING) {
		err = tree_insert(s->store, &row, &row.id, e);
		if (err >= 0)
			err = queue_tree(s, &row, e);
	} else if (err >= 0 && !there.tip && !sched_is_open(s, there.job_id)) {
		err = queue_tree(s, &there, e);
	}
	return err < 0 ? err : tree_get(s->store, name, ret_row, e);
}

int sched_tree_fetch(struct sched *s, const char *name, struct tree_row *ret_row, struct error *e)
{
	AUTO_TREE struct tree_row row = {0};
	int err = tree_get(s->store, name, &row, e);

	if (err < 0)
		return err;
	if (!sched_is_open(s, row.job_id) && (err = queue_tree(s, &row, e)) < 0)
		return err;
	return tree_get(s->store, name, ret_row, e);
}

static int queue_probe(struct sched *s, int64_t host_id, const char *name, struct error *e)
{
	AUTO_TX struct tx tx = TX_INIT;
	struct job_row job = {.kind = (char *)"probe", .host = (char *)name};
	int err = store_begin(s->store, &tx, e);

	if (err < 0 || (err = job_insert(s->store, &job, &job.id, e)) < 0 ||
		(err = host_set_job(s->store, name, job.id, e)) < 0 ||
		(err = store_commit(&tx, e)) < 0)
		return err;
	sched_notify_job(s, &job);
	sched_notify_row(s, CHANGE_HOST, host_id);
	sched_kick(s);
	return 0;
}

static int check_host(const struct host_row *host, struct error *e)
{
	int err;

	if ((err = check_name("host", host->name, e)) < 0 ||
		(err = check_text("the host's address", host->address, e)) < 0 ||
		(err = check_text("the host's user", host->user, e)) < 0 ||
		(err = check_text("the path of the private key", host->key, e)) < 0 ||
		(err = check_text("the host key", host->host_key, e)) < 0)
		return err;
	if (host->port < 1 || host->port > 65535)
		return error_set(
			e, ERR_SYNTAX, "the host's port is 1 to 65535, not %d", host->port);
	if (host->key[0] != '/')
		return error_set(e, ERR_SYNTAX,
			"the private key is named by its absolute path on the lab's machine, not "
			"'%.200s'",
			host->key);
	if (!starts_with(host->host_key, "ssh-ed25519 "))
		return error_set(e, ERR_SYNTAX,
			"the host key is pinned as `ssh-keyscan -t ed25519 HOST` prints it: "
			"ssh-ed25519 AAAA…");
	if (host->root && host->root[0] != '/')
		return error_set(e, ERR_SYNTAX, "the host's root is an absolute path, not '%.200s'",
			host->root);
	return 0;
}

int sched_host_add(
	struct sched *s, const struct host_row *host, struct host_row *ret_row, struct error *e)
{
	int64_t id;
	int err = check_host(host, e);

	if (err < 0 || (err = host_put(s->store, host, &id, e)) < 0)
		return err;
	err = queue_probe(s, id, host->name, e);
	return err < 0 ? err : host_get(s->store, host->name, ret_row, e);
}

int sched_host_probe(struct sched *s, const char *name, struct host_row *ret_row, struct error *e)
{
	AUTO_HOST struct host_row row = {0};
	int err = host_get(s->store, name, &row, e);

	if (err < 0)
		return err;
	if (!sched_is_open(s, row.job_id) && (err = queue_probe(s, row.id, name, e)) < 0)
		return err;
	return host_get(s->store, name, ret_row, e);
}

int sched_host_drain(
	struct sched *s, const char *name, bool drained, struct host_row *ret_row, struct error *e)
{
	int err = host_set_drained(s->store, name, drained, e);

	if (err < 0 || (err = host_get(s->store, name, ret_row, e)) < 0)
		return err;
	sched_notify_row(s, CHANGE_HOST, ret_row->id);
	sched_kick(s);
	return 0;
}

static int check_machine(const struct machine_row *m, struct error *e)
{
	const cJSON *tag;
	int err;

	if ((err = check_name("machine", m->name, e)) < 0 ||
		(err = check_name("machine's model", m->model, e)) < 0 ||
		(err = check_name("machine's architecture", m->arch, e)) < 0 ||
		(err = check_text("the machine's host", m->host, e)) < 0)
		return err;
	if (!streq(m->kind, "qemu"))
		return error_set(e, ERR_SYNTAX, "a machine's kind is qemu, not '%.80s'",
			m->kind ? m->kind : "");
	if (m->memory_mib < 64 || m->memory_mib > MEMORY_MAX_MIB)
		return error_set(e, ERR_SYNTAX, "a machine's memory is 64 to %d MiB, not %d",
			MEMORY_MAX_MIB, m->memory_mib);
	if (m->cpus < 1 || m->cpus > CPUS_MAX)
		return error_set(e, ERR_SYNTAX, "a machine has 1 to %d processors, not %d",
			CPUS_MAX, m->cpus);
	json_for_each (tag, m->tags) {
		err = check_name("tag", cJSON_GetStringValue(tag), e);
		if (err < 0)
			return err;
	}
	return 0;
}

int sched_machine_add(struct sched *s, const struct machine_row *machine,
	struct machine_row *ret_row, struct error *e)
{
	AUTO_JSON cJSON *none = cJSON_CreateArray();
	struct machine_row row = *machine; /* a view: owns nothing */
	int64_t id;
	int err;

	row.kind = row.kind ? row.kind : (char *)"qemu";
	row.arch = row.arch ? row.arch : (char *)"x86_64";
	row.tags = row.tags ? row.tags : none;
	if ((err = check_machine(&row, e)) < 0 || (err = machine_put(s->store, &row, &id, e)) < 0)
		return err;
	sched_notify_row(s, CHANGE_MACHINE, id);
	return machine_get(s->store, row.name, ret_row, e);
}

int sched_machine_drain(struct sched *s, const char *name, bool drained,
	struct machine_row *ret_row, struct error *e)
{
	int err = machine_set_drained(s->store, name, drained, e);

	if (err < 0 || (err = machine_get(s->store, name, ret_row, e)) < 0)
		return err;
	sched_notify_row(s, CHANGE_MACHINE, ret_row->id);
	sched_kick(s);
	return 0;
}
