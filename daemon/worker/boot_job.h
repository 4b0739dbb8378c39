/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a boot job asks for (docs/internals/worker-protocol.md), checked. */
#ifndef WORKER_BOOT_JOB_H
#define WORKER_BOOT_JOB_H

#include "base/error.h"
#include "base/json.h"
#include "base/strbuf.h"

#define BOOT_MAX_INIT_ARGS 4096 /* bytes */

/* Strings and tests are the document's. */
struct boot_job {
	const char *machine_name, *model, *accel, *image, *image_sha256, *cmdline, *clock;
	const char *checker; /* of the kernel's, which is to be active; or NULL */
	const cJSON *tests; /* archives of the lab's own: [{"name","sha256","path"}]; or NULL */
	int64_t memory_mib, cpus, seed, boot_seconds, silence_seconds, total_seconds;
	struct strbuf init_args; /* as patchbay-target takes them */
};

/* boot_job_done() in any case. */
int boot_job_read(struct boot_job *b, const cJSON *doc, struct error *e);
void boot_job_done(struct boot_job *b);

#endif
