/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/follow.h"
#include "daemon/cli/client.h"
#include "daemon/cli/progress.h"
#include "daemon/cli/series.h"
#include "base/clock.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

#define REFRESH_MS 500 /* at most that often is the lab asked again */
#define TICK_MS 1000 /* the clock of a live line */
#define PATIENCE_MS (2 * 60 * 1000) /* how long a lab that went away may take to come back */
#define RETRY_MS 500

/* What is followed: how to look at it, and how to tell that it has finished. */
struct target {
	struct cli *c;
	int64_t id;
	char path[64]; /* of the thing itself */
	char events[64];
	const char *again; /* the noun and verb that go on following it */
	struct progress_view *view;
	cJSON *state; /* as last seen */
	bool finished;
	int (*look)(struct target *t, struct error *e);
};

static int interrupt_fd(struct error *e)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return error_errno(e, "cannot block signals");
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? error_errno(e, "cannot wait for signals") : fd;
}

static int interrupted(const struct target *t, struct error *e)
{
	return error_set(e, ERR_STATE,
		"the lab goes on without you: `patchbay %s %lld%s` follows it", t->again,
		(long long)t->id, streq(t->again, "job show") ? "" : " --wait");
}

/* Wait to try again. A lab that restarts is back within a second; the user may not want to wait. */
static int wait_retry(int wake_fd, int64_t give_up_ms, struct error *why)
{
	struct pollfd p = {.fd = wake_fd, .events = POLLIN};

	if (clock_mono_ms() >= give_up_ms)
		return why->code;
	(void)poll(&p, 1, RETRY_MS);
	return (p.revents & POLLIN) ? 1 : 0;
}

static bool worth_retrying(int code)
{
	return code == ERR_LINK || code == ERR_STATE;
}

/*
 * One connection's worth of events. Returns 0 when the target has finished, 1 when interrupted.
 * Looks once the stream is open, so that nothing falls between.
 */
static int follow_stream(struct target *t, int wake_fd, int64_t *give_up_ms, struct error *e)
{
	struct events *ev = NULL;
	bool dirty = false;
	int64_t next_look_ms = 0;
	int r = events_open(t->c->client, t->events, NULL, &ev, e);

	while (r >= 0 && !t->finished) {
		struct event event;
		int64_t deadline_ms = progress_is_live(t->view) ? clock_mono_ms() + TICK_MS : -1;

		if (dirty)
			deadline_ms =
				deadline_ms < 0 ? next_look_ms : MIN_OF(deadline_ms, next_look_ms);
		r = events_next(ev, deadline_ms, wake_fd, &event, e);
		if (r == EVENTS_WAKE)
			break;
		if (r == EVENTS_OPEN || r == EVENTS_GOT) {
			*give_up_ms = clock_mono_ms() + PATIENCE_MS;
			dirty = true;
		}
		if (r >= 0 && dirty && clock_mono_ms() >= next_look_ms) {
			r = t->look(t, e);
			next_look_ms = clock_mono_ms() + REFRESH_MS;
			dirty = false;
		} else if (r == EVENTS_DEADLINE) {
			progress_tick(t->view);
		}
	}
	events_close(ev);
	return r == EVENTS_WAKE ? 1 : MIN_OF(r, 0);
}

static int follow(struct target *t, struct error *e)
{
	AUTO_CLOSE int wake_fd = interrupt_fd(e);
	int64_t give_up_ms = clock_mono_ms() + PATIENCE_MS;
	bool told = false;
	int r = wake_fd;

	while (wake_fd >= 0) {
		r = follow_stream(t, wake_fd, &give_up_ms, e);
		if (r >= 0 || !worth_retrying(e->code))
			break;
		if (!told)
			progress_note(t->view, "the lab went away; waiting for it to come back");
		told = true;
		r = wait_retry(wake_fd, give_up_ms, e);
		if (r != 0)
			break;
	}
	progress_clear(t->view);
	return r == 1 ? interrupted(t, e) : r;
}

static void keep_state(struct target *t, cJSON *state)
{
	cJSON_Delete(t->state);
	t->state = state;
}

static int look_at_series(struct target *t, struct error *e)
{
	AUTO_JSON cJSON *series = NULL;
	const char *state;
	int r = client_get(t->c->client, t->path, &series, e);

	if (r < 0)
		return r;
	state = json_str(series, "state", "");
	t->finished = streq(state, "done") || streq(state, "held") || streq(state, "cancelled");
	progress_series(t->view, series);
	keep_state(t, steal_ptr(series));
	return 0;
}

static int look_at_job(struct target *t, struct error *e)
{
	AUTO_JSON cJSON *job = NULL;
	const char *status;
	int r = client_get(t->c->client, t->path, &job, e);

	if (r < 0)
		return r;
	status = json_str(job, "status", "");
	t->finished = !streq(status, "queued") && !streq(status, "running");
	progress_job(t->view, job);
	keep_state(t, steal_ptr(job));
	return 0;
}

int follow_series(struct cli *c, int64_t id, cJSON **ret_series, struct error *e)
{
	const struct subject *subject = c->about;
	AUTO_FREE char *again = xasprintf("%s report", subject->noun);
	struct target t = {.c = c, .id = id, .again = again, .look = look_at_series};
	int r;

	(void)snprintf(t.path, sizeof(t.path), "%s/%lld", subject->path, (long long)id);
	(void)snprintf(t.events, sizeof(t.events), "/events?%s=%lld", subject->noun, (long long)id);
	t.view = progress_new(NULL);
	r = follow(&t, e);
	progress_free(t.view);
	if (r == 0)
		*ret_series = steal_ptr(t.state);
	cJSON_Delete(t.state);
	return r;
}

int follow_job(struct cli *c, int64_t id, const char *what, cJSON **ret_job, struct error *e)
{
	struct target t = {.c = c, .id = id, .again = "job show", .look = look_at_job};
	int r;

	(void)snprintf(t.path, sizeof(t.path), "/jobs/%lld", (long long)id);
	(void)snprintf(t.events, sizeof(t.events), "/events");
	t.view = progress_new(what);
	r = follow(&t, e);
	progress_free(t.view);
	if (r == 0)
		*ret_job = steal_ptr(t.state);
	cJSON_Delete(t.state);
	return r;
}

int follow_exit(const cJSON *series)
{
	const char *state = json_str(series, "state", "");
	const char *verdict = json_str(series, "verdict", "");

	if (streq(state, "held"))
		return json_bool(series, "input_at_fault", false) ? CLI_USAGE : CLI_LAB;
	if (!streq(state, "done"))
		return CLI_LAB;
	/* A series passes without a change that can be shown; who compares asked for one. */
	if (json_get(series, "patched_asked") && streq(verdict, "pass") &&
		streq(json_str(series, "performance", ""), "inconclusive"))
		return CLI_LAB;
	if (streq(verdict, "pass"))
		return CLI_GOOD;
	if (streq(verdict, "fail") || streq(verdict, "regression"))
		return CLI_CODE;
	return CLI_LAB;
}
