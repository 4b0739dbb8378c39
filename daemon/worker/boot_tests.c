/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/worker/boot_tests.h"
#include "base/strbuf.h"
#include "scan/ktap.h"
#include "stats/stats.h"

#define EXIT_SKIP 4 /* the kernel's selftests' */

/* One that prints, until it has ended. */
struct program {
	char *label; /* NAME, or NAME/PROGRAM */
	struct ktap_scan *ktap;
};

/* All programs of one NAME. */
struct counts {
	char *name;
	int64_t ok, not_ok, skipped;
	char *why_skipped; /* the first one's words; or NULL */
};

struct boot_tests {
	struct boot_tests_out out;
	struct program *programs;
	size_t n_programs;
	struct counts *counts;
	size_t n_counts;
	size_t findings, dropped;
	bool too_many;
	char *problem;
};

struct boot_tests *boot_tests_new(const struct boot_tests_out *out)
{
	struct boot_tests *t = xcalloc(1, sizeof(*t));

	t->out = *out;
	return t;
}

static void program_done(struct program *p)
{
	free(p->label);
	p->ktap = ktap_free(p->ktap);
}

struct boot_tests *boot_tests_free(struct boot_tests *t)
{
	if (!t)
		return NULL;
	for (size_t i = 0; i < t->n_programs; i++)
		program_done(&t->programs[i]);
	for (size_t i = 0; i < t->n_counts; i++) {
		free(t->counts[i].name);
		free(t->counts[i].why_skipped);
	}
	free(t->programs);
	free(t->counts);
	free(t->problem);
	free(t);
	return NULL;
}

static struct program *program_for(struct boot_tests *t, const char *label)
{
	for (size_t i = 0; i < t->n_programs; i++)
		if (streq(t->programs[i].label, label))
			return &t->programs[i];
	if (t->n_programs == BOOT_TESTS_MAX_PROGRAMS) {
		t->too_many = true;
		return NULL;
	}
	t->programs = xgrow(t->programs, t->n_programs, sizeof(*t->programs));
	t->programs[t->n_programs] = (struct program){xstrdup(label), ktap_new()};
	return &t->programs[t->n_programs++];
}

/* No more of them than there are programs. */
static struct counts *counts_for(struct boot_tests *t, const char *label)
{
	AUTO_FREE char *name = xstrndup(label, strcspn(label, "/"));

	for (size_t i = 0; i < t->n_counts; i++)
		if (streq(t->counts[i].name, name))
			return &t->counts[i];
	t->counts = xgrow(t->counts, t->n_counts, sizeof(*t->counts));
	t->counts[t->n_counts] = (struct counts){.name = steal_ptr(name)};
	return &t->counts[t->n_counts++];
}

static void tell_finding(struct boot_tests *t, const char *label, const char *what)
{
	AUTO_FREE char *signature = xasprintf("test %s: %s", label, what);
	struct scan_finding f = {.kind = "kernel", .message = signature, .signature = signature};

	if (t->findings++ < BOOT_TESTS_MAX_FINDINGS)
		t->out.finding(&f, t->out.data);
	else
		t->dropped++;
}

static void count_cases(
	struct boot_tests *t, const char *label, const struct ktap_results *r, struct counts *c)
{
	for (size_t i = 0; i < r->n_cases; i++) {
		AUTO_FREE char *what = NULL;

		switch (r->cases[i].result) {
		case KTAP_OK:
			c->ok++;
			break;
		case KTAP_SKIP:
			c->skipped++;
			break;
		case KTAP_NOT_OK:
			c->not_ok++;
			what = xasprintf("not ok: %s", r->cases[i].name);
			tell_finding(t, label, what);
			break;
		}
	}
}

static bool has_failed(const struct ktap_results *r)
{
	for (size_t i = 0; i < r->n_cases; i++)
		if (r->cases[i].result == KTAP_NOT_OK)
			return true;
	return false;
}

/* How a program ended, where its results do not say it already. */
static void count_end(struct boot_tests *t, const struct ktap_results *r,
	const struct scan_record *ended, struct counts *c)
{
	bool skipped = ended->status == EXIT_SKIP || r->skip_all;
	bool well = ended->status == 0 || skipped;

	if (r->bail_out)
		tell_finding(t, ended->test, "it bailed out");
	else if (r->planned >= 0 && (int64_t)r->outermost < r->planned && well && !skipped)
		tell_finding(t, ended->test, "it reported less than it had planned");
	if (!well && (ended->status < 0 || !has_failed(r)))
		tell_finding(t, ended->test, ended->how);
	if (r->n_cases)
		return;
	/* It has no cases: it is one itself. */
	c->ok += ended->status == 0 && !r->skip_all && !r->bail_out;
	c->not_ok += !well || r->bail_out;
	if (!skipped)
		return;
	c->skipped++;
	if (!c->why_skipped)
		c->why_skipped = xasprintf("%s%s%s", ended->how, r->skip_all ? ": " : "",
			r->skip_all ? r->skip_all : "");
}

static void tell_metrics(struct boot_tests *t, const char *label, const struct ktap_results *r)
{
	AUTO_FREE char *dotted = xstrdup(label);

	for (char *p = dotted; (p = strchr(p, '/'));)
		*p = '.';
	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct ktap_metric *m = &r->metrics[i];
		AUTO_FREE char *metric = xasprintf("test.%s.%s", dotted, m->name);
		cJSON *params = cJSON_CreateObject();

		json_set(params, "values", cJSON_CreateDoubleArray(m->values, (int)m->n));
		t->out.sample(metric, stats_median(m->values, m->n), params, t->out.data);
	}
}

static void end_program(struct boot_tests *t, struct program *p, const struct scan_record *ended)
{
	const struct ktap_results *r = ktap_end(p->ktap);
	struct counts *c = counts_for(t, p->label);

	count_cases(t, p->label, r, c);
	count_end(t, r, ended, c);
	tell_metrics(t, p->label, r);
	t->dropped += r->dropped;
	/* The same program again would be another one. */
	ktap_free(p->ktap);
	p->ktap = ktap_new();
}

void boot_tests_take(struct boot_tests *t, const struct scan_record *r)
{
	struct program *p = program_for(t, r->test);

	if (!p)
		return;
	if (r->type == SCAN_OUTPUT)
		ktap_feed(p->ktap, r->text, strlen(r->text));
	else
		end_program(t, p, r);
}

static void tell_count(struct boot_tests *t, const struct counts *c, const char *what, int64_t n)
{
	AUTO_FREE char *metric = xasprintf("test.%s.%s", c->name, what);

	t->out.sample(metric, (double)n, NULL, t->out.data);
}

const char *boot_tests_end(struct boot_tests *t)
{
	for (size_t i = 0; i < t->n_counts; i++) {
		const struct counts *c = &t->counts[i];

		tell_count(t, c, "ok", c->ok);
		tell_count(t, c, "not_ok", c->not_ok);
		tell_count(t, c, "skipped", c->skipped);
		if (!c->ok && !c->not_ok && !t->problem)
			t->problem = xasprintf("test %s: nothing of it could be asked: %s", c->name,
				c->why_skipped ? c->why_skipped : "all of it was skipped");
	}
	if (t->too_many && !t->problem)
		t->problem = xasprintf("more than %d programs ran", BOOT_TESTS_MAX_PROGRAMS);
	return t->problem;
}

size_t boot_tests_dropped(const struct boot_tests *t)
{
	return t->dropped;
}
