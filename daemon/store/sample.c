/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/store/internal.h"
#include "daemon/store/result.h"
#include "daemon/store/tables.h"

int sample_insert(struct store *s, int64_t job_id, int n, const cJSON *sample, struct error *e)
{
	return store_exec(s, e,
		"INSERT INTO sample (job_id, n, metric, value, params) VALUES (?, ?, ?, ?, ?)",
		"iisdj", job_id, (int64_t)n, json_str(sample, "metric", ""),
		json_num(sample, "value", 0), json_get(sample, "params"));
}

int sample_load(struct store *s, int64_t job_id, struct fact_sample **ret_samples, size_t *ret_n,
	struct error *e)
{
	AUTO_STMT sqlite3_stmt *st = NULL;
	int err = store_query(s, &st, e,
		"SELECT metric, value, params FROM sample WHERE job_id = ? ORDER BY n", "i",
		job_id);

	if (err < 0)
		return err;
	while ((err = store_next(st, e)) > 0) {
		struct fact_sample *x = rows_add(*ret_samples, *ret_n);

		x->metric = col_text(st, 0);
		x->value = col_num(st, 1);
		x->params = col_json(st, 2);
	}
	return err;
}
