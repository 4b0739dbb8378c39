/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One YAML file of profiles, as it was written: every scalar is still a string, NULL where it was
 * left out. profile.c gives it its meaning.
 */
#ifndef CONFIG_PROFILE_FILE_H
#define CONFIG_PROFILE_FILE_H

#include "base/error.h"

#define PROFILE_FILE_MAX (256 * 1024)

struct raw_config {
	char *base;
	char **fragments;
	unsigned fragments_count;
};

struct raw_machines {
	char **tags;
	unsigned tags_count;
};

struct raw_clock {
	char *pairs;
	char *max_pairs;
};

struct raw_counted {
	char *seeds;
};

struct raw_clocks {
	struct raw_clock *wall;
	struct raw_counted *counted;
};

struct raw_benchmark {
	char *run;
	char *size_mib;
	char *counted_size_mib;
	char *iterations;
	char *warmup;
	char *call_kib;
	char *access;
	char *large_pages;
	char *rounds;
	char *seconds;
	char *test;
	char *path;
	char **cases;
	unsigned cases_count;
	char **primary;
	unsigned primary_count;
};

struct raw_thresholds {
	char *wall;
	char *counted;
};

struct raw_limits {
	char *build;
	char *build_silence;
	char *boot;
	char *silence;
	char *total;
};

struct raw_profile {
	char *name;
	char *arch;
	struct raw_config *config;
	char *checker;
	char *cmdline;
	struct raw_machines *machines;
	struct raw_clocks *clocks;
	struct raw_benchmark *benchmarks;
	unsigned benchmarks_count;
	struct raw_thresholds *thresholds;
	struct raw_limits *limits;
};

struct raw_profiles {
	struct raw_profile *profiles;
	unsigned profiles_count;
};

/* path is named in errors only. Free with raw_profiles_free(). */
int raw_profiles_parse(const char *path, const char *text, size_t len,
	struct raw_profiles **ret_profiles, struct error *e);
struct raw_profiles *raw_profiles_free(struct raw_profiles *p);

#endif
