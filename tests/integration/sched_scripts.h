/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Worker programs of the scheduler's tests: a shell script for each kind of job, which says what a
 * worker says of a job that went well; and where they seem to run. Included by one file of a program.
 */
#ifndef TEST_SCHED_SCRIPTS_H
#define TEST_SCHED_SCRIPTS_H

#include "base/file.h"
#include "base/sha256.h"
#include "daemon/sched/sched.h"
#include <errno.h>

#define TIP "1111111111111111111111111111111111111111"
#define PATCHED "2222222222222222222222222222222222222222"

#define END(status, result)                                                                   \
	"echo '{\"event\":\"end\",\"status\":\"" status "\",\"tool_ms\":5,\"result\":" result \
	"}' >&3\n"

static const char tree_ok[] = END("pass", "{\"tip\":\"" TIP "\",\"version\":\"6.12\"}");
static const char probe_ok[] = END("pass", "{\"facts\":{\"cpus\":2}}");
static const char parse_ok[] = END("pass",
	"{\"series\":[{\"title\":\"a title\",\"version\":5,\"complete\":true,\"held\":null,"
	"\"patches\":[{\"n\":1,\"subject\":\"one\",\"author\":{\"name\":\"A\",\"email\":\"a@b\"}}]}"
	"],"
	"\"ignored\":[]}");
static const char apply_ok[] = END("pass",
	"{\"status\":\"applied\",\"base\":\"" TIP "\",\"chosen_by\":\"tip\",\"needs\":[],"
	"\"patches\":[{\"n\":1,\"commit\":\"" PATCHED "\",\"how\":\"exact\"}]}");
static const char resolve_ok[] =
	END("pass", "{\"base\":{\"commit\":\"" TIP "\",\"subject\":\"one\"},"
		    "\"patched\":{\"commit\":\"" PATCHED "\",\"subject\":\"two\","
		    "\"author\":{\"name\":\"A\",\"email\":\"a@b\"}}}");
/* The code differs by commit, so that the tip is not inherited. */
static const char build_ok[] =
	"commit=$(sed 's/.*\"commit\":\"\\([0-9a-f]*\\)\".*/\\1/')\n"
	"echo '{\"event\":\"log\",\"size\":5}' >&3\n"
	"echo '{\"event\":\"finding\",\"kind\":\"warning\",\"file\":\"a.c\",\"line\":1,"
	"\"message\":\"old\",\"signature\":\"a.c: old\"}' >&3\n"
	"echo \"{\\\"event\\\":\\\"end\\\",\\\"status\\\":\\\"pass\\\",\\\"tool_ms\\\":5,"
	"\\\"result\\\":{\\\"config_sha256\\\":\\\"c\\\",\\\"compiler\\\":\\\"gcc\\\","
	"\\\"image_sha256\\\":\\\"i$commit\\\",\\\"code_sha256\\\":\\\"k$commit\\\","
	"\\\"image\\\":\\\"/image\\\",\\\"seconds\\\":1}}\" >&3\n";
static const char boot_ok[] =
	"id=$(cat /proc/sys/kernel/random/uuid)\n"
	"echo '{\"event\":\"stage\",\"name\":\"bench\"}' >&3\n"
	"for m in madv_hugepage.map madv_hugepage.unmap hugetlbfs.map hugetlbfs.unmap"
	" map_populate.unmap; do\n"
	"echo \"{\\\"event\\\":\\\"sample\\\",\\\"metric\\\":\\\"dma-map.${m}_seconds\\\","
	"\\\"value\\\":0.5,\\\"params\\\":{\\\"size_mib\\\":1}}\" >&3\n"
	"done\n"
	"echo \"{\\\"event\\\":\\\"end\\\",\\\"status\\\":\\\"pass\\\",\\\"tool_ms\\\":5,"
	"\\\"result\\\":{\\\"boot_id\\\":\\\"$id\\\",\\\"accel\\\":\\\"tcg\\\",\\\"seconds\\\":1,"
	"\\\"started_ms\\\":1,\\\"reached\\\":\\\"done\\\",\\\"machine\\\":{\\\"name\\\":\\\"m\\\"}"
	"}}"
	"\" >&3\n";

static void set_worker_at(const char *worker, const char *kind, const char *script)
{
	AUTO_FREE char *path = xasprintf("%s.d/%s", worker, kind);
	AUTO_FREE char *text = xasprintf("#!/bin/sh\n%s", script);

	assert_int_equal(file_write_atomic(path, text, strlen(text), 0755, NULL), 0);
}

/* A program at `worker` that runs the script of its job's kind; all of them good. */
static void make_workers(const char *worker)
{
	static const char script[] = "#!/bin/sh\nexec \"$0.d/$1\"\n";
	AUTO_FREE char *folder = xasprintf("%s.d", worker);

	assert_int_equal(file_mkdirs(folder, 0700, NULL), 0);
	assert_int_equal(file_write_atomic(worker, script, strlen(script), 0755, NULL), 0);
	set_worker_at(worker, "tree", tree_ok);
	set_worker_at(worker, "probe", probe_ok);
	set_worker_at(worker, "parse", parse_ok);
	set_worker_at(worker, "apply", apply_ok);
	set_worker_at(worker, "resolve", resolve_ok);
	set_worker_at(worker, "build", build_ok);
	set_worker_at(worker, "boot", boot_ok);
}

/* The host "h" and its machine "m", which the default profile takes. */
static inline int add_host_and_machine(struct sched *sched, int64_t *ret_probe_job)
{
	struct host_row host = {
		.name = (char *)"h",
		.address = (char *)"127.0.0.1",
		.port = 22,
		.user = (char *)"u",
		.key = (char *)"/k",
		.host_key = (char *)"ssh-ed25519 AAAA",
	};
	AUTO_JSON cJSON *tags = cJSON_Parse("[\"vtd\"]");
	struct machine_row machine = {
		.name = (char *)"m",
		.host = (char *)"h",
		.model = (char *)"q35-vtd",
		.tags = tags,
		.memory_mib = 4096,
		.cpus = 2,
	};
	AUTO_HOST struct host_row got_host = {0};
	AUTO_MACHINE struct machine_row got_machine = {0};
	int r = sched_host_add(sched, &host, &got_host, NULL);

	if (r < 0)
		return r;
	*ret_probe_job = got_host.job_id;
	return sched_machine_add(sched, &machine, &got_machine, NULL);
}

/* Submits a text with these options, whose members about the mail are filled in; says what
 * sched_submit() says. */
static inline int submit_text(struct sched *sched, const char *text, struct submit_opts o,
	int64_t *ret_id, bool *ret_created, struct error *e)
{
	AUTO_FREE char *path = path_join(sched_incoming(sched), "upload");
	AUTO_SERIES struct series_row row = {0};
	char hash[SHA256_HEX];
	int err;

	sha256_of(text, strlen(text), hash);
	o.mail_path = path;
	o.mail_sha256 = hash;
	o.mail_size = (int64_t)strlen(text);
	err = file_write_atomic(path, text, strlen(text), 0600, e);
	if (err >= 0)
		err = sched_submit(sched, &o, &row, ret_created, e);
	if (err >= 0)
		*ret_id = row.id;
	return err;
}

#endif
