/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Benchmarks: each is a file of its own and an entry in bench.c's list. One runs in a process of
 * its own, which may crash, and reports through the channel that it is given.
 */
#ifndef TARGET_BENCH_H
#define TARGET_BENCH_H

#include "agents/target/channel.h"
#include "agents/target/params.h"

struct bench_ops {
	const char *name; /* of run=NAME, and before every metric */
	const char *const *options; /* NULL at the end */
	/* Reports samples, facts and problems; what it could not do is a problem, too. */
	void (*run)(const struct run_spec *spec, struct channel *out);
};

extern const struct bench_ops bench_dma_map;
extern const struct bench_ops bench_dma_map_compat;
extern const struct bench_ops bench_dma_map_iommufd;
extern const struct bench_ops bench_fault;
extern const struct bench_ops bench_usertest;

/* Run what was asked for and pass its records on; returns when its process has ended. */
void bench_run(const struct run_spec *spec, struct channel *out);
/* The same for a benchmark in hand. What kills its process, or cuts a record off, is a problem. */
void bench_run_apart(const struct bench_ops *ops, const struct run_spec *spec, struct channel *out);

#endif
