/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/config/profile.h"
#include "base/file.h"
#include "daemon/config/profile_measure.h"
#include "daemon/config/profile_set.h"
#include "daemon/config/units.h"
#include <ctype.h>

#define MAX_CMDLINE 1536 /* the kernel's own limit is 2048, and the lab adds to it */
#define MAX_FRAGMENT (256 * 1024)

static int add_fragment(
	cJSON *to, const struct profile_paths *paths, const char *name, struct error *e)
{
	AUTO_FREE char *file = xasprintf("%s.config", name);
	AUTO_STRBUF struct strbuf looked;

	strbuf_init(&looked, 512);
	if (!profile_name_ok(name))
		return error_set(e, ERR_SYNTAX,
			"config.fragments: '%s' is not the name of a fragment: write the file's "
			"name without folder and .config",
			name);
	for (size_t i = paths->n_kernel_folders; i-- > 0;) {
		AUTO_FREE char *path = path_join(paths->kernel_folders[i], file);
		AUTO_FREE char *text = NULL;
		cJSON *fragment;
		size_t len;
		int err;

		strbuf_addf(&looked, "%s%s", looked.len ? " and " : "", paths->kernel_folders[i]);
		if (!file_exists(path))
			continue;
		err = file_read(path, MAX_FRAGMENT, &text, &len, e);
		if (err)
			return err;
		if (memchr(text, '\0', len))
			return error_set(
				e, ERR_SYNTAX, "%s holds a NUL byte: it must be text", path);
		fragment = cJSON_CreateObject();
		json_set_str(fragment, "name", name);
		json_set_str(fragment, "text", text);
		cJSON_AddItemToArray(to, fragment);
		return 0;
	}
	return error_set(e, ERR_MISSING, "config.fragments: there is no %s in %s", file,
		looked.len ? looked.buf : "any folder");
}

static int resolve_config(
	const struct raw_config *raw, const struct profile_paths *paths, cJSON *to, struct error *e)
{
	const char *base = raw && raw->base ? raw->base : "tinyconfig";
	cJSON *fragments;

	if (!profile_name_ok(base))
		return error_set(e, ERR_SYNTAX,
			"config.base: '%s' is not a make target such as tinyconfig", base);
	json_set_str(to, "base", base);
	fragments = json_add_array(to, "fragments");
	for (unsigned i = 0; raw && i < raw->fragments_count; i++) {
		int err = add_fragment(fragments, paths, raw->fragments[i], e);

		if (err)
			return err;
	}
	return 0;
}

static int check_cmdline(const char *cmdline, struct error *e)
{
	AUTO_FREE char *copy = xstrdup(cmdline);
	char *save = NULL;

	if (strlen(cmdline) > MAX_CMDLINE)
		return error_set(e, ERR_LIMIT, "cmdline: it is longer than %d bytes", MAX_CMDLINE);
	for (const char *c = cmdline; *c; c++)
		if (iscntrl((unsigned char)*c))
			return error_set(e, ERR_SYNTAX,
				"cmdline: it holds a control character: write one line");
	for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (streq(word, "quiet"))
			return error_set(e, ERR_SYNTAX,
				"cmdline: 'quiet' hides the kernel's warnings from the lab: leave "
				"it out");
		if (streq(word, "--"))
			return error_set(e, ERR_SYNTAX,
				"cmdline: what follows '--' belongs to the lab: leave it out");
	}
	return 0;
}

/* The kernel's checkers that patchbay-target can prove to be watching. Under one of them nothing
 * is timed, so that nothing timed can decide. */
static int resolve_checker(const struct raw_profile *raw, cJSON *to, struct error *e)
{
	static const char *const known[] = {"lockdep", "kasan", "kcsan", "fault"};
	size_t i = 0;

	if (!raw->checker)
		return 0;
	while (i < ARRAY_SIZE(known) && !streq(known[i], raw->checker))
		i++;
	if (i == ARRAY_SIZE(known))
		return error_set(e, ERR_SYNTAX,
			"checker: '%s' is not known: write lockdep, kasan, kcsan or fault",
			raw->checker);
	for (unsigned k = 0; k < raw->benchmarks_count; k++)
		if (raw->benchmarks[k].primary_count)
			return error_set(e, ERR_SYNTAX,
				"benchmarks: under a checker nothing is compared: leave 'primary:' "
				"out");
	json_set_str(to, "checker", raw->checker);
	return 0;
}

static int resolve_tags(const struct raw_machines *raw, cJSON *to, struct error *e)
{
	cJSON *tags = json_add_array(to, "tags");

	for (unsigned i = 0; raw && i < raw->tags_count; i++) {
		if (!profile_name_ok(raw->tags[i]))
			return error_set(e, ERR_SYNTAX,
				"machines.tags: '%s' is not a tag: write letters, digits, '.', '_' "
				"and '-'",
				raw->tags[i]);
		json_push_str(tags, raw->tags[i]);
	}
	return 0;
}

static int resolve_limits(const struct raw_limits *raw, cJSON *to, struct error *e)
{
	const struct raw_limits none = {0};
	const struct raw_limits *given = raw ? raw : &none;
	const struct {
		const char *name;
		const char *text;
		int64_t seconds; /* where nothing is said */
	} limits[] = {
		{"build", given->build, 3600},
		{"build_silence", given->build_silence, 600},
		{"boot", given->boot, 60},
		{"silence", given->silence, 60},
		{"total", given->total, 600},
	};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		AUTO_FREE char *key = xasprintf("%s_seconds", limits[i].name);
		int64_t seconds = limits[i].seconds;

		if (limits[i].text && units_duration(limits[i].text, &seconds, e))
			return error_prefix(e, "limits.%s", limits[i].name);
		json_set_int(to, key, seconds);
	}
	return 0;
}

static int resolve_raw(const struct raw_profile *raw, const struct profile_paths *paths, cJSON *to,
	struct error *e)
{
	const char *arch = raw->arch ? raw->arch : "x86_64";
	const char *cmdline = raw->cmdline ? raw->cmdline : "";
	int err;

	if (!streq(arch, "x86_64"))
		return error_set(e, ERR_SYNTAX, "arch: '%s' is not known: write x86_64", arch);
	json_set_str(to, "name", raw->name);
	json_set_str(to, "arch", arch);
	err = resolve_config(raw->config, paths, json_add_object(to, "config"), e);
	if (!err)
		err = check_cmdline(cmdline, e);
	json_set_str(to, "cmdline", cmdline);
	if (!err)
		err = resolve_checker(raw, to, e);
	if (!err)
		err = resolve_tags(raw->machines, json_add_object(to, "machines"), e);
	if (!err)
		err = profile_measure(raw, to, e);
	if (!err)
		err = resolve_limits(raw->limits, json_add_object(to, "limits"), e);
	return err;
}

static int resolve(const struct profile_entry *entry, const struct profile_paths *paths,
	cJSON **ret_profile, struct error *e)
{
	AUTO_JSON cJSON *profile = cJSON_CreateObject();

	if (resolve_raw(entry->raw, paths, profile, e))
		return error_prefix(e, "%s, profile '%s'", entry->path, entry->raw->name);
	*ret_profile = steal_ptr(profile);
	return 0;
}

static int unknown(const struct profile_set *set, const struct profile_paths *paths,
	const char *name, struct error *e)
{
	AUTO_STRBUF struct strbuf known;

	strbuf_init(&known, 512);
	for (size_t i = 0; i < set->n_entries; i++)
		strbuf_addf(&known, "%s%s", i ? ", " : "", set->entries[i].raw->name);
	if (known.len)
		return error_set(
			e, ERR_MISSING, "there is no profile '%s': there are %s", name, known.buf);
	return error_set(e, ERR_MISSING, "there is no profile '%s', and none at all in %s", name,
		paths->n_folders ? paths->folders[0] : "any folder");
}

int profile_load(
	const struct profile_paths *paths, const char *name, cJSON **ret_profile, struct error *e)
{
	AUTO_PROFILE_SET struct profile_set set = {0};
	int err = profile_set_load(paths->folders, paths->n_folders, &set, e);

	if (err)
		return err;
	for (size_t i = 0; i < set.n_entries; i++)
		if (streq(set.entries[i].raw->name, name))
			return resolve(&set.entries[i], paths, ret_profile, e);
	return unknown(&set, paths, name, e);
}

int profile_load_all(const struct profile_paths *paths, cJSON **ret_array, struct error *e)
{
	AUTO_PROFILE_SET struct profile_set set = {0};
	AUTO_JSON cJSON *array = cJSON_CreateArray();
	int err = profile_set_load(paths->folders, paths->n_folders, &set, e);

	if (err)
		return err;
	for (size_t i = 0; i < set.n_entries; i++) {
		cJSON *profile = NULL;

		err = resolve(&set.entries[i], paths, &profile, e);
		if (err)
			return err;
		cJSON_AddItemToArray(array, profile);
	}
	*ret_array = steal_ptr(array);
	return 0;
}
