/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/report/report.h"

#include <strings.h>

static const struct report_format formats[] = {
	{"json", "application/json", "application/json", NULL},
	{"text", "text/plain", "text/plain; charset=utf-8", report_text},
	{"mail", "message/rfc822", "message/rfc822", report_mail},
	{"junit", "application/xml text/xml application/junit+xml",
		"application/xml; charset=utf-8", report_junit},
};

const struct report_format *report_format_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (streq(formats[i].name, name))
			return &formats[i];
	return NULL;
}

static bool has_type(const char *types, const char *type, size_t len)
{
	while (*types) {
		size_t n = strcspn(types, " ");

		if (n == len && strncasecmp(types, type, len) == 0)
			return true;
		types += n + strspn(types + n, " ");
	}
	return false;
}

const struct report_format *report_format_accepted(const char *accept)
{
	size_t blanks = accept ? strspn(accept, " \t") : 0;
	size_t len = accept ? strcspn(accept + blanks, ",; \t") : 0;

	for (size_t i = 0; i < ARRAY_SIZE(formats) && len; i++)
		if (has_type(formats[i].accept, accept + blanks, len))
			return &formats[i];
	return &formats[0];
}
