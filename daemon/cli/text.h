/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Text for people. What the lab hands on was written by strangers (subjects, logs), so nothing
 * reaches a terminal with control characters in it.
 */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include "base/json.h"

enum column_kind {
	COLUMN_TEXT, /* a string or a number */
	COLUMN_COMMIT, /* its first 12 digits */
	COLUMN_TIME, /* Unix milliseconds or ISO 8601, shown in local time */
	COLUMN_LIST, /* an array of strings, joined by commas */
};

struct column {
	const char *title;
	const char *key;
	enum column_kind kind;
};

/* Columns ended by a NULL title; as wide as what is in them. */
void text_table(FILE *to, const cJSON *items, const struct column *columns);
/* "title: value" lines, one a column; members that are null or absent are left out. */
void text_record(FILE *to, const cJSON *item, const struct column *columns);
/* Without control characters, but tabs and newlines where multi_line. */
void text_safe(FILE *to, const char *text, size_t len, bool multi_line);
/* Bytes for standard output: as they are, or made safe where it is a terminal. */
void text_out(FILE *to, const char *text, size_t len);
/* Columns that a UTF-8 text takes; cut: bytes of it that fit into width columns. */
size_t text_width(const char *text);
size_t text_cut(const char *text, size_t width);
/* "2:31", "1:02:31". Returns buf. */
const char *text_elapsed(int64_t ms, char *buf, size_t size);

#endif
