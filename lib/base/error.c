/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <errno.h>

static void set_message(struct error *e, int code, const char *fmt, va_list ap) PRINTF_LIKE(3, 0);

static void set_message(struct error *e, int code, const char *fmt, va_list ap)
{
	char msg[sizeof(e->msg)];

	/* Through a copy: the arguments may point into the old sentence. */
	vsnprintf(msg, sizeof(msg), fmt, ap);
	memcpy(e->msg, msg, sizeof(msg));
	e->code = code;
}

int error_set(struct error *e, int code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	va_start(ap, fmt);
	set_message(e, code, fmt, ap);
	va_end(ap);
	return code;
}

int error_errno(struct error *e, const char *fmt, ...)
{
	int code = errno ? -errno : -EIO;
	size_t len;
	va_list ap;

	if (!e)
		return code;
	va_start(ap, fmt);
	set_message(e, code, fmt, ap);
	va_end(ap);
	len = strlen(e->msg);
	snprintf(e->msg + len, sizeof(e->msg) - len, ": %s", strerror(-code));
	return code;
}

int error_prefix(struct error *e, const char *fmt, ...)
{
	char old[sizeof(e->msg)];
	size_t len;
	va_list ap;

	if (!e)
		return -EIO;
	memcpy(old, e->msg, sizeof(old));
	va_start(ap, fmt);
	set_message(e, e->code, fmt, ap);
	va_end(ap);
	len = strlen(e->msg);
	snprintf(e->msg + len, sizeof(e->msg) - len, ": %s", old);
	return e->code;
}
