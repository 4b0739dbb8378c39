/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One build (docs/internals/builds.md). build.c goes through the stages and says how it ended;
 * the others do a stage each.
 */
#ifndef HOST_BUILD_H
#define HOST_BUILD_H

#include "agents/host/agent.h"
#include "agents/host/sandbox.h"
#include "agents/host/supervise.h"
#include "base/sha256.h"

/* Bytes of make's output. Less than WORKER_MAX_LOG: the end of a build that never stops talking is
 * its own fault, and would there be the lab's trouble. */
#define BUILD_MAX_LOG (256LL << 20)

/* In out: the commit that obj's config was made for. */
#define BUILD_CONFIG_COMMIT "config.commit"

#define BUILD_MAX_CONFIG (4 * 1024 * 1024)
#define BUILD_MIN_FREE (512LL << 20) /* bytes on the disk, below which nothing is built */

/* How kbuild calls an architecture, and what it makes there. */
struct arch {
	const char *name;
	const char *kbuild;
	const char *image_target;
	const char *image;
	const char *boot; /* the loader's objects, which are not in vmlinux */
};

struct build {
	struct agent *a;
	const struct arch *arch;
	const char *tree;
	const char *commit;
	const char *config_base;
	const char *owner; /* whose code it is; "": the tree's own */
	int64_t total_ms;
	int64_t silence_ms;
	int64_t jobs;

	char *repo; /* ROOT/git/TREE.git */
	char *src; /* ROOT/src/TREE: /src in the sandbox */
	char *out; /* ROOT/out/KEY: our own files */
	char *obj; /* ROOT/out/KEY/obj: /out in the sandbox */
	char key[25];
	char *compiler; /* the first line of its version */
	char nonce[33]; /* this run, in PATCHBAY_BUILD */
	char *self; /* the agent's own file */

	struct cage cage;
	int64_t start_ms;
	int64_t make_ms; /* spent inside make */
	int64_t log_bytes;
	bool cut; /* a make was killed in the middle of what it wrote */
	struct strbuf line; /* of the log, while it is incomplete */
	struct strbuf errors; /* what make, the linker and their like said */
	struct strbuf tail; /* the log's last lines */
	char killed[200]; /* a line that says something was killed or had no room; or empty */
	char not_found[200]; /* the last line of a shell that says it found no program; or empty */
	bool lacks_program; /* make gave up on something for want of one */
};

/* What a run of make came to. */
enum build_result {
	BUILD_PASS,
	BUILD_FAIL, /* make said so by itself, or the code went over a limit of its own */
	BUILD_ERROR, /* the lab's trouble */
};

/* The work tree becomes the commit. */
int tree_checkout(struct build *b, bool clean, struct error *e);
/* Whether anything that a config comes from differs between two commits. */
int tree_config_differs(struct build *b, const char *from, bool *ret_differs, struct error *e);

/* A config for the commit in obj, made anew where it must be. */
int kconfig_prepare(
	struct build *b, enum build_result *ret_result, struct error *ret_why, struct error *e);
/* SHA-256 of the effective options. */
int kconfig_hash(struct build *b, char *hex, struct error *e);
/* Options asked for and not in the result, as a JSON array. */
int kconfig_dropped(struct build *b, struct strbuf *json, struct error *e);

/* Run make with these targets in the sandbox and judge the end; ret_why says it where it is no
 * pass. Fails only with ERR_LINK, or where it could not be started. */
int make_run(struct build *b, const char *const *targets, enum build_result *ret_result,
	struct error *ret_why, struct error *e);

/* Send the script that makes these targets of the commit by hand. */
void make_script(struct build *b, const char *const *targets);

/* Before anything is built: what a killed build, or another owner's, did to the folder is undone,
 * and a marker says that a build is under way. */
int output_admit(struct build *b, bool *ret_killed, struct error *e);
/* After make: where it has ended by itself the marker goes, and what the tree's own code made is
 * what the folder is trusted with from now on. */
int output_settle(struct build *b, enum build_result result, struct error *e);

/* One event for each object that has something to say. */
int diag_send(struct build *b, enum build_result result, struct error *e);
/* "dir/.NAME.diag" → "dir/NAME", heap; or NULL. */
char *diag_object(const char *name);
/* Look at a piece of the log as it comes. */
void diag_log(struct build *b, const char *buf, size_t len);
/* Put a line of objtool's or modpost's with its object. */
void diag_attach(struct build *b, const char *line);
/* Whether an object that exists is part of the build. */
bool object_is_live(const struct build *b, const char *object);

/* Same code, same hash (law 3): see docs/internals/builds.md. */
int code_hash(const struct build *b, char *hex, struct error *e);

#endif
