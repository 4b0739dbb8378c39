/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/config/archives.h"
#include "base/file.h"
#include "daemon/config/profile_set.h"
#include "daemon/config/units.h"
#include "daemon/config/yaml.h"

#define FILE_MAX ((size_t)256 * 1024)
#define EVERY_MIN_S 5 /* more often is no use, and rude */

struct raw_archive {
	char *name;
	char *url;
	char *tree;
	char *profile;
	char *until;
	char *every;
	char *history;
	char **paths;
	unsigned paths_count;
	char **lists;
	unsigned lists_count;
	char **allow;
	unsigned allow_count;
	char **trust;
	unsigned trust_count;
};

struct raw_archives {
	char *fetch;
	struct raw_archive *archives;
	unsigned archives_count;
};

static const cyaml_schema_field_t archive_fields[] = {
	YAML_TEXT(name, raw_archive),
	YAML_TEXT(url, raw_archive),
	YAML_TEXT(tree, raw_archive),
	YAML_TEXT(profile, raw_archive),
	YAML_TEXT(until, raw_archive),
	YAML_TEXT(every, raw_archive),
	YAML_TEXT(history, raw_archive),
	YAML_TEXTS(paths, raw_archive),
	YAML_TEXTS(lists, raw_archive),
	YAML_TEXTS(allow, raw_archive),
	YAML_TEXTS(trust, raw_archive),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t archive_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_archive, archive_fields),
};

static const cyaml_schema_field_t top_fields[] = {
	YAML_TEXT(fetch, raw_archives),
	CYAML_FIELD_SEQUENCE("archives", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
		struct raw_archives, archives, &archive_value, 0, YAML_MAX_LIST),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t top_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_archives, top_fields),
};

static bool is_http(const char *address)
{
	return starts_with(address, "https://") || starts_with(address, "http://");
}

/* Printable, without blanks: an address, a path, a name of the mail. */
static bool is_word(const char *text)
{
	for (const char *p = text; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == 127)
			return false;
	return *text;
}

static int add_words(cJSON *to, const char *key, char **words, unsigned n, struct error *e)
{
	cJSON *list = json_add_array(to, key);

	for (unsigned i = 0; i < n; i++) {
		if (!is_word(words[i]))
			return error_set(e, ERR_SYNTAX, "%s: '%s' is not one word", key, words[i]);
		cJSON_AddItemToArray(list, cJSON_CreateString(words[i]));
	}
	return 0;
}

static int add_duration(cJSON *to, const char *key, const char *name, const char *text,
	int64_t min_s, int64_t def_s, struct error *e)
{
	int64_t seconds = def_s;
	int err = text ? units_duration(text, &seconds, e) : 0;

	if (!err && text && seconds < min_s)
		err = error_set(e, ERR_SYNTAX, "'%s' is less than %lld s", text, (long long)min_s);
	if (err)
		return error_prefix(e, "%s", name);
	json_set_int(to, key, seconds);
	return 0;
}

/* Who is allowed is only looked at where somebody is trusted to say that it is them. */
static int check_trust(const struct raw_archive *raw, struct error *e)
{
	for (unsigned i = 0; i < raw->allow_count; i++)
		if (!strchr(raw->allow[i], '@'))
			return error_set(e, ERR_SYNTAX,
				"allow: '%s' is no sender: write an address, or '@' and a domain",
				raw->allow[i]);
	if (raw->allow_count && !raw->trust_count)
		return error_set(e, ERR_SYNTAX,
			"allow: needs 'trust:', the names of servers whose Authentication-Results "
			"say that a mail is from its sender; anybody can write a sender's name");
	return 0;
}

static int resolve(const struct raw_archive *raw, cJSON *to, struct error *e)
{
	const char *until = raw->until ? raw->until : "test";
	int err;

	if (!raw->url || !is_word(raw->url) || (!is_http(raw->url) && raw->url[0] != '/'))
		return error_set(e, ERR_SYNTAX,
			"url: %s%s the list's http or https address, as in "
			"https://lore.kernel.org/kvm/, or the absolute path of an archive's folder",
			raw->url ? raw->url : "", raw->url ? " is not" : "is missing:");
	if (!streq(until, "apply") && !streq(until, "build") && !streq(until, "test"))
		return error_set(e, ERR_SYNTAX, "until: '%s' is not apply, build or test", until);
	json_set_str(to, "name", raw->name);
	json_set_str(to, "address", raw->url);
	json_set_str(to, "tree", raw->tree);
	json_set_str(to, "profile", raw->profile ? raw->profile : "dma");
	json_set_str(to, "until", until);
	if ((err = add_duration(to, "every_seconds", "every", raw->every, EVERY_MIN_S, 300, e)) ||
		(err = add_duration(to, "history_seconds", "history", raw->history, 1, 0, e)) ||
		(err = add_words(to, "paths", raw->paths, raw->paths_count, e)) ||
		(err = add_words(to, "lists", raw->lists, raw->lists_count, e)) ||
		(err = add_words(to, "allow", raw->allow, raw->allow_count, e)) ||
		(err = add_words(to, "trust", raw->trust, raw->trust_count, e)))
		return err;
	return check_trust(raw, e);
}

static int add_archive(cJSON *list, const struct raw_archive *raw, struct error *e)
{
	AUTO_JSON cJSON *archive = cJSON_CreateObject();
	const cJSON *other;
	int err;

	if (!raw->name || !profile_name_ok(raw->name))
		return error_set(e, ERR_SYNTAX,
			"an archive needs 'name:', of at most %d letters, digits, '.', '_' and "
			"'-'%s%s",
			PROFILE_MAX_NAME, raw->name ? ", unlike " : "", raw->name ? raw->name : "");
	json_for_each (other, list)
		if (streq(json_str(other, "name", NULL), raw->name))
			return error_set(e, ERR_CONFLICT, "there are two archives '%s': rename one",
				raw->name);
	err = resolve(raw, archive, e);
	if (err)
		return error_prefix(e, "archive %s", raw->name);
	cJSON_AddItemToArray(list, steal_ptr(archive));
	return 0;
}

int archives_parse(
	const char *path, const char *text, size_t len, cJSON **ret_config, struct error *e)
{
	AUTO_JSON cJSON *config = cJSON_CreateObject();
	struct raw_archives *raw = NULL;
	cJSON *list;
	int err = yamlfile_load(path, text, len, &top_value,
		"docs/OPERATIONS.md says how to follow an archive", (void **)&raw, e);

	if (err)
		return err;
	if (raw && raw->fetch && (!is_http(raw->fetch) || !is_word(raw->fetch)))
		err = error_set(
			e, ERR_SYNTAX, "fetch: '%s' is no http or https address", raw->fetch);
	json_set_str(config, "fetch", raw && raw->fetch ? raw->fetch : ARCHIVES_FETCH);
	list = json_add_array(config, "archives");
	for (unsigned i = 0; raw && i < raw->archives_count && !err; i++)
		err = add_archive(list, &raw->archives[i], e);
	yamlfile_free(&top_value, raw);
	if (err)
		return error_prefix(e, "%s", path);
	*ret_config = steal_ptr(config);
	return 0;
}

int archives_load(const char *path, cJSON **ret_config, struct error *e)
{
	AUTO_FREE char *text = NULL;
	size_t len = 0;
	int err = file_exists(path) ? file_read(path, FILE_MAX, &text, &len, e) : 0;

	return err ? err : archives_parse(path, text ? text : "", len, ret_config, e);
}
