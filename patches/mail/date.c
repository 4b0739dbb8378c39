/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/mail/date.h"

#include "patches/mail/text.h"

#include <time.h>

#define UNSET INT32_MIN

struct parts {
	int year, month, day, hour, minute, second; /* UNSET; month from 0 */
	int offset_min;
	int meridiem; /* 12: PM seen, 0: AM seen, UNSET */
};

static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";

/* Zones that mail headers still carry, in hours; daylight names are their own. */
static const struct {
	const char *name;
	int hours;
} zones[] = {
	{"UTC", 0},
	{"GMT", 0},
	{"Z", 0},
	{"UT", 0},
	{"WET", 0},
	{"BST", 1},
	{"CET", 1},
	{"MET", 1},
	{"CEST", 2},
	{"MEST", 2},
	{"EET", 2},
	{"EEST", 3},
	{"MSK", 3},
	{"JST", 9},
	{"EST", -5},
	{"EDT", -4},
	{"CST", -6},
	{"CDT", -5},
	{"MST", -7},
	{"MDT", -6},
	{"PST", -8},
	{"PDT", -7},
};

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool letter(char c)
{
	c = text_lower(c);
	return c >= 'a' && c <= 'z';
}

/* At most `max` digits; *ret_n counts them. */
static int64_t number(const char **p, int max, int *ret_n)
{
	int64_t v = 0;

	for (*ret_n = 0; digit(**p) && *ret_n < max; (*ret_n)++)
		v = v * 10 + (*(*p)++ - '0');
	return v;
}

static int month_of(const char *word, size_t len)
{
	if (len < 3)
		return UNSET;
	for (int m = 0; m < 12; m++)
		if (text_lower(word[0]) == months[3 * m] &&
			text_lower(word[1]) == months[3 * m + 1] &&
			text_lower(word[2]) == months[3 * m + 2])
			return m;
	return UNSET;
}

static const char *take_word(const char *p, struct parts *d)
{
	const char *start = p;
	size_t len;
	int month;

	while (letter(*p))
		p++;
	len = (size_t)(p - start);
	month = month_of(start, len);
	if (month != UNSET && d->month == UNSET) {
		d->month = month;
		return p;
	}
	if (len == 2 && text_istarts(start, "pm"))
		d->meridiem = 12;
	else if (len == 2 && text_istarts(start, "am"))
		d->meridiem = 0;
	for (size_t i = 0; i < ARRAY_SIZE(zones); i++)
		if (strlen(zones[i].name) == len && text_istarts(start, zones[i].name) &&
			d->offset_min == UNSET)
			d->offset_min = zones[i].hours * 60;
	return p;
}

/* "+0100", "-08:00", "+01" */
static const char *take_offset(const char *p, struct parts *d)
{
	int sign = *p++ == '-' ? -1 : 1;
	int n;
	int64_t v = number(&p, 4, &n);
	int64_t min = 0;

	if (n == 1 || n == 2) {
		if (*p == ':') {
			p++;
			min = number(&p, 2, &n);
		}
		v = v * 60 + min;
	} else if (n >= 3) {
		v = v / 100 * 60 + v % 100;
	} else {
		return p;
	}
	if (d->offset_min == UNSET && v < 24 * 60)
		d->offset_min = sign * (int)v;
	return p;
}

static int full_year(int64_t v)
{
	if (v < 38)
		return (int)v + 2000;
	return v < 100 ? (int)v + 1900 : (int)v;
}

/* "15:57:08", "2026-11-30", "30.11.2026", "30" */
static const char *take_number(const char *p, struct parts *d)
{
	const char *start = p;
	int n, n2, n3;
	int64_t a = number(&p, 10, &n);
	int64_t b, c = 0;
	char sep = *p;

	if (sep == ':' && d->hour == UNSET && digit(p[1])) {
		p++;
		b = number(&p, 2, &n2);
		n3 = 0;
		if (*p == ':' && digit(p[1])) {
			p++;
			c = number(&p, 2, &n3);
		}
		d->hour = (int)MIN_OF(a, 99);
		d->minute = (int)b;
		d->second = (int)c;
		/* fractions of a second */
		if (*p == '.' && digit(p[1]))
			for (p++; digit(*p); p++)
				;
		return p;
	}
	if ((sep == '-' || sep == '/' || sep == '.') && digit(p[1]) && d->month == UNSET) {
		p++;
		b = number(&p, 4, &n2);
		if (*p == sep && digit(p[1])) {
			p++;
			c = number(&p, 4, &n3);
		}
		if (n >= 3) { /* year-month-day */
			d->year = (int)MIN_OF(a, 9999);
			d->month = (int)b - 1;
			d->day = (int)c;
		} else {
			/* 11/30/2026 is American, 30.11.2026 is not */
			d->month = (int)(sep == '/' && a <= 12 ? a : b) - 1;
			d->day = (int)(sep == '/' && a <= 12 ? b : a);
			d->year = full_year(c);
		}
		/* ISO's T before the time */
		return *p == 'T' ? p + 1 : p;
	}
	if (n <= 2 && d->day == UNSET && a > 0 && a < 32)
		d->day = (int)a;
	else if (d->year == UNSET && (n == 2 || n == 4))
		d->year = full_year(a);
	return p > start ? p : p + 1;
}

/* "@1796054228 +0000", or more digits than any other notation has. */
static bool parse_epoch(const char *s, int64_t *ret_unix_s, int *ret_offset_min)
{
	struct parts d = {.offset_min = UNSET};
	int n;
	int64_t v;

	if (*s == '@')
		s++;
	v = number(&s, 12, &n);
	if (n < 9 || (*s && *s != ' '))
		return false;
	while (*s == ' ')
		s++;
	if (*s == '+' || *s == '-')
		(void)take_offset(s, &d);
	*ret_unix_s = v;
	*ret_offset_min = d.offset_min == UNSET ? 0 : d.offset_min;
	return true;
}

int date_parse(const char *s, int64_t *ret_unix_s, int *ret_offset_min)
{
	struct parts d = {UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, UNSET, UNSET};
	struct tm tm = {0};

	while (text_is_space(*s))
		s++;
	if (parse_epoch(s, ret_unix_s, ret_offset_min))
		return 0;
	while (*s) {
		if (letter(*s))
			s = take_word(s, &d);
		else if (digit(*s))
			s = take_number(s, &d);
		else if ((*s == '+' || *s == '-') && d.hour != UNSET && digit(s[1]))
			s = take_offset(s, &d);
		else if (*s == '(')
			break; /* a comment repeats the zone */
		else
			s++;
	}
	if (d.year == UNSET || d.month == UNSET || d.day == UNSET || d.month < 0 || d.month > 11 ||
		d.year < 1970 || d.year > 2099 || d.day < 1 || d.day > 31)
		return ERR_SYNTAX;
	if (d.hour == UNSET)
		d.hour = d.minute = d.second = 0;
	if (d.meridiem != UNSET)
		d.hour = d.hour % 12 + d.meridiem;
	if (d.hour > 24 || d.minute > 59 || d.second > 60)
		return ERR_SYNTAX;
	tm.tm_year = d.year - 1900;
	tm.tm_mon = d.month;
	tm.tm_mday = d.day;
	tm.tm_hour = d.hour;
	tm.tm_min = d.minute;
	tm.tm_sec = d.second;
	if (d.offset_min == UNSET)
		d.offset_min = 0;
	*ret_unix_s = (int64_t)timegm(&tm) - (int64_t)d.offset_min * 60;
	*ret_offset_min = d.offset_min;
	return 0;
}
