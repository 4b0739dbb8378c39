/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/sha256.h"

static void test_known_hashes(void **state)
{
	/* FIPS 180-4's examples. */
	static const struct {
		const char *text, *hex;
	} cases[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char hex[SHA256_HEX];

		sha256_of(cases[i].text, strlen(cases[i].text), hex);
		assert_string_equal(hex, cases[i].hex);
	}
}

static void test_a_million_in_odd_pieces(void **state)
{
	char piece[997], hex[SHA256_HEX];
	struct sha256 h;
	size_t left = 1000000;

	memset(piece, 'a', sizeof(piece));
	sha256_init(&h);
	while (left) {
		size_t n = MIN_OF(left, sizeof(piece));

		sha256_add(&h, piece, n);
		left -= n;
	}
	sha256_hex(&h, hex);
	assert_string_equal(
		hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_every_length_around_a_block(void **state)
{
	char text[200], whole[SHA256_HEX], split[SHA256_HEX];

	memset(text, 'z', sizeof(text));
	for (size_t len = 50; len < 140; len++) {
		struct sha256 h;

		sha256_of(text, len, whole);
		sha256_init(&h);
		for (size_t i = 0; i < len; i++)
			sha256_add(&h, text + i, 1);
		sha256_hex(&h, split);
		assert_string_equal(whole, split);
	}
}

static void test_crc32(void **state)
{
	assert_int_equal(crc32_add(0, "", 0), 0);
	assert_int_equal(crc32_add(0, "123456789", 9), 0xcbf43926);
	assert_int_equal(crc32_add(crc32_add(0, "1234", 4), "56789", 5), 0xcbf43926);
}

static void test_iso(void **state)
{
	char buf[32];

	assert_string_equal(clock_iso(0, buf), "1970-01-01T00:00:00.000Z");
	assert_string_equal(clock_iso(1796058764123, buf), "2026-11-30T17:12:44.123Z");
	assert_string_equal(clock_iso(-1, buf), "1969-12-31T23:59:59.999Z");
}

static void test_poll_ms(void **state)
{
	int64_t now = clock_mono_ms();

	assert_int_equal(clock_poll_ms(-1), -1);
	assert_int_equal(clock_poll_ms(now - 1), 0);
	assert_in_range(clock_poll_ms(now + 5000), 1, 5000);
	assert_int_equal(clock_poll_ms(INT64_MAX), INT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_hashes),
		cmocka_unit_test(test_a_million_in_odd_pieces),
		cmocka_unit_test(test_every_length_around_a_block),
		cmocka_unit_test(test_crc32),
		cmocka_unit_test(test_iso),
		cmocka_unit_test(test_poll_ms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
