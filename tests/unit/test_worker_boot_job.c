/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a boot job asks for, and what of it reaches the guest's init. */
#include "daemon/worker/boot_job.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* change: members to put in place of those of a whole job, null: to take away. */
static cJSON *make(const char *change)
{
	static const char whole[] =
		"{\"machine\":{\"name\":\"m\",\"kind\":\"qemu\",\"model\":\"q35-vtd\","
		"\"memory_mib\":1024,\"cpus\":2},\"image\":\"/i\",\"image_sha256\":\"" SHA "\","
		"\"cmdline\":\"\",\"seed\":7,\"limits\":{\"boot_seconds\":1,"
		"\"silence_seconds\":2,\"total_seconds\":3}}";
	cJSON *doc = NULL, *changes = NULL;

	assert_int_equal(json_parse(whole, strlen(whole), &doc, NULL), 0);
	assert_int_equal(json_parse(change, strlen(change), &changes, NULL), 0);
	while (changes->child) {
		cJSON *item = cJSON_DetachItemViaPointer(changes, changes->child);

		cJSON_DeleteItemFromObjectCaseSensitive(doc, item->string);
		if (cJSON_IsNull(item))
			cJSON_Delete(item);
		else
			cJSON_AddItemToObject(doc, item->string, item);
	}
	cJSON_Delete(changes);
	return doc;
}

static void init_is_told_what_to_run(void **state)
{
	static const struct {
		const char *change, *init_args;
	} cases[] = {
		{"{}", "seed=7 clock=wall"},
		{"{\"seed\":0,\"clock\":\"counted\"}", "seed=0 clock=counted"},
		{"{\"checker\":\"kasan\"}", "seed=7 clock=wall checker=kasan"},
		{"{\"benchmarks\":[{\"run\":\"dma-map\",\"size_mib\":1024,\"access\":\"read\","
		 "\"large_pages\":false,\"primary\":[\"a\"]},{\"run\":\"viommu-replay\","
		 "\"part\":\"race\"}]}",
			"seed=7 clock=wall run=dma-map,size_mib=1024,access=read,large_pages=0 "
			"run=viommu-replay,part=race"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_JSON cJSON *doc = make(cases[i].change);
		struct boot_job b;
		struct error e = ERROR_INIT;

		if (boot_job_read(&b, doc, &e))
			fail_msg("%s: %s", cases[i].change, e.msg);
		assert_string_equal(b.init_args.buf, cases[i].init_args);
		boot_job_done(&b);
	}
}

static void what_is_missing_or_wrong_is_named(void **state)
{
	static const struct {
		const char *change, *says;
	} cases[] = {
		{"{\"machine\":null}", "name"},
		{"{\"machine\":{\"name\":\"m\",\"kind\":\"board\",\"model\":\"x\","
		 "\"memory_mib\":64,\"cpus\":1}}",
			"machine m is of kind board"},
		{"{\"limits\":{\"boot_seconds\":1,\"silence_seconds\":0,\"total_seconds\":1}}",
			"silence_seconds"},
		{"{\"image_sha256\":\"abc\"}", "\"abc\" is no SHA-256"},
		{"{\"seed\":-1}", "seed"},
		{"{\"tests\":[{\"name\":\"t\",\"path\":\"/t\"}]}", "tests: "},
		{"{\"benchmarks\":[{\"size_mib\":1}]}", "benchmarks: "},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO_JSON cJSON *doc = make(cases[i].change);
		struct boot_job b;
		struct error e = ERROR_INIT;

		assert_true(boot_job_read(&b, doc, &e) < 0);
		boot_job_done(&b);
		if (!starts_with(e.msg, "the boot job") || !strstr(e.msg, cases[i].says))
			fail_msg("%s: %s", cases[i].change, e.msg);
	}
}

/* The kernel's command line is short: what does not fit is not cut. */
static void too_much_for_the_command_line_is_refused(void **state)
{
	for (size_t over = 0; over <= 1; over++) {
		AUTO_FREE char *name = xcalloc(1, BOOT_MAX_INIT_ARGS);
		AUTO_FREE char *change = NULL;
		AUTO_JSON cJSON *doc = NULL;
		struct boot_job b;

		memset(name, 'x', BOOT_MAX_INIT_ARGS + over - strlen("seed=7 clock=wall run="));
		change = xasprintf("{\"benchmarks\":[{\"run\":\"%s\"}]}", name);
		doc = make(change);
		assert_int_equal(boot_job_read(&b, doc, NULL), over ? ERR_LIMIT : 0);
		boot_job_done(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(init_is_told_what_to_run),
		cmocka_unit_test(what_is_missing_or_wrong_is_named),
		cmocka_unit_test(too_much_for_the_command_line_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
