/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why something failed, for the person who reads it.
 *
 * Functions return 0 or a negative code: a negated errno value, or one of enum err below.
 * The sentence goes into a struct error that the caller owns and may pass as NULL; it is
 * written on failure only. Sentences name what happened, to what, and what to do next.
 * Libraries never log.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "base/util.h"

enum err {
	ERR_SYNTAX = -4001, /* input that does not parse */
	ERR_LIMIT = -4002, /* input over a limit; the sentence names the limit */
	ERR_CONFLICT = -4003, /* it does not fit what is there (a patch, a state) */
	ERR_MISSING = -4004, /* no such thing */
	ERR_AUTH = -4005, /* wrong or missing credentials, changed host key */
	ERR_LINK = -4006, /* the other side went away */
	ERR_TIMEOUT = -4007, /* a deadline passed */
	ERR_STATE = -4008, /* right thing, wrong moment */
};

/* What was sent, such as a mail or a patch, is at fault; anything else, such as an object that is
 * missing (ERR_MISSING), is the lab's trouble. */
static inline bool is_input_fault(int code)
{
	return code == ERR_CONFLICT || code == ERR_SYNTAX || code == ERR_LIMIT;
}

struct error {
	int code; /* 0 while nothing failed */
	char msg[1024];
};

#define ERROR_INIT    \
	{             \
		0, "" \
	}

/* Set the sentence and return code, so that a caller can `return error_set(...)`. */
int error_set(struct error *e, int code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The same with ": strerror(errno)" appended; returns -errno. */
int error_errno(struct error *e, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Put "context: " before the sentence that is there; returns its code. */
int error_prefix(struct error *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
