/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patchbay-worker KIND: one job, from standard input to fd 3. See worker.h. */
#include "daemon/worker/worker.h"

#include "base/file.h"

#include <fcntl.h>
#include <signal.h>

#define EVENT_FD 3

static const struct worker_ops *const kinds[] = {
	&worker_tree,
	&worker_parse,
	&worker_apply,
	&worker_resolve,
	&worker_probe,
	&worker_build,
	&worker_boot,
	&worker_inbox,
	&worker_fetch,
};

static const struct worker_ops *find_kind(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (streq(kinds[i]->kind, name))
			return kinds[i];
	return NULL;
}

static void on_term(int signal)
{
	static const char line[] =
		"{\"event\":\"end\",\"status\":\"error\",\"reason\":\"cancelled\","
		"\"tool_ms\":0,\"result\":null}\n";

	/* Blocked while another line is written, so this one is whole too. */
	if (write(EVENT_FD, line, sizeof(line) - 1) < 0)
		_exit(1);
	_exit(0);
}

static int set_up(struct error *e)
{
	struct sigaction term = {.sa_handler = on_term}, ignore = {.sa_handler = SIG_IGN};

	/* Before anything else opens a descriptor, which could become 3. */
	if (fcntl(EVENT_FD, F_SETFD, FD_CLOEXEC))
		return error_set(e, ERR_STATE,
			"fd 3 is not open: events go there; by hand, add 3>&1 to the command");
	if (sigaction(SIGPIPE, &ignore, NULL) || sigaction(SIGTERM, &term, NULL))
		return error_errno(e, "cannot set up signals");
	return 0;
}

static int run(const struct worker_ops *ops)
{
	struct error e = ERROR_INIT;
	AUTO_FREE char *text = NULL;
	AUTO_JSON cJSON *doc = NULL;
	struct job job = {.event_fd = EVENT_FD, .log_fd = -1};
	cJSON *result = cJSON_CreateObject();
	sigset_t term;
	size_t len;
	int r;

	r = file_read_fd(
		STDIN_FILENO, "the job on standard input", WORKER_MAX_JOB, &text, &len, &e);
	if (!r)
		r = json_parse(text, len, &doc, &e);
	if (!r)
		r = worker_job_init(&job, doc, ops->kind, EVENT_FD, &e);
	if (!r)
		r = ops->run(&job, result, &e);
	/* After the last word there is none. */
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	worker_end(&job, r, &e, result);
	worker_job_done(&job);
	return 0;
}

int main(int argc, char **argv)
{
	struct error e = ERROR_INIT;
	const struct worker_ops *ops = argc == 2 ? find_kind(argv[1]) : NULL;

	if (set_up(&e)) {
		(void)fprintf(stderr, "patchbay-worker: %s\n", e.msg);
		return 2;
	}
	if (!ops) {
		(void)fprintf(stderr, "usage: patchbay-worker KIND <job.json 3>events\nkinds:");
		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
			(void)fprintf(stderr, " %s", kinds[i]->kind);
		(void)fprintf(stderr, "\n");
		return 2;
	}
	return run(ops);
}
