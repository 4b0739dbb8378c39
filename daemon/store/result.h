/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What builds and boots found: the tables build, boot, finding and sample. */
#ifndef STORE_RESULT_H
#define STORE_RESULT_H

#include "daemon/store/store.h"

/* What came of a job, as in docs/internals/worker-protocol.md. */
int build_set_result(struct store *s, int64_t job_id, const cJSON *result, struct error *e);
int boot_set_result(struct store *s, int64_t job_id, const cJSON *result, struct error *e);
/* A worker's `finding` and `sample` events; n: its place in the order, from 1. */
int finding_insert(struct store *s, int64_t job_id, int n, const cJSON *finding, struct error *e);
int sample_insert(struct store *s, int64_t job_id, int n, const cJSON *sample, struct error *e);

#endif
