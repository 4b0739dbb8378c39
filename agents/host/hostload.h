/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The host while a guest runs: what else its processors did, and how they are set. A sample keeps it, so
 * that one taken beside somebody else's work can be told from the others.
 */
#ifndef HOST_HOSTLOAD_H
#define HOST_HOSTLOAD_H

#include "base/strbuf.h"

struct hostload {
	double busy_s; /* of all processors, since the host booted */
	double steal_s; /* that its own host took away */
	double own_s; /* of this process and of those that it waited for */
	int64_t at_ms;
};

/* Pure: processor seconds out of /proc/stat. False where they are not there. */
bool hostload_parse(
	const char *stat, long ticks_per_second, double *ret_busy_s, double *ret_steal_s);

void hostload_now(struct hostload *ret_load);
/* "host":{…} of the time since: processors that others used on average, stolen ones, governor, turbo,
 * NUMA nodes; null where the host does not say. */
void hostload_add(struct strbuf *json, const struct hostload *since);

#endif
