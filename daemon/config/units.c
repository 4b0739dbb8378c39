/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/config/units.h"
#include <ctype.h>

static const struct {
	const char *name;
	int64_t seconds;
} durations[] = {
	{"s", 1},
	{"min", 60},
	{"h", 3600},
};

int units_duration(const char *text, int64_t *ret_seconds, struct error *e)
{
	size_t digits = strspn(text, "0123456789");
	AUTO_FREE char *number = xstrndup(text, digits);
	int64_t n;

	for (size_t i = 0; i < ARRAY_SIZE(durations); i++) {
		if (!streq(text + digits, durations[i].name))
			continue;
		if (parse_int64(number, 1, DURATION_MAX_S / durations[i].seconds, &n))
			return error_set(e, ERR_SYNTAX, "'%s' is not a duration from 1s to %dh",
				text, DURATION_MAX_S / 3600);
		*ret_seconds = n * durations[i].seconds;
		return 0;
	}
	return error_set(e, ERR_SYNTAX,
		"'%s' is not a duration: write a whole number and its unit, as in 90s, 10min or 2h",
		text);
}

int units_percent(const char *text, double *ret_fraction, struct error *e)
{
	size_t len = strlen(text);
	double n = 0;
	char *end = NULL;

	/* strtod() would take infinities, hexadecimal and exponents, too. */
	if (len >= 2 && len <= 12 && text[len - 1] == '%' &&
		strspn(text, "0123456789.") == len - 1 && isdigit((unsigned char)text[0]))
		n = strtod(text, &end);
	if (!end || end != text + len - 1 || n <= 0 || n > 100)
		return error_set(e, ERR_SYNTAX,
			"'%s' is not a percentage: write more than 0 and at most 100, with its "
			"sign, as in 2%% or 0.5%%",
			text);
	*ret_fraction = n / 100;
	return 0;
}
