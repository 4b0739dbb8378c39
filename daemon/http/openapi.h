/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schemas/openapi.yaml as the JSON that GET /openapi.json gives. */
#ifndef HTTP_OPENAPI_H
#define HTTP_OPENAPI_H

#include "base/json.h"

/* ERR_SYNTAX names the line. The caller frees *ret_document. */
int openapi_load(const char *path, cJSON **ret_document, struct error *e);

#endif
