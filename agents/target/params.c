/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/params.h"
#include "agents/target/timing.h"

#define SEED_MAX 1000000000

static int parse_option(char *text, struct run_spec *run, struct error *e)
{
	char *value = strchr(text, '=');

	if (!value || value == text || !value[1])
		return error_set(e, ERR_SYNTAX, "benchmark %s: option '%s' is not NAME=VALUE",
			run->name, text);
	*value++ = '\0';
	if (run_option(run, text))
		return error_set(
			e, ERR_SYNTAX, "benchmark %s: option '%s' is given twice", run->name, text);
	if (run->n_options == PARAMS_MAX_OPTIONS)
		return error_set(e, ERR_LIMIT, "benchmark %s has more than %d options", run->name,
			PARAMS_MAX_OPTIONS);
	run->options[run->n_options].name = xstrdup(text);
	run->options[run->n_options].value = xstrdup(value);
	run->n_options++;
	return 0;
}

static int parse_run(const char *text, struct params *p, struct error *e)
{
	AUTO_FREE char *copy = xstrdup(text);
	char *save = NULL;
	struct run_spec *run;
	const char *name = strtok_r(copy, ",", &save);

	if (!name)
		return error_set(e, ERR_SYNTAX, "run= names no benchmark");
	if (p->n_runs == PARAMS_MAX_RUNS)
		return error_set(e, ERR_LIMIT, "more than %d benchmarks in one boot: use several",
			PARAMS_MAX_RUNS);
	run = &p->runs[p->n_runs++];
	run->name = xstrdup(name);
	for (char *option; (option = strtok_r(NULL, ",", &save));) {
		int err = parse_option(option, run, e);

		if (err)
			return err;
	}
	return 0;
}

static void keep_foreign(struct params *p, const char *word)
{
	char *joined = p->foreign ? xasprintf("%s %s", p->foreign, word) : xstrdup(word);

	free(p->foreign);
	p->foreign = joined;
}

static int parse_word(const char *word, struct params *p, struct error *e)
{
	if (strlen(word) > PARAMS_MAX_WORD)
		return error_set(
			e, ERR_LIMIT, "an argument is longer than %d bytes", PARAMS_MAX_WORD);
	if (!strchr(word, '=')) {
		keep_foreign(p, word);
		return 0;
	}
	if (starts_with(word, "run="))
		return parse_run(word + strlen("run="), p, e);
	if (starts_with(word, "seed=")) {
		if (parse_int64(word + strlen("seed="), 0, SEED_MAX, &p->seed))
			return error_set(e, ERR_SYNTAX,
				"'%s' is not a layout seed: give a number from 0 to %d", word,
				SEED_MAX);
		return 0;
	}
	if (starts_with(word, "clock=")) {
		p->clock = streq(word, "clock=counted") ? TARGET_COUNTED : TARGET_WALL;
		if (!streq(word + strlen("clock="), timing_clock_name(p->clock)))
			return error_set(e, ERR_SYNTAX,
				"'%s' is no clock that can be read: give clock=wall or "
				"clock=counted",
				word);
		return 0;
	}
	if (starts_with(word, "checker=")) {
		free(p->checker);
		p->checker = xstrdup(word + strlen("checker="));
		return 0;
	}
	return error_set(e, ERR_SYNTAX,
		"unknown parameter '%s': known are seed=, clock=, checker= and run=", word);
}

int params_parse(int argc, char *const *argv, struct params *ret_params, struct error *e)
{
	memset(ret_params, 0, sizeof(*ret_params));
	for (int i = 0; i < argc; i++) {
		int err = parse_word(argv[i], ret_params, e);

		if (err)
			return err;
	}
	for (size_t i = 0; i < ret_params->n_runs; i++)
		ret_params->runs[i].clock = ret_params->clock;
	return 0;
}

void params_done(struct params *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_runs; i++) {
		struct run_spec *run = &p->runs[i];

		for (size_t j = 0; j < run->n_options; j++) {
			free(run->options[j].name);
			free(run->options[j].value);
		}
		free(run->name);
	}
	free(p->foreign);
	free(p->checker);
	memset(p, 0, sizeof(*p));
}

const char *run_option(const struct run_spec *run, const char *name)
{
	for (size_t i = 0; i < run->n_options; i++)
		if (streq(run->options[i].name, name))
			return run->options[i].value;
	return NULL;
}

int run_option_int(const struct run_spec *run, const char *name, int64_t min, int64_t max,
	int64_t def, int64_t *ret_n, struct error *e)
{
	const char *value = run_option(run, name);

	if (!value) {
		*ret_n = def;
		return 0;
	}
	if (parse_int64(value, min, max, ret_n))
		return error_set(e, ERR_SYNTAX,
			"benchmark %s: %s=%s is not a number from %lld to %lld", run->name, name,
			value, (long long)min, (long long)max);
	return 0;
}

int run_options_known(const struct run_spec *run, const char *const *known, struct error *e)
{
	for (size_t i = 0; i < run->n_options; i++) {
		const char *const *k = known;

		while (*k && !streq(*k, run->options[i].name))
			k++;
		if (!*k)
			return error_set(e, ERR_SYNTAX, "benchmark %s has no option '%s'",
				run->name, run->options[i].name);
	}
	return 0;
}
