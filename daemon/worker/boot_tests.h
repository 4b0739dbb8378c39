/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the lab's own tests of a boot came to (docs/internals/tests.md): a case that is not ok, and a
 * program that did not end well, is a finding; what they measured is a sample; a test of which nothing
 * could be asked is the lab's trouble. Records in, these out; no I/O.
 */
#ifndef WORKER_BOOT_TESTS_H
#define WORKER_BOOT_TESTS_H

#include "scan/scan.h"

#define BOOT_TESTS_MAX_PROGRAMS 1000
#define BOOT_TESTS_MAX_FINDINGS 200 /* more are counted */

struct boot_tests;

struct boot_tests_out {
	void (*finding)(const struct scan_finding *f, void *data);
	/* params is taken over. */
	void (*sample)(const char *metric, double value, cJSON *params, void *data);
	void *data;
};

struct boot_tests *boot_tests_new(const struct boot_tests_out *out);
struct boot_tests *boot_tests_free(struct boot_tests *t);
/* SCAN_OUTPUT or SCAN_EXIT. A program's findings are told at its exit. */
void boot_tests_take(struct boot_tests *t, const struct scan_record *r);
/* No more records: tells how many cases were ok, and returns what could not be asked (the tests'), or
 * NULL. */
const char *boot_tests_end(struct boot_tests *t);
/* Findings past the limit. */
size_t boot_tests_dropped(const struct boot_tests *t);

#endif
