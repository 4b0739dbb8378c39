/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who may, what is refused and how, the dashboard's cookie and files. */
#include "http_lab.h"

static void test_open(void **state)
{
	static const char *const open_to_all[] = {"GET /healthz", "GET /api/v1/healthz",
		"GET /api/v1/openapi.json", "GET /", "HEAD /"};

	for (size_t i = 0; i < ARRAY_SIZE(open_to_all); i++) {
		AUTO_ANSWER struct answer a = ask(*state, open_to_all[i], NULL, NULL, NULL);

		assert_int_equal(a.status, 200);
	}
}

/* Path of a route with something in the place of what it captures. */
static void example_path(const struct route *route, char *buf, size_t size)
{
	const char *id = strstr(route->path, ":id");
	const char *name = strstr(route->path, ":name");

	if (id)
		(void)snprintf(
			buf, size, "%.*s999999%s", (int)(id - route->path), route->path, id + 3);
	else if (name)
		(void)snprintf(buf, size, "%.*snobody%s", (int)(name - route->path), route->path,
			name + 5);
	else
		(void)snprintf(buf, size, "%s", route->path);
}

static void test_every_route_wants_a_token(void **state)
{
	struct lab *lab = *state;

	for (const struct route *r = http_routes; r->method; r++) {
		char path[128], line[256];

		example_path(r, path, sizeof(path));
		(void)snprintf(line, sizeof(line), "%s %s", r->method, path);
		if (r->access != ACCESS_OPEN) {
			AUTO_ANSWER struct answer none = ask(lab, line, NULL, NULL, NULL);
			AUTO_ANSWER struct answer wrong = ask(lab, line, "wrong", NULL, NULL);
			AUTO_FREE char *challenge = header_of(&none, "WWW-Authenticate");

			assert_problem(&none, 401, "token");
			assert_problem(&wrong, 401, "not valid");
			assert_string_equal(challenge, "Bearer realm=\"patchbay\"");
		}
		if (r->access > ACCESS_READ) {
			AUTO_ANSWER struct answer a = ask(lab, line, lab->read, NULL, NULL);

			assert_problem(&a, 403, "");
		}
		(void)snprintf(line, sizeof(line), "PATCH %s", path);
		{
			AUTO_ANSWER struct answer a = ask(lab, line, lab->admin, NULL, NULL);
			AUTO_FREE char *allow = header_of(&a, "Allow");

			assert_problem(&a, 405, "it takes");
			assert_non_null(strstr(allow, r->method));
		}
	}
}

static void test_bad_tokens(void **state)
{
	struct lab *lab = *state;
	AUTO_FREE char *basic = xasprintf("Authorization: Basic %s\r\n", lab->admin);
	AUTO_FREE char *lower = xasprintf("Authorization: bearer %s\r\n", lab->admin);
	AUTO_FREE char *longer = xasprintf("%sx", lab->admin);
	AUTO_ANSWER struct answer a = ask(lab, "GET /api/v1/trees", NULL, basic, NULL);
	AUTO_ANSWER struct answer b = ask(lab, "GET /api/v1/trees", NULL, lower, NULL);
	AUTO_ANSWER struct answer c = ask(lab, "GET /api/v1/trees", longer, NULL, NULL);
	AUTO_ANSWER struct answer d = ask(lab, "GET /api/v1/trees", "", NULL, NULL);

	assert_problem(&a, 401, "bearer");
	assert_int_equal(b.status, 200);
	assert_problem(&c, 401, "not valid");
	assert_problem(&d, 401, "not valid");
}

static void test_tokens(void **state)
{
	struct lab *lab = *state;
	AUTO_ANSWER struct answer made =
		ask(lab, "POST /api/v1/tokens", lab->admin, NULL, "{\"scope\":\"read\"}");
	AUTO_JSON cJSON *token = cJSON_Parse(made.body);
	const char *secret = json_str(token, "token", "");
	AUTO_FREE char *revoke =
		xasprintf("DELETE /api/v1/tokens/%lld", (long long)json_int(token, "id", 0));

	assert_int_equal(made.status, 201);
	{
		AUTO_ANSWER struct answer a = ask(lab, "GET /api/v1/trees", secret, NULL, NULL);
		AUTO_ANSWER struct answer list =
			ask(lab, "GET /api/v1/tokens", lab->admin, NULL, NULL);
		AUTO_ANSWER struct answer gone = ask(lab, revoke, lab->admin, NULL, NULL);
		AUTO_ANSWER struct answer after = ask(lab, "GET /api/v1/trees", secret, NULL, NULL);

		assert_int_equal(a.status, 200);
		assert_int_equal(list.status, 200);
		assert_null(strstr(list.body, secret));
		assert_int_equal(gone.status, 204);
		assert_problem(&after, 401, "");
	}
	{
		AUTO_ANSWER struct answer a =
			ask(lab, "POST /api/v1/tokens", lab->admin, NULL, "{\"scope\":\"root\"}");
		AUTO_ANSWER struct answer b =
			ask(lab, "POST /api/v1/tokens", lab->admin, NULL, "{\"scope\"");
		AUTO_ANSWER struct answer c =
			ask(lab, "POST /api/v1/tokens", lab->admin, NULL, "[]");

		assert_problem(&a, 400, "read, submit, admin");
		assert_problem(&b, 400, "JSON");
		assert_problem(&c, 400, "object");
	}
}

/* The cookie of an answer as a header to send; heap. */
static char *cookie_of(const struct answer *a)
{
	AUTO_FREE char *set = header_of(a, "Set-Cookie");

	assert_non_null(set);
	assert_non_null(strstr(set, "; HttpOnly"));
	assert_non_null(strstr(set, "; SameSite=Strict"));
	set[strcspn(set, ";")] = '\0';
	return xasprintf("Cookie: %s\r\n", set);
}

static void test_link_works_once(void **state)
{
	struct lab *lab = *state;
	AUTO_ANSWER struct answer made =
		ask(lab, "POST /api/v1/session/link", lab->submit, NULL, NULL);
	AUTO_JSON cJSON *link = cJSON_Parse(made.body);
	const char *url = json_str(link, "url", "");
	AUTO_FREE char *head = xasprintf("HEAD %s", url + strlen("http://lab"));
	AUTO_FREE char *get = xasprintf("GET %s", url + strlen("http://lab"));

	assert_int_equal(made.status, 201);
	assert_true(starts_with(url, "http://lab/?token="));
	{
		/* Looking is not opening. */
		AUTO_ANSWER struct answer look = ask(lab, head, NULL, NULL, NULL);
		AUTO_ANSWER struct answer first = ask(lab, get, NULL, NULL, NULL);
		AUTO_ANSWER struct answer second = ask(lab, get, NULL, NULL, NULL);
		AUTO_FREE char *to = header_of(&first, "Location");
		AUTO_FREE char *again = header_of(&second, "Location");
		AUTO_FREE char *none = header_of(&second, "Set-Cookie");
		AUTO_FREE char *cookie = cookie_of(&first);
		AUTO_ANSWER struct answer who = ask(lab, "GET /api/v1/session", NULL, cookie, NULL);

		assert_int_equal(look.status, 303);
		assert_int_equal(first.status, 303);
		assert_string_equal(to, "/");
		assert_int_equal(second.status, 303);
		assert_string_equal(again, "/#link-used");
		assert_null(none);
		assert_int_equal(who.status, 200);
		assert_non_null(strstr(who.body, "\"submit\""));
	}
}

static void test_cookie_and_origin(void **state)
{
	struct lab *lab = *state;
	AUTO_ANSWER struct answer made = ask(lab, "POST /api/v1/session", lab->admin, NULL, NULL);
	AUTO_FREE char *cookie = cookie_of(&made);
	AUTO_FREE char *ours = xasprintf("%sOrigin: http://lab\r\n", cookie);
	AUTO_FREE char *theirs = xasprintf("%sOrigin: http://evil\r\n", cookie);
	AUTO_FREE char *null = xasprintf("%sOrigin: null\r\n", cookie);

	assert_int_equal(made.status, 201);
	{
		AUTO_ANSWER struct answer read = ask(lab, "GET /api/v1/trees", NULL, cookie, NULL);
		AUTO_ANSWER struct answer a =
			ask(lab, "POST /api/v1/series/9/rerun", NULL, cookie, NULL);
		AUTO_ANSWER struct answer b =
			ask(lab, "POST /api/v1/series/9/rerun", NULL, theirs, NULL);
		AUTO_ANSWER struct answer c =
			ask(lab, "POST /api/v1/series/9/rerun", NULL, null, NULL);
		AUTO_ANSWER struct answer d =
			ask(lab, "POST /api/v1/series/9/rerun", NULL, ours, NULL);

		assert_int_equal(read.status, 200);
		assert_problem(&a, 403, "another site");
		assert_problem(&b, 403, "another site");
		assert_problem(&c, 403, "another site");
		assert_problem(&d, 404, "series 9");
	}
	{
		/* A cookie never reaches to admin. */
		AUTO_ANSWER struct answer a = ask(lab, "GET /api/v1/tokens", NULL, ours, NULL);
		AUTO_ANSWER struct answer out =
			ask(lab, "DELETE /api/v1/session", NULL, ours, NULL);
		AUTO_ANSWER struct answer after = ask(lab, "GET /api/v1/trees", NULL, cookie, NULL);

		assert_problem(&a, 403, "");
		assert_int_equal(out.status, 204);
		assert_problem(&after, 401, "");
	}
}

static void test_nothing_there(void **state)
{
	struct lab *lab = *state;
	static const char *const paths[] = {"/api", "/api/", "/api/v1", "/api/v2/series",
		"/api/v1/series/abc", "/api/v1/series/1/nope", "/api/v1/trees/..%2f..%2fx/fetch"};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		AUTO_FREE char *line = xasprintf("GET %s", paths[i]);
		AUTO_ANSWER struct answer a = ask(lab, line, lab->admin, NULL, NULL);

		assert_problem(&a, 404, "openapi.json");
	}
}

static void test_bad_queries(void **state)
{
	struct lab *lab = *state;
	static const struct {
		const char *line, *words;
	} cases[] = {
		{"GET /api/v1/series?limit=0", "from 1 to 500"},
		{"GET /api/v1/series?limit=501", "from 1 to 500"},
		{"GET /api/v1/series?limit=", "from 1 to 500"},
		{"GET /api/v1/series?cursor=-1", "cursor"},
		{"GET /api/v1/series?state=nope", "received, held"},
		{"GET /api/v1/series?verdict=nope", "pass, fail"},
		{"GET /api/v1/series?nope=1", "There is no parameter 'nope'"},
		{"GET /api/v1/trees/?x", ""},
		{"GET /api/v1/jobs?status=nope", "queued"},
		{"GET /api/v1/jobs?series=x", "series"},
		{"GET /api/v1/comparisons?verdict=nope", "pass, fail"},
		{"GET /api/v1/jobs?comparison=x", "comparison"},
		{"GET /api/v1/jobs/1?follow=maybe", "follow"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_ANSWER struct answer a = ask(lab, cases[i].line, lab->read, NULL, NULL);

		assert_problem(&a, a.status == 404 ? 404 : 400, cases[i].words);
	}
}

static void test_two_lengths(void **state)
{
	static const char *const headers[] = {
		"Content-Length: 5\r\n", "content-length: 7\r\n", "Transfer-Encoding: chunked\r\n"};
	struct lab *lab = *state;

	for (size_t i = 0; i < ARRAY_SIZE(headers); i++) {
		AUTO_ANSWER struct answer a =
			ask(lab, "POST /api/v1/tokens", lab->admin, headers[i], "5\r\n");

		assert_problem(&a, 400, "more than once");
	}
}

static void test_files(void **state)
{
	struct lab *lab = *state;
	AUTO_ANSWER struct answer page = ask(lab, "GET /series/3", NULL, NULL, NULL);
	AUTO_ANSWER struct answer script = ask(lab, "GET /assets/app-1a2b3c.js", NULL, NULL, NULL);
	AUTO_ANSWER struct answer missing = ask(lab, "GET /assets/gone.js", NULL, NULL, NULL);
	AUTO_ANSWER struct answer post = ask(lab, "POST /", NULL, NULL, NULL);
	AUTO_FREE char *policy = header_of(&page, "Content-Security-Policy");
	AUTO_FREE char *page_cache = header_of(&page, "Cache-Control");
	AUTO_FREE char *script_cache = header_of(&script, "Cache-Control");
	AUTO_FREE char *script_type = header_of(&script, "Content-Type");

	assert_int_equal(page.status, 200);
	assert_string_equal(page.body, "<!doctype html>the page");
	assert_true(starts_with(policy, "default-src 'none'"));
	assert_string_equal(page_cache, "no-cache");
	assert_int_equal(script.status, 200);
	assert_string_equal(script.body, "the script");
	assert_non_null(strstr(script_cache, "immutable"));
	assert_true(starts_with(script_type, "text/javascript"));
	assert_problem(&missing, 404, "gone.js");
	assert_problem(&post, 405, "GET");
}

static void test_no_way_out(void **state)
{
	struct lab *lab = *state;
	static const char *const paths[] = {"/../secret.html", "/assets/../../secret.html",
		"/%2e%2e/secret.html", "/assets/%2e%2e%2f%2e%2e%2fsecret.html", "/.hidden",
		"/assets//app-1a2b3c.js", "/assets/app-1a2b3c.js%00.html", "/assets"};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		AUTO_FREE char *line = xasprintf("GET %s", paths[i]);
		AUTO_ANSWER struct answer a = ask(lab, line, NULL, NULL, NULL);

		if (a.status == 200)
			assert_string_equal(a.body, "<!doctype html>the page");
		else
			assert_problem(&a, 404, "");
	}
}

static void test_metrics(void **state)
{
	struct lab *lab = *state;
	AUTO_ANSWER struct answer a = ask(lab, "GET /metrics", lab->read, NULL, NULL);

	assert_int_equal(a.status, 200);
	assert_non_null(strstr(a.body, "\npatchbay_http_streams 0\n"));
	assert_non_null(strstr(a.body, "# TYPE patchbay_http_requests_total counter\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_every_route_wants_a_token),
		cmocka_unit_test(test_bad_tokens),
		cmocka_unit_test(test_tokens),
		cmocka_unit_test(test_link_works_once),
		cmocka_unit_test(test_cookie_and_origin),
		cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_bad_queries),
		cmocka_unit_test(test_two_lengths),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_no_way_out),
		cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests(tests, lab_setup, lab_teardown);
}
