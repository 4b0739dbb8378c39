/* SPDX-License-Identifier: GPL-3.0-or-later */
/* YAML against a schema, through libcyaml, whose types stay in daemon/config. */
#ifndef CONFIG_YAML_H
#define CONFIG_YAML_H

#include "base/error.h"
#include <cyaml/cyaml.h>

/* Limits that no honest file comes near. */
#define YAML_MAX_TEXT 4096
#define YAML_MAX_LIST 64

#define YAML_TEXT(key, type)                                                                     \
	CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct type, key, \
		0, YAML_MAX_TEXT)
#define YAML_TEXTS(key, type)                                                                  \
	CYAML_FIELD_SEQUENCE(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct type, key, \
		&yaml_text_value, 0, YAML_MAX_LIST)

extern const cyaml_schema_value_t yaml_text_value;

/* path is named in errors; hint says where to read what the file may say. ERR_SYNTAX names the
 * line. Free with yamlfile_free(). */
int yamlfile_load(const char *path, const char *text, size_t len,
	const cyaml_schema_value_t *schema, const char *hint, void **ret_data, struct error *e);
void yamlfile_free(const cyaml_schema_value_t *schema, void *data);

#endif
