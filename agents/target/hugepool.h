/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pool of huge pages and a hugetlbfs to take them from. It is reserved before a benchmark
 * fragments memory, and given back after it.
 */
#ifndef TARGET_HUGEPOOL_H
#define TARGET_HUGEPOOL_H

#include "base/error.h"

/* Make the pool of this page size exactly that large. ERR_LIMIT where the kernel could not find
 * so many, ERR_MISSING where it has no such pages. */
int hugepool_set(uint64_t page_bytes, uint64_t pages, struct error *e);
/* That many of this size are free, in a pool that was made at boot: giant pages are not found
 * later. ERR_LIMIT, ERR_MISSING likewise. */
int hugepool_need(uint64_t page_bytes, uint64_t pages, struct error *e);
/* A file without a name, of that size, in huge pages. */
int hugepool_file(uint64_t page_bytes, uint64_t size, int *ret_fd, struct error *e);

#endif
