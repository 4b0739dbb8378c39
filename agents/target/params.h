/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What to do, as the kernel hands it over behind `--`:
 *
 *   seed=7 clock=wall run=dma-map,size_mib=1024,iterations=3,warmup=1 run=…
 *   seed=1 clock=wall checker=lockdep run=…
 *
 * Words without '=' are not ours: the kernel also passes on what it did not understand of its own
 * command line (`nokaslr`, where there is no KASLR). They are kept, to be shown.
 */
#ifndef TARGET_PARAMS_H
#define TARGET_PARAMS_H

#include "base/error.h"

/* The machine's time, or a count of instructions: see timing.h. */
enum target_clock { TARGET_WALL, TARGET_COUNTED };

#define PARAMS_MAX_RUNS 16
#define PARAMS_MAX_OPTIONS 16
#define PARAMS_MAX_WORD 1024 /* bytes of one argument */

struct run_option {
	char *name;
	char *value;
};

struct run_spec {
	char *name;
	enum target_clock clock; /* that its times are read off */
	struct run_option options[PARAMS_MAX_OPTIONS];
	size_t n_options;
};

struct params {
	int64_t seed; /* of the memory layout; 0: leave it as it is */
	enum target_clock clock;
	struct run_spec runs[PARAMS_MAX_RUNS];
	size_t n_runs;
	char *checker; /* of the kernel's, which is to be active; NULL: none */
	char *foreign; /* words that are not ours, separated by spaces; NULL: none */
};

/* argv without the program's name. On failure ret_params holds what came before the bad word, and
 * params_done() is due in either case. */
int params_parse(int argc, char *const *argv, struct params *ret_params, struct error *e);
void params_done(struct params *p);
#define AUTO_PARAMS CLEANUP(params_done)

/* NULL where it was not given. */
const char *run_option(const struct run_spec *run, const char *name);
/* *ret_n becomes def where it was not given. */
int run_option_int(const struct run_spec *run, const char *name, int64_t min, int64_t max,
	int64_t def, int64_t *ret_n, struct error *e);
/* ERR_SYNTAX for an option that is not in the NULL-ended list. */
int run_options_known(const struct run_spec *run, const char *const *known, struct error *e);

#endif
