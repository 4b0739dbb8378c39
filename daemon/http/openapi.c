/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/openapi.h"
#include <errno.h>
#include <yaml.h>

#define MAX_DEPTH 64

static cJSON *convert(yaml_document_t *doc, yaml_node_t *node, int depth);

/* Plain scalars are what the JSON schema of YAML 1.2 makes of them; quoted ones are strings. */
static cJSON *convert_scalar(const yaml_node_t *node)
{
	const char *text = (const char *)node->data.scalar.value;
	char *end;
	double number;

	if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return cJSON_CreateString(text);
	if (streq(text, "null") || streq(text, ""))
		return cJSON_CreateNull();
	if (streq(text, "true") || streq(text, "false"))
		return cJSON_CreateBool(text[0] == 't');
	number = strtod(text, &end);
	if (*end == '\0')
		return cJSON_CreateNumber(number);
	return cJSON_CreateString(text);
}

static cJSON *convert_sequence(yaml_document_t *doc, yaml_node_t *node, int depth)
{
	cJSON *array = cJSON_CreateArray();

	for (yaml_node_item_t *i = node->data.sequence.items.start;
		i < node->data.sequence.items.top; i++)
		cJSON_AddItemToArray(
			array, convert(doc, yaml_document_get_node(doc, *i), depth + 1));
	return array;
}

static cJSON *convert_mapping(yaml_document_t *doc, yaml_node_t *node, int depth)
{
	cJSON *object = cJSON_CreateObject();

	for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
		p++) {
		const yaml_node_t *key = yaml_document_get_node(doc, p->key);

		if (key && key->type == YAML_SCALAR_NODE)
			json_set(object, (const char *)key->data.scalar.value,
				convert(doc, yaml_document_get_node(doc, p->value), depth + 1));
	}
	return object;
}

static cJSON *convert(yaml_document_t *doc, yaml_node_t *node, int depth)
{
	if (!node || depth > MAX_DEPTH)
		return cJSON_CreateNull();
	switch (node->type) {
	case YAML_SCALAR_NODE:
		return convert_scalar(node);
	case YAML_SEQUENCE_NODE:
		return convert_sequence(doc, node, depth);
	case YAML_MAPPING_NODE:
		return convert_mapping(doc, node, depth);
	default:
		return cJSON_CreateNull();
	}
}

int openapi_load(const char *path, cJSON **ret_document, struct error *e)
{
	AUTO_FCLOSE FILE *f = fopen(path, "re");
	yaml_document_t doc;
	yaml_parser_t parser;
	int r = 0;

	if (!f)
		return error_errno(e, "cannot read %s", path);
	if (!yaml_parser_initialize(&parser))
		return error_set(e, -ENOMEM, "no memory to read %s", path);
	yaml_parser_set_input_file(&parser, f);
	if (yaml_parser_load(&parser, &doc)) {
		*ret_document = convert(&doc, yaml_document_get_root_node(&doc), 0);
		yaml_document_delete(&doc);
	} else {
		r = error_set(e, ERR_SYNTAX, "%s, line %zu: %s", path, parser.problem_mark.line + 1,
			parser.problem);
	}
	yaml_parser_delete(&parser);
	return r;
}
