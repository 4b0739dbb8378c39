/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/noise.h"
#include "agents/target/sysfs.h"
#include <dirent.h>
#include <limits.h>

#define THP "/sys/kernel/mm/transparent_hugepage"

/* khugepaged cannot be stopped while huge pages are on: it is left nothing that it may collapse,
 * and sleeps for as long as it can. */
static const struct {
	const char *fact;
	const char *path;
	const char *value;
} settings[] = {
	{"thp_enabled", THP "/enabled", "madvise"},
	{"thp_defrag", THP "/defrag", "madvise"},
	{"thp_shmem_enabled", THP "/shmem_enabled", "never"},
	{"khugepaged_defrag", THP "/khugepaged/defrag", "0"},
	{"khugepaged_max_ptes_none", THP "/khugepaged/max_ptes_none", "0"},
	{"khugepaged_scan_sleep_ms", THP "/khugepaged/scan_sleep_millisecs", "4294967295"},
	{"khugepaged_alloc_sleep_ms", THP "/khugepaged/alloc_sleep_millisecs", "4294967295"},
	{"compaction_proactiveness", "/proc/sys/vm/compaction_proactiveness", "0"},
	{"percpu_pagelist_high_fraction", "/proc/sys/vm/percpu_pagelist_high_fraction", "1000000"},
	{"ksm_run", "/sys/kernel/mm/ksm/run", "0"},
	{"numa_balancing", "/proc/sys/kernel/numa_balancing", "0"},
};

static void apply_setting(struct channel *ch, const char *fact, const char *path, const char *value)
{
	struct error e = ERROR_INIT;
	char text[SYSFS_MAX], chosen[SYSFS_MAX];

	if (access(path, F_OK) != 0) {
		channel_fact(ch, fact, "absent");
		return;
	}
	if (sysfs_write(path, value, &e)) {
		channel_problem(ch, NULL, NULL, PROBLEM_LAB, "%s", e.msg);
		return;
	}
	(void)sysfs_read(path, text, sizeof(text));
	sysfs_chosen(text, chosen, sizeof(chosen));
	channel_fact(ch, fact, chosen);
	if (!streq(chosen, value))
		channel_problem(ch, NULL, NULL, PROBLEM_LAB, "%s is '%s' after '%s' was written",
			path, chosen, value);
}

/* Folios between a page and 2 MiB would be neither the small nor the large case. */
static void quiet_folio_sizes(struct channel *ch)
{
	DIR *dir = opendir(THP);

	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir));) {
		char path[PATH_MAX], fact[300];
		bool huge = streq(entry->d_name, "hugepages-2048kB");

		if (!starts_with(entry->d_name, "hugepages-"))
			continue;
		(void)snprintf(path, sizeof(path), THP "/%s/enabled", entry->d_name);
		(void)snprintf(fact, sizeof(fact), "thp_%s", entry->d_name);
		apply_setting(ch, fact, path, huge ? "inherit" : "never");
	}
	closedir(dir);
}

void noise_quiet(struct channel *ch)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		apply_setting(ch, settings[i].fact, settings[i].path, settings[i].value);
	quiet_folio_sizes(ch);
}

void noise_settle(void)
{
	/* What fails here shows in the spread, and is no reason not to measure. */
	(void)sysfs_write("/proc/sys/vm/drop_caches", "3", NULL);
	(void)sysfs_write("/proc/sys/vm/compact_memory", "1", NULL);
}

/* Of /proc/meminfo; -1: none. */
static int64_t meminfo_kib(const char *name)
{
	char text[SYSFS_MAX];
	int64_t kib = -1;

	if (sysfs_read("/proc/meminfo", text, sizeof(text)) == 0)
		(void)sysfs_number(text, name, &kib);
	return kib;
}

uint64_t noise_memory_available(void)
{
	int64_t kib = meminfo_kib("MemAvailable");

	return kib < 0 ? 0 : (uint64_t)kib * 1024;
}

static void describe_file(struct channel *ch, const char *fact, const char *path)
{
	char text[SYSFS_MAX];

	if (sysfs_read(path, text, sizeof(text)) == 0)
		channel_fact(ch, fact, text);
}

static void describe_cpu(struct channel *ch)
{
	char text[SYSFS_MAX];
	char *model, *nl;

	channel_fact_int(ch, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	if (sysfs_read("/proc/cpuinfo", text, sizeof(text)))
		return;
	model = strstr(text, "model name");
	model = model ? strstr(model, ": ") : NULL;
	if (!model)
		return;
	nl = strchr(model, '\n');
	if (nl)
		*nl = '\0';
	channel_fact(ch, "cpu_model", model + 2);
}

void noise_describe(struct channel *ch)
{
	describe_cpu(ch);
	channel_fact_int(ch, "memory_total_kib", meminfo_kib("MemTotal"));
	channel_fact_int(ch, "memory_available_kib", meminfo_kib("MemAvailable"));
	channel_fact_int(ch, "page_bytes", getpagesize());
	describe_file(ch, "clocksource",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource");
	describe_file(
		ch, "cpufreq_governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	describe_file(ch, "randomize_va_space", "/proc/sys/kernel/randomize_va_space");
	describe_file(ch, "tainted", "/proc/sys/kernel/tainted");
}
