/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/config/profile_file.h"
#include <cyaml/cyaml.h>

/* Limits that no honest file comes near. */
#define MAX_TEXT 4096
#define MAX_LIST 64

#define TEXT(key, type)         \
	CYAML_FIELD_STRING_PTR( \
		#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct type, key, 0, MAX_TEXT)
#define TEXTS(key, type)                                                                       \
	CYAML_FIELD_SEQUENCE(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct type, key, \
		&text_value, 0, MAX_LIST)
#define PART(key, type, fields)  \
	CYAML_FIELD_MAPPING_PTR( \
		#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct type, key, fields)

static const cyaml_schema_value_t text_value = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, MAX_TEXT),
};

static const cyaml_schema_field_t config_fields[] = {
	TEXT(base, raw_config),
	TEXTS(fragments, raw_config),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t machines_fields[] = {
	TEXTS(tags, raw_machines),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t clock_fields[] = {
	TEXT(pairs, raw_clock),
	TEXT(max_pairs, raw_clock),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t clocks_fields[] = {
	PART(wall, raw_clocks, clock_fields),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t benchmark_fields[] = {
	TEXT(run, raw_benchmark),
	TEXT(size_mib, raw_benchmark),
	TEXT(iterations, raw_benchmark),
	TEXT(warmup, raw_benchmark),
	TEXTS(primary, raw_benchmark),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t benchmark_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_benchmark, benchmark_fields),
};

static const cyaml_schema_field_t thresholds_fields[] = {
	TEXT(wall, raw_thresholds),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t limits_fields[] = {
	TEXT(build, raw_limits),
	TEXT(build_silence, raw_limits),
	TEXT(boot, raw_limits),
	TEXT(silence, raw_limits),
	TEXT(total, raw_limits),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t profile_fields[] = {
	TEXT(name, raw_profile),
	TEXT(arch, raw_profile),
	PART(config, raw_profile, config_fields),
	TEXT(cmdline, raw_profile),
	PART(machines, raw_profile, machines_fields),
	PART(clocks, raw_profile, clocks_fields),
	CYAML_FIELD_SEQUENCE("benchmarks", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
		struct raw_profile, benchmarks, &benchmark_value, 0, MAX_LIST),
	PART(thresholds, raw_profile, thresholds_fields),
	PART(limits, raw_profile, limits_fields),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t profile_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_profile, profile_fields),
};

static const cyaml_schema_field_t top_fields[] = {
	CYAML_FIELD_SEQUENCE("profiles", CYAML_FLAG_POINTER, struct raw_profiles, profiles,
		&profile_value, 0, MAX_LIST),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t top_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_profiles, top_fields),
};

/* What libcyaml logged: the first complaint, and the innermost place that it came back from. */
struct complaint {
	char what[256];
	char where[256];
};

static PRINTF_LIKE(3, 0) void listen(cyaml_log_t level, void *ctx, const char *fmt, va_list args)
{
	struct complaint *c = ctx;
	char line[256];
	size_t len;
	char *text = line;

	(void)level;
	(void)vsnprintf(line, sizeof(line), fmt, args);
	len = strlen(line);
	while (len > 0 && line[len - 1] == '\n')
		line[--len] = '\0';
	if (starts_with(text, "Load: "))
		text += strlen("Load: ");
	if (starts_with(text, "Backtrace"))
		return;
	if (starts_with(text, "  in ")) {
		if (!c->where[0])
			(void)snprintf(c->where, sizeof(c->where), "%s", text + 2);
	} else if (!c->what[0]) {
		(void)snprintf(c->what, sizeof(c->what), "%s", text);
	}
}

static cyaml_config_t configuration(struct complaint *c)
{
	return (cyaml_config_t){
		.log_fn = listen,
		.log_ctx = c,
		.mem_fn = cyaml_mem,
		.log_level = CYAML_LOG_WARNING,
		.flags = CYAML_CFG_NO_ALIAS,
	};
}

int raw_profiles_parse(const char *path, const char *text, size_t len,
	struct raw_profiles **ret_profiles, struct error *e)
{
	struct complaint c = {"", ""};
	cyaml_config_t config = configuration(&c);
	struct raw_profiles *profiles = NULL;
	cyaml_err_t err;

	if (memchr(text, '\0', len))
		return error_set(e, ERR_SYNTAX, "%s holds a NUL byte: it must be text", path);
	err = cyaml_load_data(
		(const uint8_t *)text, len, &config, &top_value, (cyaml_data_t **)&profiles, NULL);
	if (err != CYAML_OK || c.what[0]) {
		raw_profiles_free(profiles);
		return error_set(e, ERR_SYNTAX,
			"%s: %s%s%s; docs/internals/profiles.md lists what "
			"a profile may say",
			path, c.what[0] ? c.what : cyaml_strerror(err), c.where[0] ? ", " : "",
			c.where);
	}
	if (!profiles)
		return error_set(e, ERR_SYNTAX,
			"%s is empty: write 'profiles:' and a list, or "
			"remove the file",
			path);
	*ret_profiles = profiles;
	return 0;
}

struct raw_profiles *raw_profiles_free(struct raw_profiles *p)
{
	struct complaint c = {"", ""};
	cyaml_config_t config = configuration(&c);

	if (p)
		(void)cyaml_free(&config, &top_value, p, 0);
	return NULL;
}
