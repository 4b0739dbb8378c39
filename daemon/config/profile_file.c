/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/config/profile_file.h"
#include "daemon/config/yaml.h"

#define PART(key, type, fields)  \
	CYAML_FIELD_MAPPING_PTR( \
		#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct type, key, fields)

static const cyaml_schema_field_t config_fields[] = {
	YAML_TEXT(base, raw_config),
	YAML_TEXTS(fragments, raw_config),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t machines_fields[] = {
	YAML_TEXTS(tags, raw_machines),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t clock_fields[] = {
	YAML_TEXT(pairs, raw_clock),
	YAML_TEXT(max_pairs, raw_clock),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t counted_fields[] = {
	YAML_TEXT(seeds, raw_counted),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t clocks_fields[] = {
	PART(wall, raw_clocks, clock_fields),
	PART(counted, raw_clocks, counted_fields),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t benchmark_fields[] = {
	YAML_TEXT(run, raw_benchmark),
	YAML_TEXT(size_mib, raw_benchmark),
	YAML_TEXT(counted_size_mib, raw_benchmark),
	YAML_TEXT(iterations, raw_benchmark),
	YAML_TEXT(warmup, raw_benchmark),
	YAML_TEXT(call_kib, raw_benchmark),
	YAML_TEXT(access, raw_benchmark),
	YAML_TEXT(large_pages, raw_benchmark),
	YAML_TEXT(rounds, raw_benchmark),
	YAML_TEXT(seconds, raw_benchmark),
	YAML_TEXT(test, raw_benchmark),
	YAML_TEXT(path, raw_benchmark),
	YAML_TEXTS(cases, raw_benchmark),
	YAML_TEXTS(primary, raw_benchmark),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t benchmark_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_benchmark, benchmark_fields),
};

static const cyaml_schema_field_t thresholds_fields[] = {
	YAML_TEXT(wall, raw_thresholds),
	YAML_TEXT(counted, raw_thresholds),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t limits_fields[] = {
	YAML_TEXT(build, raw_limits),
	YAML_TEXT(build_silence, raw_limits),
	YAML_TEXT(boot, raw_limits),
	YAML_TEXT(silence, raw_limits),
	YAML_TEXT(total, raw_limits),
	CYAML_FIELD_END,
};

static const cyaml_schema_field_t profile_fields[] = {
	YAML_TEXT(name, raw_profile),
	YAML_TEXT(arch, raw_profile),
	PART(config, raw_profile, config_fields),
	YAML_TEXT(checker, raw_profile),
	YAML_TEXT(cmdline, raw_profile),
	PART(machines, raw_profile, machines_fields),
	PART(clocks, raw_profile, clocks_fields),
	CYAML_FIELD_SEQUENCE("benchmarks", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
		struct raw_profile, benchmarks, &benchmark_value, 0, YAML_MAX_LIST),
	PART(thresholds, raw_profile, thresholds_fields),
	PART(limits, raw_profile, limits_fields),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t profile_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct raw_profile, profile_fields),
};

static const cyaml_schema_field_t top_fields[] = {
	CYAML_FIELD_SEQUENCE("profiles", CYAML_FLAG_POINTER, struct raw_profiles, profiles,
		&profile_value, 0, YAML_MAX_LIST),
	CYAML_FIELD_END,
};

static const cyaml_schema_value_t top_value = {
	CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct raw_profiles, top_fields),
};

int raw_profiles_parse(const char *path, const char *text, size_t len,
	struct raw_profiles **ret_profiles, struct error *e)
{
	void *data = NULL;
	int err = yamlfile_load(path, text, len, &top_value,
		"docs/internals/profiles.md lists what a profile may say", &data, e);

	if (err)
		return err;
	if (!data)
		return error_set(e, ERR_SYNTAX,
			"%s is empty: write 'profiles:' and a list, or "
			"remove the file",
			path);
	*ret_profiles = data;
	return 0;
}

struct raw_profiles *raw_profiles_free(struct raw_profiles *p)
{
	yamlfile_free(&top_value, p);
	return NULL;
}
