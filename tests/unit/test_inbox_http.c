/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What needs no server: addresses, and unpacking. */
#include "patches/inbox/http.h"
#include "patches/inbox/lore.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <zlib.h>

static void one_host_is_scheme_name_and_port(void **state)
{
	(void)state;
	assert_true(http_same_host("https://a.org/x", "https://A.org:443/y"));
	assert_true(http_same_host("http://a.org", "http://a.org:80/"));
	assert_false(http_same_host("http://a.org/", "https://a.org/"));
	assert_false(http_same_host("https://a.org/", "https://b.a.org/"));
	assert_false(http_same_host("https://a.org@b.org/", "https://a.org/"));
	assert_false(http_same_host("https://a.org/", "https://a.org:8443/"));
	assert_false(http_same_host("file:///etc/passwd", "file:///etc/passwd"));
	assert_false(http_same_host("", ""));
}

static void only_http_is_asked(void **state)
{
	static const char *const bad[] = {
		"file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "", "http://"};
	AUTO_STRBUF struct strbuf body;
	struct error e = ERROR_INIT;
	long status;

	(void)state;
	strbuf_init(&body, 1000);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(http_get(bad[i], &body, &status, &e), ERR_SYNTAX);
	assert_int_equal(http_get("http://127.0.0.1:1/", &body, &status, &e), ERR_LINK);
}

static char *pack(const char *data, size_t len, size_t *ret_len)
{
	z_stream z = {.next_in = (z_const Bytef *)data, .avail_in = (uInt)len};
	size_t room = len + 1000;
	char *out = xmalloc(room);

	assert_int_equal(
		deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_out = (Bytef *)out;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	*ret_len = room - z.avail_out;
	(void)deflateEnd(&z);
	return out;
}

static void unpacking_has_a_limit(void **state)
{
	AUTO_FREE char *zeros = xcalloc(1, 1000000);
	size_t len;
	AUTO_FREE char *packed = pack(zeros, 1000000, &len);
	AUTO_STRBUF struct strbuf at;
	AUTO_STRBUF struct strbuf over;

	(void)state;
	strbuf_init(&at, 1000000);
	strbuf_init(&over, 999999);
	assert_int_equal(http_unpack(packed, len, &at, NULL), 0);
	assert_int_equal(at.len, 1000000);
	assert_int_equal(http_unpack(packed, len, &over, NULL), ERR_LIMIT);
	strbuf_truncate(&at, 0);
	for (size_t cut = 3; cut < len; cut += 97) {
		strbuf_truncate(&at, 0);
		assert_int_equal(http_unpack(packed, cut, &at, NULL), ERR_SYNTAX);
	}
	/* Plain bytes pass as they are. */
	strbuf_truncate(&at, 0);
	assert_int_equal(http_unpack("From x", 6, &at, NULL), 0);
	assert_string_equal(at.buf, "From x");
	strbuf_truncate(&at, 0);
	assert_int_equal(http_unpack(zeros, 1000000, &at, NULL), 0);
	strbuf_done(&over);
	strbuf_init(&over, 999999);
	assert_int_equal(http_unpack(zeros, 1000000, &over, NULL), ERR_LIMIT);
}

static void threads_have_addresses(void **state)
{
	static const struct {
		const char *url, *address, *id;
	} good[] = {
		{"https://lore.kernel.org/kvm/a@b/", "https://lore.kernel.org/kvm/a@b/t.mbox.gz",
			"a@b"},
		{"https://lore.kernel.org/kvm/a@b", "https://lore.kernel.org/kvm/a@b/t.mbox.gz",
			"a@b"},
		{"https://lore.kernel.org/kvm/a@b/T/#u",
			"https://lore.kernel.org/kvm/a@b/t.mbox.gz", "a@b"},
		{"https://lore.kernel.org/r/a%2Fb%40c?x=y",
			"https://lore.kernel.org/r/a%2Fb@c/t.mbox.gz", "a/b@c"},
	};
	static const char *const bad[] = {"https://lore.kernel.org/kvm/", "https://u@h/",
		"https://lore.kernel.org", "https://lore.kernel.org/kvm/?q=a@b", "x"};
	AUTO_FREE char *odd = lore_thread("https://h/l/", "../?#\n@x");
	struct error e = ERROR_INIT;

	(void)state;
	assert_string_equal(odd, "https://h/l/..%2F%3F%23%0A@x/t.mbox.gz");
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		AUTO_FREE char *address = NULL;
		AUTO_FREE char *id = NULL;

		assert_int_equal(lore_thread_of(good[i].url, &address, &id, &e), 0);
		assert_string_equal(address, good[i].address);
		assert_string_equal(id, good[i].id);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		AUTO_FREE char *address = NULL;
		AUTO_FREE char *id = NULL;

		assert_int_equal(lore_thread_of(bad[i], &address, &id, &e), ERR_SYNTAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_host_is_scheme_name_and_port),
		cmocka_unit_test(only_http_is_asked),
		cmocka_unit_test(unpacking_has_a_limit),
		cmocka_unit_test(threads_have_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
