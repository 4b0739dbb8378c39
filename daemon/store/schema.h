/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbered files of schemas/sql, put into the binary by daemon/CMakeLists.txt; by version. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <stddef.h>

struct schema {
	int version;
	const char *sql;
};

extern const struct schema schemas[];
extern const size_t schemas_n;

#endif
