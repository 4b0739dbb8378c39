/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles: what to run for a series, read from folders of YAML files (docs/internals/profiles.md).
 *
 * Every *.yaml file of a folder holds `profiles:`, a list. A profile of a later folder stands in
 * for one of the same name in an earlier folder, whole; the same name twice within a folder is
 * refused, as is any key, unit or value that is not known. A folder that does not exist holds
 * nothing. The shipped folders are SHARE/profiles and SHARE/agents/kernel; a lab's own are
 * STATE/profiles and STATE/kernel, named after them.
 *
 * A resolved profile stands on its own (fragments are texts, units are gone), so it can be stored
 * with a submission and what it means never changes:
 *
 *   {"name":"dma", "arch":"x86_64",
 *    "config":{"base":"tinyconfig", "fragments":[{"name":"lab","text":"CONFIG_64BIT=y\n…"}]},
 *    "cmdline":"intel_iommu=on",
 *    "machines":{"tags":["vtd"]},
 *    "clocks":{"wall":{"pairs":5,"max_pairs":20}, "counted":{"seeds":5}},
 *    "benchmarks":[{"run":"dma-map", "size_mib":1024, "counted_size_mib":256, "iterations":3,
 *                   "warmup":1, "parts":[{"part":"","clocks":["wall","counted"]}],
 *                   "primary":["dma-map.madv_hugepage.unmap_seconds"]}],
 *    "thresholds":{"wall":0.02, "counted":0.01},
 *    "limits":{"build_seconds":3600, "build_silence_seconds":600,
 *              "boot_seconds":60, "silence_seconds":60, "total_seconds":600}}
 *
 * `tests` is there only where the lab's own are run: [{"name":"iommu","path":null or "/…"}]. Once a
 * series is submitted (daemon/sched) each also has `sha256`, and `path` is where its archive is.
 * `checker` ("lockdep", "kasan", "kcsan", "fault") is there only where one of the kernel's checkers is
 * to watch: boots in which it does not are the lab's error, and what was timed is not compared.
 *
 * All members are always there, but of `clocks` only those that are read; `benchmarks` and `tags`
 * may be empty. `parts` are the boots that a benchmark needs, with the profile's clocks that can
 * measure them; "" where one boot does it all. `primary` has whole metric names, `RUN.` before what
 * the file says, at most six over all benchmarks; by the counted clock each stands for its twin that
 * ends in `_instructions`. A benchmark's other options (docs/internals/profiles.md) are there
 * where they are set.
 */
#ifndef CONFIG_PROFILE_H
#define CONFIG_PROFILE_H

#include "base/json.h"

#define PROFILE_MAX_PRIMARY 6
#define PROFILE_MAX_TESTS 8 /* of the lab's own */

struct profile_paths {
	const char *const *folders; /* of YAML files; later ones win */
	size_t n_folders;
	const char *const *kernel_folders; /* of NAME.config; later ones win */
	size_t n_kernel_folders;
};

/*
 * Read everything and resolve the profile `name`; the caller frees *ret_profile. ERR_SYNTAX names
 * the file, the line where there is one, and what to write instead; ERR_MISSING lists the names
 * there are, or the folders where a fragment was looked for.
 */
int profile_load(
	const struct profile_paths *paths, const char *name, cJSON **ret_profile, struct error *e);

/* All profiles, resolved, as an array ordered by name. Fails if any cannot be resolved. */
int profile_load_all(const struct profile_paths *paths, cJSON **ret_array, struct error *e);

#endif
