/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SCHED_RUNNING_H
#define SCHED_RUNNING_H

#include "daemon/sched/internal.h"

struct running {
	struct sched *sched;
	struct running *next;
	struct job_row job;
	char *artifacts;
	int64_t seconds; /* it may take */
	bool waits; /* for a host that others use: that time is not its own */
	struct child child; /* pid 0: it has ended */
	int fd; /* its events */
	struct strbuf in;
	size_t seen; /* bytes of in that hold no end of a line */
	struct loop_source *events, *exit;
	struct loop_source *timer; /* the deadline; then the kill; then storing again */
	/* what it said last */
	char *stage, *text;
	int64_t done, total;
	bool told_progress;
	int64_t told_log;
	size_t kept, kept_bytes; /* findings and samples */
	/* why it was told to end */
	bool stopping;
	enum status stop_status;
	char *why;
	/* what it comes to */
	bool ended; /* it said so */
	struct outcome outcome;
};

#endif
