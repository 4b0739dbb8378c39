/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is taken as JSON can be written, and what was written is taken. */
#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_JSON cJSON *json = NULL;
	AUTO_JSON cJSON *again = NULL;
	AUTO_FREE char *text = NULL;

	if (json_parse((const char *)data, size, &json, NULL))
		return 0;
	text = json_text(json);
	if (json_parse(text, strlen(text), &again, NULL))
		abort();
	return 0;
}
