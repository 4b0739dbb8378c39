/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All profiles of some folders, unresolved, one of each name. */
#ifndef CONFIG_PROFILE_SET_H
#define CONFIG_PROFILE_SET_H

#include "daemon/config/profile_file.h"

#define PROFILE_MAX_FILES 256 /* over all folders */
#define PROFILE_MAX_NAME 64

struct profile_entry {
	const struct raw_profile *raw; /* of a file */
	const char *path; /* of that file */
	size_t folder;
};

struct profile_source {
	char *path;
	struct raw_profiles *profiles;
};

struct profile_set {
	struct profile_source *sources;
	size_t n_sources;
	struct profile_entry *entries; /* by name */
	size_t n_entries;
};

/* Letters, digits, '.', '_' and '-', the first a letter or digit; so no part of a path either. */
bool profile_name_ok(const char *name);

int profile_set_load(
	const char *const *folders, size_t n, struct profile_set *ret_set, struct error *e);
void profile_set_done(struct profile_set *set);
#define AUTO_PROFILE_SET CLEANUP(profile_set_done)

#endif
