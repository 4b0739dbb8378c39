/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON documents, read and built with cJSON. Reading hostile text goes through json_parse(),
 * which limits size and nesting and wants the whole text to be one document in UTF-8.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/strbuf.h"
#include <cjson/cJSON.h>

#define JSON_MAX_DEPTH 64
#define JSON_MAX_BYTES (256 * 1024 * 1024)

static inline void json_freep(cJSON **j)
{
	cJSON_Delete(*j);
}
#define AUTO_JSON CLEANUP(json_freep)

#define json_for_each(item, array) cJSON_ArrayForEach(item, array)

int json_parse(const char *text, size_t len, cJSON **ret_json, struct error *e);
int json_read_file(const char *path, size_t max, cJSON **ret_json, struct error *e);
/* Compact text, heap. */
char *json_text(const cJSON *j);

/* Members of an object; the default where absent, null or of another type. Strings stay the
 * document's. */
const char *json_str(const cJSON *o, const char *key, const char *def);
int64_t json_int(const cJSON *o, const char *key, int64_t def);
double json_num(const cJSON *o, const char *key, double def);
bool json_bool(const cJSON *o, const char *key, bool def);
/* NULL where absent or null. */
const cJSON *json_get(const cJSON *o, const char *key);

/* Required members: ERR_SYNTAX names the key. */
int json_need_str(const cJSON *o, const char *key, const char **ret_s, struct error *e);
int json_need_int(
	const cJSON *o, const char *key, int64_t min, int64_t max, int64_t *ret_n, struct error *e);

/* Building: NULL text becomes null; not finite becomes null; bytes that are not UTF-8 become
 * U+FFFD. */
void json_set_str(cJSON *o, const char *key, const char *value);
/* One more string at the end of an array; bytes that are no UTF-8 become U+FFFD, as above. */
void json_push_str(cJSON *array, const char *value);
void json_set_int(cJSON *o, const char *key, int64_t value);
void json_set_num(cJSON *o, const char *key, double value);
void json_set_bool(cJSON *o, const char *key, bool value);
/* Takes value over; NULL becomes null. */
void json_set(cJSON *o, const char *key, cJSON *value);
/* A copy of value; NULL becomes null. */
void json_set_copy(cJSON *o, const char *key, const cJSON *value);
/* Unix milliseconds as "2026-11-30T17:12:44.123Z"; 0 becomes null. */
void json_set_time(cJSON *o, const char *key, int64_t unix_ms);
cJSON *json_add_object(cJSON *o, const char *key);
cJSON *json_add_array(cJSON *o, const char *key);

#endif
