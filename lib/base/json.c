/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/json.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/utf8.h"

#include <math.h>

/* What cJSON would take: nesting up to its own thousand, and NUL inside a string, which then
 * reads as a shorter one. */
static int check_text(const char *text, size_t len, struct error *e)
{
	bool in_string = false;
	int depth = 0;

	if (memchr(text, 0, len))
		return error_set(e, ERR_SYNTAX, "JSON text with a NUL byte");
	if (!utf8_is_valid(text, len))
		return error_set(e, ERR_SYNTAX, "JSON text that is not UTF-8");
	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (in_string && c == '\\') {
			if (len - i >= 6 && memcmp(text + i, "\\u0000", 6) == 0)
				return error_set(e, ERR_SYNTAX, "JSON string with a NUL character");
			i++;
		} else if (c == '"') {
			in_string = !in_string;
		} else if (!in_string && (c == '{' || c == '[')) {
			if (++depth > JSON_MAX_DEPTH)
				return error_set(e, ERR_LIMIT,
					"JSON nested deeper than the limit of %d", JSON_MAX_DEPTH);
		} else if (!in_string && (c == '}' || c == ']')) {
			depth--;
		}
	}
	return 0;
}

int json_parse(const char *text, size_t len, cJSON **ret_json, struct error *e)
{
	const char *end = NULL;
	cJSON *json;
	int r;

	if (len > JSON_MAX_BYTES)
		return error_set(e, ERR_LIMIT, "JSON text larger than the limit of %d bytes",
			JSON_MAX_BYTES);
	r = check_text(text, len, e);
	if (r)
		return r;
	json = cJSON_ParseWithLengthOpts(text, len, &end, false);
	if (!json)
		return error_set(e, ERR_SYNTAX, "not JSON: wrong at byte %zu",
			end ? (size_t)(end - text) : 0);
	while (end < text + len && strchr(" \t\r\n", *end))
		end++;
	if (end < text + len) {
		cJSON_Delete(json);
		return error_set(e, ERR_SYNTAX,
			"not JSON: more text after the document, at byte %zu",
			(size_t)(end - text));
	}
	*ret_json = json;
	return 0;
}

int json_read_file(const char *path, size_t max, cJSON **ret_json, struct error *e)
{
	AUTO_FREE char *text = NULL;
	size_t len;
	int r;

	r = file_read(path, max, &text, &len, e);
	if (r)
		return r;
	r = json_parse(text, len, ret_json, e);
	if (r)
		error_prefix(e, "%s", path);
	return r;
}

static void *must(void *p)
{
	if (!p) {
		(void)fputs("out of memory\n", stderr);
		abort();
	}
	return p;
}

char *json_text(const cJSON *j)
{
	return must(cJSON_PrintUnformatted(j));
}

const cJSON *json_get(const cJSON *o, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, key);

	return cJSON_IsNull(item) ? NULL : item;
}

const char *json_str(const cJSON *o, const char *key, const char *def)
{
	const cJSON *item = json_get(o, key);

	return cJSON_IsString(item) ? item->valuestring : def;
}

/* A number as int64_t, where it is one. Doubles at and past 2^63 cannot be converted. */
static bool as_int(const cJSON *item, int64_t *ret_n)
{
	double v = cJSON_IsNumber(item) ? item->valuedouble : NAN;

	if (cJSON_IsRaw(item)) /* one of json_set_int() */
		return !parse_int64(item->valuestring, INT64_MIN, INT64_MAX, ret_n);
	if (!(v >= -9223372036854775808.0 && v < 9223372036854775808.0) || v != trunc(v))
		return false;
	*ret_n = (int64_t)v;
	return true;
}

int64_t json_int(const cJSON *o, const char *key, int64_t def)
{
	int64_t n;

	return as_int(json_get(o, key), &n) ? n : def;
}

double json_num(const cJSON *o, const char *key, double def)
{
	const cJSON *item = json_get(o, key);

	return cJSON_IsNumber(item) ? item->valuedouble : def;
}

bool json_bool(const cJSON *o, const char *key, bool def)
{
	const cJSON *item = json_get(o, key);

	return cJSON_IsBool(item) ? cJSON_IsTrue(item) : def;
}

int json_need_str(const cJSON *o, const char *key, const char **ret_s, struct error *e)
{
	const char *s = json_str(o, key, NULL);

	if (!s)
		return error_set(e, ERR_SYNTAX, "\"%s\" is missing or not a string", key);
	*ret_s = s;
	return 0;
}

int json_need_int(
	const cJSON *o, const char *key, int64_t min, int64_t max, int64_t *ret_n, struct error *e)
{
	int64_t n;

	if (!as_int(json_get(o, key), &n))
		return error_set(e, ERR_SYNTAX, "\"%s\" is missing or not a whole number", key);
	if (n < min || n > max)
		return error_set(e, ERR_LIMIT, "\"%s\" is %lld: it must be from %lld to %lld", key,
			(long long)n, (long long)min, (long long)max);
	*ret_n = n;
	return 0;
}

/* cJSON would write the bytes as they are, and nobody could read the document. */
static cJSON *new_string(const char *value)
{
	AUTO_FREE char *clean = NULL;

	if (!utf8_is_valid(value, strlen(value))) {
		clean = utf8_clean(value);
		value = clean;
	}
	return must(cJSON_CreateString(value));
}

void json_set_str(cJSON *o, const char *key, const char *value)
{
	json_set(o, key, value ? new_string(value) : NULL);
}

void json_push_str(cJSON *array, const char *value)
{
	cJSON_AddItemToArray(array, new_string(value));
}

void json_set_int(cJSON *o, const char *key, int64_t value)
{
	char text[32];

	/* As text: cJSON prints 15 digits. */
	snprintf(text, sizeof(text), "%lld", (long long)value);
	if (value > 999999999999999 || value < -999999999999999)
		json_set(o, key, must(cJSON_CreateRaw(text)));
	else
		json_set_num(o, key, (double)value);
}

void json_set_num(cJSON *o, const char *key, double value)
{
	json_set(o, key, isfinite(value) ? must(cJSON_CreateNumber(value)) : NULL);
}

void json_set_bool(cJSON *o, const char *key, bool value)
{
	json_set(o, key, must(cJSON_CreateBool(value)));
}

void json_set(cJSON *o, const char *key, cJSON *value)
{
	if (!value)
		value = must(cJSON_CreateNull());
	cJSON_DeleteItemFromObjectCaseSensitive(o, key);
	cJSON_AddItemToObject(o, key, value);
}

void json_set_copy(cJSON *o, const char *key, const cJSON *value)
{
	json_set(o, key, value ? must(cJSON_Duplicate(value, true)) : NULL);
}

void json_set_time(cJSON *o, const char *key, int64_t unix_ms)
{
	char when[32];

	json_set_str(o, key, unix_ms ? clock_iso(unix_ms, when) : NULL);
}

cJSON *json_add_object(cJSON *o, const char *key)
{
	cJSON *item = must(cJSON_CreateObject());

	json_set(o, key, item);
	return item;
}

cJSON *json_add_array(cJSON *o, const char *key)
{
	cJSON *item = must(cJSON_CreateArray());

	json_set(o, key, item);
	return item;
}
