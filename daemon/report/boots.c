/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/report/internal.h"

struct boot_list boots_all(const cJSON *report)
{
	const cJSON *pairs = json_get(report, "boots"), *extra = json_get(report, "extra_boots");
	size_t room = (size_t)cJSON_GetArraySize(pairs) + (size_t)cJSON_GetArraySize(extra);
	struct boot_list list = {xcalloc(room + 1, sizeof(*list.items)), 0};
	const cJSON *boot;

	json_for_each (boot, pairs)
		list.items[list.n++] = boot;
	json_for_each (boot, extra)
		list.items[list.n++] = boot;
	return list;
}

static bool same_member(const cJSON *a, const cJSON *b, const char *key)
{
	return streq(json_str(a, key, ""), json_str(b, key, ""));
}

bool same_stream(const cJSON *a, const cJSON *b)
{
	return same_member(a, b, "machine") && same_member(a, b, "clock") &&
	       same_member(a, b, "part");
}

bool is_first_of_stream(const struct boot_list *boots, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_stream(boots->items[k], boots->items[i]))
			return false;
	return true;
}

static bool has_finding(const cJSON *boot, const char *signature)
{
	const cJSON *f;

	json_for_each (f, json_get(boot, "findings"))
		if (streq(json_str(f, "signature", NULL), signature))
			return true;
	return false;
}

struct boot_tally boots_tally(
	const struct boot_list *boots, const char *side, const cJSON *like, const char *signature)
{
	struct boot_tally t = {0};

	for (size_t i = 0; i < boots->n; i++) {
		const cJSON *boot = boots->items[i];
		bool passed = streq(json_str(boot, "status", ""), "pass");
		bool ended = passed || streq(json_str(boot, "status", ""), "fail");

		/* A canary does what another boot did: it is not one more. */
		if (!streq(json_str(boot, "side", ""), side) ||
			(like && !same_stream(boot, like)) ||
			streq(json_str(boot, "role", ""), "canary"))
			continue;
		t.all++;
		t.ended += ended;
		t.passed += passed;
		t.shown += ended && signature && has_finding(boot, signature);
	}
	return t;
}

static const char *clock_words(const char *clock)
{
	return streq(clock, "counted") ? "counted time" : "wall clock";
}

char *stream_words(const cJSON *o)
{
	const char *part = json_str(o, "part", "");

	return xasprintf(
		"%s%s%s", clock_words(json_str(o, "clock", "wall")), *part ? ", part " : "", part);
}

char *boot_name(const struct boot_list *boots, size_t i)
{
	const cJSON *boot = boots->items[i];
	AUTO_FREE char *stream = stream_words(boot);

	return xasprintf("%s boot (%s, %s %lld, seed %lld)", json_str(boot, "side", "?"), stream,
		json_str(boot, "role", "?"), (long long)json_int(boot, "pair", 0),
		(long long)json_int(boot, "seed", 0));
}

char *machine_words(const char *machine, const char *accel)
{
	return accel ? xasprintf("%s (%s)", machine, accel) : xstrdup(machine);
}

const char *stream_accel(const cJSON *report, const cJSON *like)
{
	const cJSON *boot;

	json_for_each (boot, json_get(report, "boots"))
		if (same_member(boot, like, "machine") && same_member(boot, like, "clock") &&
			json_str(boot, "accel", NULL))
			return json_str(boot, "accel", NULL);
	return NULL;
}

bool boot_failed(const cJSON *boot)
{
	return streq(json_str(boot, "status", ""), "fail") ||
	       streq(json_str(boot, "status", ""), "error");
}

bool is_repeated_failure(const struct boot_list *boots, size_t i, int *ret_more)
{
	static const char *const same[] = {"side", "status", "machine", "clock", "part", "reason"};
	int more = 0;

	for (size_t k = 0; k < boots->n; k++) {
		bool alike = true;

		for (size_t n = 0; n < ARRAY_SIZE(same); n++)
			alike = alike && same_member(boots->items[k], boots->items[i], same[n]);
		if (alike && k < i)
			return true;
		more += alike && k > i;
	}
	*ret_more = more;
	return false;
}
