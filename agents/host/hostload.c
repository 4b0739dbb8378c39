/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/hostload.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/jsonw.h"

#include <math.h>
#include <sys/resource.h>

#define CPU "/sys/devices/system/cpu"
#define MAX_NODES 1024

bool hostload_parse(
	const char *stat, long ticks_per_second, double *ret_busy_s, double *ret_steal_s)
{
	unsigned long long user, nice, system, idle, iowait, irq, softirq, steal;

	if (sscanf(stat, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system,
		    &idle, &iowait, &irq, &softirq, &steal) != 8 ||
		ticks_per_second <= 0)
		return false;
	*ret_busy_s = (double)(user + nice + system + irq + softirq) / (double)ticks_per_second;
	*ret_steal_s = (double)steal / (double)ticks_per_second;
	return true;
}

static double used_by(int who)
{
	struct rusage u;

	if (getrusage(who, &u))
		return 0;
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

void hostload_now(struct hostload *ret_load)
{
	AUTO_FREE char *text = NULL;

	*ret_load = (struct hostload){
		NAN, NAN, used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN), clock_mono_ms()};
	if (!file_read("/proc/stat", 4 * 1024 * 1024, &text, NULL, NULL))
		(void)hostload_parse(
			text, sysconf(_SC_CLK_TCK), &ret_load->busy_s, &ret_load->steal_s);
}

/* A small file's first line, or null. */
static void add_setting(struct strbuf *json, const char *key, const char *path)
{
	AUTO_FREE char *text = NULL;
	char *nl;

	if (file_read(path, 4096, &text, NULL, NULL)) {
		jsonw_str(json, key, NULL);
		return;
	}
	nl = strchr(text, '\n');
	if (nl)
		*nl = '\0';
	jsonw_str(json, key, text);
}

static void add_turbo(struct strbuf *json)
{
	static const struct {
		const char *path;
		char on;
	} files[] = {{CPU "/intel_pstate/no_turbo", '0'}, {CPU "/cpufreq/boost", '1'}};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		AUTO_FREE char *text = NULL;

		if (file_read(files[i].path, 64, &text, NULL, NULL))
			continue;
		jsonw_bool(json, "turbo", *text == files[i].on);
		return;
	}
	jsonw_raw(json, "turbo", "null");
}

static int64_t count_nodes(void)
{
	int64_t n = 0;

	while (n < MAX_NODES) {
		AUTO_FREE char *path = xasprintf("/sys/devices/system/node/node%lld", (long long)n);

		if (!file_exists(path))
			break;
		n++;
	}
	return n;
}

static double used(double now, double before, double seconds)
{
	return seconds > 0 ? MAX_OF(now - before, 0.0) / seconds : NAN;
}

void hostload_add(struct strbuf *json, const struct hostload *since)
{
	struct hostload now;
	double seconds;

	hostload_now(&now);
	seconds = (double)(now.at_ms - since->at_ms) / 1000;
	jsonw_begin(json, "host", '{');
	jsonw_num(json, "foreign_cpus",
		used(now.busy_s - now.own_s, since->busy_s - since->own_s, seconds));
	jsonw_num(json, "stolen_cpus", used(now.steal_s, since->steal_s, seconds));
	jsonw_int(json, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	add_setting(json, "governor", CPU "/cpu0/cpufreq/scaling_governor");
	add_turbo(json);
	jsonw_int(json, "numa_nodes", count_nodes());
	jsonw_end(json, '}');
}
