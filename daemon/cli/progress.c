/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/progress.h"
#include "daemon/cli/text.h"
#include "base/clock.h"
#include <sys/ioctl.h>

#define LINE_MAX_LEN 512

struct seen {
	int64_t id;
	bool began;
	bool ended;
};

struct progress_view {
	char *what;
	bool live;
	bool shown; /* the changing line is on the screen */
	int64_t started_ms; /* monotonic */
	char now[LINE_MAX_LEN]; /* the changing line without its clock */
	struct seen *seen;
	size_t n_seen;
	bool titled;
};

struct progress_view *progress_new(const char *what)
{
	struct progress_view *v = xcalloc(1, sizeof(*v));
	const char *term = getenv("TERM");

	v->what = xstrdup_null(what);
	v->live = isatty(STDERR_FILENO) && term && !streq(term, "dumb");
	v->started_ms = clock_mono_ms();
	return v;
}

struct progress_view *progress_free(struct progress_view *v)
{
	if (!v)
		return NULL;
	free(v->what);
	free(v->seen);
	free(v);
	return NULL;
}

bool progress_is_live(const struct progress_view *v)
{
	return v->live;
}

void progress_clear(struct progress_view *v)
{
	if (v->shown)
		(void)fputs("\r\033[K", stderr);
	v->shown = false;
	(void)fflush(stderr);
}

void progress_tick(struct progress_view *v)
{
	struct winsize size = {0};
	char clock[32];
	size_t width = 80;

	if (!v->live || !v->now[0])
		return;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
		width = size.ws_col;
	text_elapsed(clock_mono_ms() - v->started_ms, clock, sizeof(clock));
	(void)fprintf(stderr, "\r\033[K%s  ", clock);
	text_safe(stderr, v->now, text_cut(v->now, width - strlen(clock) - 3), false);
	(void)fflush(stderr);
	v->shown = true;
}

void progress_note(struct progress_view *v, const char *text)
{
	char clock[32];

	progress_clear(v);
	text_elapsed(clock_mono_ms() - v->started_ms, clock, sizeof(clock));
	(void)fprintf(stderr, "%7s  ", clock);
	text_safe(stderr, text, strlen(text), false);
	(void)fputc('\n', stderr);
	progress_tick(v);
}

static struct seen *seen_job(struct progress_view *v, int64_t id)
{
	for (size_t i = 0; i < v->n_seen; i++)
		if (v->seen[i].id == id)
			return &v->seen[i];
	v->seen = xreallocarray(v->seen, v->n_seen + 1, sizeof(*v->seen));
	v->seen[v->n_seen] = (struct seen){.id = id};
	return &v->seen[v->n_seen++];
}

static bool is_boot(const cJSON *job)
{
	return streq(json_str(job, "kind", ""), "boot");
}

/* "build of patch 2 of 3", "boot 4 of 10, patched": what a job of a series works on. */
static void name_job(const cJSON *job, const cJSON *series, char *buf, size_t size)
{
	const char *kind = json_str(job, "kind", "");
	long long patch = json_int(job, "patch", -1);
	bool comparison = json_get(series, "patched_asked") != NULL;
	const cJSON *other;
	int64_t n = 0;
	int64_t total = 0;

	if (streq(kind, "build") && patch == 0) {
		(void)snprintf(buf, size, "build of the base");
	} else if (streq(kind, "build") && comparison) {
		(void)snprintf(buf, size, "build of what goes against it");
	} else if (streq(kind, "build")) {
		(void)snprintf(buf, size, "build of patch %lld of %lld", patch,
			(long long)json_int(series, "patches", 0));
	} else if (is_boot(job)) {
		json_for_each (other, json_get(series, "jobs")) {
			total += is_boot(other);
			n += is_boot(other) && json_int(other, "id", 0) <= json_int(job, "id", 0);
		}
		/* The plan knows of boots that are not queued yet. */
		total = MAX_OF(total, json_int(json_get(series, "progress"), "boots", 0));
		(void)snprintf(buf, size, "boot %lld of %lld, %s", (long long)n, (long long)total,
			json_str(job, "side", "?"));
	} else {
		(void)snprintf(buf, size, "%s",
			streq(kind, "parse")	 ? "reading the mail"
			: streq(kind, "resolve") ? "looking the commits up"
						 : kind);
	}
}

static bool has_ended(const char *status)
{
	return *status && !streq(status, "queued") && !streq(status, "running");
}

/* Lines for what began or ended since the last look. */
static void tell(struct progress_view *v, const cJSON *job, const char *name)
{
	struct seen *s = seen_job(v, json_int(job, "id", 0));
	const char *status = json_str(job, "status", "");
	const char *reason = json_str(job, "reason", NULL);
	char line[LINE_MAX_LEN];
	double seconds = json_num(job, "seconds", 0);

	if (s->ended || (!has_ended(status) && (s->began || v->live)))
		return;
	if (streq(status, "queued"))
		return;
	if (!has_ended(status)) {
		s->began = true;
		(void)snprintf(line, sizeof(line), "%s …", name);
		progress_note(v, line);
		return;
	}
	s->ended = true;
	if (seconds > 0)
		(void)snprintf(line, sizeof(line), "%s: %s in %.1f s%s%s", name, status, seconds,
			reason ? ": " : "", reason ? reason : "");
	else
		(void)snprintf(line, sizeof(line), "%s: %s%s%s", name, status, reason ? ": " : "",
			reason ? reason : "");
	progress_note(v, line);
}

/* The changing line: what works, how far it is, what it says. */
static void set_now(struct progress_view *v, const char *name, const cJSON *progress)
{
	const char *text = json_str(progress, "text", json_str(progress, "stage", NULL));
	long long done = json_int(progress, "done", -1);
	long long total = json_int(progress, "total", -1);
	char count[64] = "";

	if (done >= 0 && total > 0)
		(void)snprintf(count, sizeof(count), " %lld of %lld", done, total);
	else if (done > 0)
		(void)snprintf(count, sizeof(count), " %lld", done);
	(void)snprintf(v->now, sizeof(v->now), "%s%s%s%s", name, count, text ? ": " : "",
		text ? text : "");
}

void progress_series(struct progress_view *v, const cJSON *series)
{
	const char *title = json_str(series, "title", NULL);
	const cJSON *job;
	char name[128];

	(void)snprintf(v->now, sizeof(v->now), "%s", json_str(series, "state", ""));
	if (title && !v->titled) {
		AUTO_FREE char *line = xasprintf("%s %lld: %s",
			json_get(series, "patched_asked") ? "comparison" : "series",
			(long long)json_int(series, "id", 0), title);

		progress_note(v, line);
		v->titled = true;
	}
	json_for_each (job, json_get(series, "jobs")) {
		name_job(job, series, name, sizeof(name));
		if (streq(json_str(job, "status", ""), "running"))
			set_now(v, name, json_get(series, "progress"));
		tell(v, job, name);
	}
	progress_tick(v);
}

void progress_job(struct progress_view *v, const cJSON *job)
{
	const char *name = v->what ? v->what : json_str(job, "kind", "job");

	set_now(v, name, json_get(job, "progress"));
	tell(v, job, name);
	if (has_ended(json_str(job, "status", "")))
		v->now[0] = '\0';
	progress_tick(v);
}
