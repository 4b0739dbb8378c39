/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/config/profile_set.h"
#include "base/file.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>

bool profile_name_ok(const char *name)
{
	size_t len = strlen(name);

	if (len == 0 || len > PROFILE_MAX_NAME || !isalnum((unsigned char)name[0]))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("._-", name[i]))
			return false;
	return true;
}

static int add_entry(struct profile_set *set, const struct profile_entry *entry, struct error *e)
{
	const char *name = entry->raw->name;

	if (!name || !profile_name_ok(name))
		return error_set(e, ERR_SYNTAX,
			"%s: a profile needs 'name:', of at most %d letters, digits, '.', '_' and "
			"'-'%s%s",
			entry->path, PROFILE_MAX_NAME, name ? ", unlike " : "", name ? name : "");
	for (size_t i = 0; i < set->n_entries; i++) {
		struct profile_entry *other = &set->entries[i];

		if (!streq(other->raw->name, name))
			continue;
		if (other->folder == entry->folder)
			return error_set(e, ERR_CONFLICT,
				"%s: there is a profile '%s' in %s already: rename one of them",
				entry->path, name, other->path);
		*other = *entry;
		return 0;
	}
	set->entries = xreallocarray(set->entries, set->n_entries + 1, sizeof(*set->entries));
	set->entries[set->n_entries++] = *entry;
	return 0;
}

static int load_file(struct profile_set *set, const char *path, size_t folder, struct error *e)
{
	AUTO_FREE char *text = NULL;
	struct raw_profiles *profiles = NULL;
	struct profile_source *source;
	size_t len;
	int err;

	if (set->n_sources == PROFILE_MAX_FILES)
		return error_set(e, ERR_LIMIT, "more than %d files of profiles: join some of them",
			PROFILE_MAX_FILES);
	err = file_read(path, PROFILE_FILE_MAX, &text, &len, e);
	if (err)
		return err;
	err = raw_profiles_parse(path, text, len, &profiles, e);
	if (err)
		return err;
	set->sources = xreallocarray(set->sources, set->n_sources + 1, sizeof(*set->sources));
	source = &set->sources[set->n_sources++];
	*source = (struct profile_source){xstrdup(path), profiles};
	for (unsigned i = 0; i < profiles->profiles_count; i++) {
		struct profile_entry entry = {&profiles->profiles[i], source->path, folder};

		err = add_entry(set, &entry, e);
		if (err)
			return err;
	}
	return 0;
}

static int is_yaml(const struct dirent *entry)
{
	return entry->d_name[0] != '.' &&
	       (ends_with(entry->d_name, ".yaml") || ends_with(entry->d_name, ".yml"));
}

static int load_folder(struct profile_set *set, const char *path, size_t folder, struct error *e)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, is_yaml, alphasort);
	int err = 0;

	if (n < 0 && errno == ENOENT)
		return 0;
	if (n < 0)
		return error_errno(e, "cannot read the profiles in %s", path);
	for (int i = 0; i < n; i++) {
		AUTO_FREE char *file = path_join(path, names[i]->d_name);

		if (!err)
			err = load_file(set, file, folder, e);
		free(names[i]);
	}
	free(names);
	return err;
}

static int by_name(const void *a, const void *b)
{
	const struct profile_entry *x = a, *y = b;

	return strcmp(x->raw->name, y->raw->name);
}

int profile_set_load(
	const char *const *folders, size_t n, struct profile_set *ret_set, struct error *e)
{
	AUTO_PROFILE_SET struct profile_set set = {0};

	for (size_t i = 0; i < n; i++) {
		int err = load_folder(&set, folders[i], i, e);

		if (err)
			return err;
	}
	if (set.n_entries)
		qsort(set.entries, set.n_entries, sizeof(*set.entries), by_name);
	*ret_set = set;
	set = (struct profile_set){0};
	return 0;
}

void profile_set_done(struct profile_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; i < set->n_sources; i++) {
		raw_profiles_free(set->sources[i].profiles);
		free(set->sources[i].path);
	}
	free(set->sources);
	free(set->entries);
	*set = (struct profile_set){0};
}
