/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/request.h"
#include <errno.h>

void reply_response(struct request *r, unsigned status, struct MHD_Response *response)
{
	if (r->response)
		MHD_destroy_response(r->response);
	r->response = response;
	r->status = status;
	reply_header(r, "X-Content-Type-Options", "nosniff");
	reply_header(r, "Referrer-Policy", "no-referrer");
}

void reply_header(struct request *r, const char *name, const char *fmt, ...)
{
	AUTO_FREE char *value = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&value, fmt, ap) < 0)
		value = NULL;
	va_end(ap);
	if (value)
		(void)MHD_add_response_header(r->response, name, value);
}

void reply_text(struct request *r, unsigned status, const char *type, char *text, size_t len)
{
	reply_response(
		r, status, MHD_create_response_from_buffer(len, text, MHD_RESPMEM_MUST_FREE));
	reply_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, "%s", type);
	reply_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
}

void reply_empty(struct request *r, unsigned status)
{
	reply_response(r, status, MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT));
	reply_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
}

static void reply_document(struct request *r, unsigned status, const char *type, cJSON *body)
{
	char *text = json_text(body);

	cJSON_Delete(body);
	reply_text(r, status, type, text, strlen(text));
}

void reply_json(struct request *r, unsigned status, cJSON *body)
{
	reply_document(r, status, "application/json", body);
}

void reply_problem(struct request *r, unsigned status, const char *fmt, ...)
{
	AUTO_FREE char *detail = NULL;
	cJSON *body = cJSON_CreateObject();
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&detail, fmt, ap) < 0)
		detail = NULL;
	va_end(ap);
	json_set_str(body, "type", "about:blank");
	json_set_str(body, "title", MHD_get_reason_phrase_for(status));
	json_set_int(body, "status", status);
	json_set_str(body, "detail", detail);
	reply_document(r, status, "application/problem+json", body);
}

void reply_error(struct request *r, const struct error *e)
{
	unsigned status;

	switch (e->code) {
	case ERR_SYNTAX:
		status = 400;
		break;
	case ERR_AUTH:
		status = 401;
		break;
	case -EACCES:
		status = 403;
		break;
	case ERR_MISSING:
		status = 404;
		break;
	case ERR_CONFLICT:
	case ERR_STATE:
		status = 409;
		break;
	case ERR_LIMIT:
		status = 413;
		break;
	case -ENOSPC:
	case -EDQUOT:
		status = 507;
		break;
	default:
		status = 500;
		break;
	}
	reply_problem(r, status, "%s", e->msg);
}
