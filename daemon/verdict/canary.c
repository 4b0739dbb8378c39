/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The base's first counted boot, done twice: does counted time repeat on this machine, to the digit? */
#include "daemon/verdict/internal.h"

/* The boot that the canary does again. */
static const struct fact_boot *first_of(const struct facts *f, const struct fact_boot *canary)
{
	struct boot_stream stream = stream_of(canary);

	for (size_t i = 0; i < f->n_boots; i++) {
		const struct fact_boot *b = &f->boots[i];

		if (b->role == BOOT_PAIR && b->side == canary->side && b->seed == canary->seed &&
			stream_has(&stream, b) && b->status == STATUS_PASS &&
			streq(b->machine, canary->machine))
			return b;
	}
	return NULL;
}

struct value {
	char text[32];
};

/* NULL: not measured. */
static struct value value_of(const struct fact_sample *s)
{
	struct value value = {"not measured"};

	if (s)
		(void)snprintf(value.text, sizeof(value.text), "%.17g", s->value);
	return value;
}

static void say(struct verdict *v, const struct fact_boot *canary, const char *metric,
	const struct fact_sample *first, const struct fact_sample *again)
{
	if (!v->unrepeated)
		v->unrepeated = xasprintf(
			"counted time does not repeat on %s: %s was %s and then %s, in two boots "
			"of one image with one seed",
			canary->machine, metric, value_of(first).text, value_of(again).text);
}

static void check(struct verdict *v, const struct fact_boot *first, const struct fact_boot *canary)
{
	for (size_t i = 0; i < first->n_samples; i++) {
		const struct fact_sample *a = &first->samples[i];
		const struct fact_sample *b = verdict_sample(canary, a->metric);

		if (!b || b->value != a->value)
			say(v, canary, a->metric, a, b);
	}
	for (size_t i = 0; i < canary->n_samples; i++) {
		const struct fact_sample *b = &canary->samples[i];

		if (!verdict_sample(first, b->metric))
			say(v, canary, b->metric, NULL, b);
	}
}

void verdict_canary(const struct facts *f, struct verdict *v)
{
	for (size_t i = 0; i < f->n_boots; i++) {
		const struct fact_boot *canary = &f->boots[i];
		const struct fact_boot *first;

		if (canary->role != BOOT_CANARY || canary->status != STATUS_PASS)
			continue;
		first = first_of(f, canary);
		if (first)
			check(v, first, canary);
	}
}
