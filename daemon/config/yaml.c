/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/config/yaml.h"

const cyaml_schema_value_t yaml_text_value = {
	CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char *, 0, YAML_MAX_TEXT),
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

int yamlfile_load(const char *path, const char *text, size_t len,
	const cyaml_schema_value_t *schema, const char *hint, void **ret_data, struct error *e)
{
	struct complaint c = {"", ""};
	cyaml_config_t config = configuration(&c);
	void *data = NULL;
	cyaml_err_t err;

	if (memchr(text, '\0', len))
		return error_set(e, ERR_SYNTAX, "%s holds a NUL byte: it must be text", path);
	err = cyaml_load_data((const uint8_t *)text, len, &config, schema, &data, NULL);
	if (err != CYAML_OK || c.what[0]) {
		yamlfile_free(schema, data);
		return error_set(e, ERR_SYNTAX, "%s: %s%s%s; %s", path,
			c.what[0] ? c.what : cyaml_strerror(err), c.where[0] ? ", " : "", c.where,
			hint);
	}
	*ret_data = data;
	return 0;
}

void yamlfile_free(const cyaml_schema_value_t *schema, void *data)
{
	struct complaint c = {"", ""};
	cyaml_config_t config = configuration(&c);

	if (data)
		(void)cyaml_free(&config, schema, data, 0);
}
