/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where profiles come from: the shipped ones, then the lab's own. */
#include "daemon/config/profile.h"
#include "daemon/sched/internal.h"

struct folders {
	char *shipped_profiles, *own_profiles, *shipped_kernel, *own_kernel;
	const char *profiles[2], *kernel[2];
	struct profile_paths paths;
};

static void folders_done(struct folders *f)
{
	free(f->shipped_profiles);
	free(f->own_profiles);
	free(f->shipped_kernel);
	free(f->own_kernel);
}

static void folders_init(struct folders *f, const struct sched *s)
{
	f->shipped_profiles = path_join(s->share, "profiles");
	f->shipped_kernel = path_join(s->share, "agents/kernel");
	f->own_profiles = path_join(s->state, "profiles");
	f->own_kernel = path_join(s->state, "kernel");
	f->profiles[0] = f->shipped_profiles;
	f->profiles[1] = f->own_profiles;
	f->kernel[0] = f->shipped_kernel;
	f->kernel[1] = f->own_kernel;
	f->paths = (struct profile_paths){f->profiles, 2, f->kernel, 2};
}

int sched_profile(const struct sched *s, const char *name, cJSON **ret_profile, struct error *e)
{
	CLEANUP(folders_done) struct folders f;
	AUTO_JSON cJSON *profile = NULL;
	int err;

	folders_init(&f, s);
	err = profile_load(&f.paths, name, &profile, e);
	if (!err)
		err = sched_pack_tests(s, profile, e);
	if (!err)
		*ret_profile = steal_ptr(profile);
	return err;
}

int sched_profiles(const struct sched *s, cJSON **ret_array, struct error *e)
{
	CLEANUP(folders_done) struct folders f;

	folders_init(&f, s);
	return profile_load_all(&f.paths, ret_array, e);
}
