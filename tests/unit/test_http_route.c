/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/openapi.h"
#include "daemon/http/route.h"
#include "daemon/http/server.h"
#include <ctype.h>
#include <setjmp.h>
#include <cmocka.h>

#define S "/api/v1/series/:id"
#define T "/trees/:name/fetch"

static void test_match(void **state)
{
	static const struct {
		const char *pattern, *path;
		bool want;
		int64_t id;
		const char *name;
	} cases[] = {
		{"/a/b", "/a/b", true, 0, ""},
		{"/a/b", "/a/b/", false, 0, ""},
		{"/a/b", "/a", false, 0, ""},
		{"/a", "/a/b", false, 0, ""},
		{"/a", "a", false, 0, ""},
		{"/a", "", false, 0, ""},
		{"/a/b", "/a//b", false, 0, ""},
		{S, "/api/v1/series/1", true, 1, ""},
		{S, "/api/v1/series/9223372036854775807", true, INT64_MAX, ""},
		{S, "/api/v1/series/9223372036854775808", false, 0, ""},
		{S, "/api/v1/series/0", false, 0, ""},
		{S, "/api/v1/series/-1", false, 0, ""},
		{S, "/api/v1/series/+1", false, 0, ""},
		{S, "/api/v1/series/ 1", false, 0, ""},
		{S, "/api/v1/series/1x", false, 0, ""},
		{S, "/api/v1/series/", false, 0, ""},
		{T, "/trees/debian-6.12/fetch", true, 0, "debian-6.12"},
		{T, "/trees/../fetch", false, 0, ""},
		{T, "/trees/.git/fetch", false, 0, ""},
		{T, "/trees//fetch", false, 0, ""},
		{T, "/trees/a b/fetch", false, 0, ""},
		{T, "/trees/a%/fetch", false, 0, ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char name[NAME_SIZE] = "";
		int64_t id = 0;
		bool got = route_match(cases[i].pattern, cases[i].path, &id, name);

		if (got != cases[i].want ||
			(got && (id != cases[i].id || strcmp(name, cases[i].name) != 0)))
			fail_msg("%s on %s: %d %lld '%s'", cases[i].pattern, cases[i].path, got,
				(long long)id, name);
	}
}

static void test_name_limit(void **state)
{
	char path[128] = "/t/";
	char name[NAME_SIZE];
	int64_t id;

	memset(path + 3, 'n', NAME_SIZE - 1);
	assert_true(route_match("/t/:name", path, &id, name));
	assert_int_equal(strlen(name), NAME_SIZE - 1);
	path[3 + NAME_SIZE - 1] = 'n';
	assert_false(route_match("/t/:name", path, &id, name));
}

/* "/series/:id" as OpenAPI writes it: "/series/{id}". */
static void openapi_path(const char *path, char *buf)
{
	while (*path) {
		if (*path != ':') {
			*buf++ = *path++;
			continue;
		}
		*buf++ = '{';
		for (path++; *path && *path != '/'; path++)
			*buf++ = *path;
		*buf++ = '}';
	}
	*buf = '\0';
}

/* Every route under /api is described, with its parameters, and nothing else is. */
static void test_described(void **state)
{
	AUTO_JSON cJSON *document = NULL;
	struct error e = ERROR_INIT;
	size_t routes = 0, described = 0;
	cJSON *path, *method;

	if (openapi_load(TEST_SOURCE_DIR "/schemas/openapi.yaml", &document, &e) < 0)
		fail_msg("%s", e.msg);
	for (const struct route *r = http_routes; r->method; r++) {
		char name[128], verb[16] = "";
		cJSON *entry;

		if (!starts_with(r->path, "/api/"))
			continue;
		openapi_path(r->path, name);
		for (size_t i = 0; r->method[i]; i++)
			verb[i] = (char)tolower(r->method[i]);
		entry = cJSON_GetObjectItemCaseSensitive(
			cJSON_GetObjectItemCaseSensitive(document, "paths"), name);
		if (!cJSON_GetObjectItemCaseSensitive(entry, verb))
			fail_msg("%s %s is not in openapi.yaml", verb, name);
		routes++;
	}
	json_for_each (path, json_get(document, "paths")) {
		json_for_each (method, path)
			described += strcmp(method->string, "parameters") != 0;
	}
	assert_int_equal(routes, described);
}

static void test_openapi_errors(void **state)
{
	struct error e = ERROR_INIT;
	cJSON *document;

	assert_int_equal(openapi_load("/nonexistent.yaml", &document, &e), -2);
	assert_non_null(strstr(e.msg, "/nonexistent.yaml"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_match),
		cmocka_unit_test(test_name_limit),
		cmocka_unit_test(test_described),
		cmocka_unit_test(test_openapi_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
