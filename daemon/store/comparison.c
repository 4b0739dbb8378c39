/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/internal.h"
#include "daemon/store/tables.h"

int comparison_insert(struct store *s, int64_t id, const char *patched, struct error *e)
{
	return store_exec(s, e, "INSERT INTO comparison (series_id, patched) VALUES (?, ?)", "is",
		id, patched);
}
