/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GET /jobs/N/log: the log of a job's newest attempt as it is now, or with ?follow=1 as an event
 * stream until the job ends: `log` {"text"} pieces that end at the end of a line where they can,
 * `restart` where the job begins anew and so does its log, `end` {"status","reason"}. Their ids,
 * ATTEMPT:OFFSET, make Last-Event-ID go on where it broke off.
 */
#ifndef HTTP_LOGS_H
#define HTTP_LOGS_H

#include <stdint.h>

struct http;

/* Something happened to the job or its log. */
void logs_wake(struct http *http, int64_t job_id);

#endif
