/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The base's first counted boot, done twice: does counted time repeat on this machine, to the digit? */
#include "daemon/verdict/internal.h"

static const struct fact_sample *sample_of(const struct fact_boot *b, const char *metric)
{
	for (size_t i = 0; i < b->n_samples; i++)
		if (strcmp(b->samples[i].metric, metric) == 0)
			return &b->samples[i];
	return NULL;
}

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

static void say(struct verdict *v, const struct fact_boot *canary, const char *how)
{
	if (!v->unrepeated)
		v->unrepeated = xasprintf("counted time does not repeat on %s: %s, in two boots of "
					  "one image with one seed",
			canary->machine, how);
}

static void check(struct verdict *v, const struct fact_boot *first, const struct fact_boot *canary)
{
	char how[512];

	for (size_t i = 0; i < first->n_samples; i++) {
		const struct fact_sample *a = &first->samples[i];
		const struct fact_sample *b = sample_of(canary, a->metric);

		if (b && b->value == a->value)
			continue;
		if (b)
			(void)snprintf(how, sizeof(how), "%s was %.17g and then %.17g", a->metric,
				a->value, b->value);
		else
			(void)snprintf(how, sizeof(how), "%s was %.17g and then not measured",
				a->metric, a->value);
		say(v, canary, how);
	}
	for (size_t i = 0; i < canary->n_samples; i++) {
		const struct fact_sample *b = &canary->samples[i];

		if (sample_of(first, b->metric))
			continue;
		(void)snprintf(how, sizeof(how), "%s was not measured and then %.17g", b->metric,
			b->value);
		say(v, canary, how);
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
