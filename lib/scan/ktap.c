/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scan/ktap.h"
#include "scan/internal.h"

#include <ctype.h>
#include <math.h>

struct ktap_scan {
	struct ktap_results r;
	char line[SCAN_MAX_LINE + 1];
	size_t len;
};

/* Units as they are written, and what is stored: the name's ending and the factor. */
static const struct {
	const char *unit;
	const char *ending;
	double factor;
} units[] = {
	{"s", "_seconds", 1},
	{"ms", "_seconds", 1e-3},
	{"us", "_seconds", 1e-6},
	{"ns", "_seconds", 1e-9},
	{"instructions", "_instructions", 1},
	{"B/s", "_bytes_per_second", 1},
	{"KiB/s", "_bytes_per_second", 1024},
	{"MiB/s", "_bytes_per_second", 1048576},
	{"GiB/s", "_bytes_per_second", 1073741824},
	{"ops/s", "_per_second", 1},
	{"1/s", "_per_second", 1},
	{"B", "_bytes", 1},
	{"KiB", "_bytes", 1024},
	{"MiB", "_bytes", 1048576},
	{"GiB", "_bytes", 1073741824},
	{"count", "", 1},
	{"errors", "_errors", 1},
};

struct ktap_scan *ktap_new(void)
{
	struct ktap_scan *k = xcalloc(1, sizeof(*k));

	k->r.planned = -1;
	return k;
}

struct ktap_scan *ktap_free(struct ktap_scan *k)
{
	if (!k)
		return NULL;
	for (size_t i = 0; i < k->r.n_cases; i++)
		free(k->r.cases[i].name);
	for (size_t i = 0; i < k->r.n_metrics; i++) {
		free(k->r.metrics[i].name);
		free(k->r.metrics[i].values);
	}
	free(k->r.cases);
	free(k->r.metrics);
	free(k->r.bail_out);
	free(k->r.skip_all);
	free(k);
	return NULL;
}

/* Printable text of at most KTAP_MAX_NAME bytes, without white space around it. Heap. */
static char *tidy(const char *text, size_t len)
{
	char *name;

	while (len && isspace((unsigned char)*text)) {
		text++;
		len--;
	}
	name = xstrndup(text, MIN_OF(len, (size_t)KTAP_MAX_NAME));
	len = strlen(name);
	while (len && isspace((unsigned char)name[len - 1]))
		name[--len] = '\0';
	for (char *p = name; *p; p++)
		if (iscntrl((unsigned char)*p))
			*p = '?';
	return name;
}

/* The outer tests' result lines follow those of their subtests. */
static void adopt(struct ktap_results *r, const struct ktap_case *parent)
{
	for (size_t i = r->n_cases; i-- > 0 && r->cases[i].depth > parent->depth;) {
		char *whole = xasprintf("%s/%s", parent->name, r->cases[i].name);

		free(r->cases[i].name);
		r->cases[i].name = tidy(whole, strlen(whole));
		r->cases[i].depth = parent->depth;
		free(whole);
	}
}

/* Behind " # ": SKIP, TODO and XFAIL, in any case. Other words are remarks. */
static enum ktap_result directive(const char *text, enum ktap_result result)
{
	static const char *const unasked[] = {"SKIP", "TODO", "XFAIL"};

	for (size_t i = 0; i < ARRAY_SIZE(unasked); i++)
		if (strncasecmp(text, unasked[i], strlen(unasked[i])) == 0)
			return i == 0 || result == KTAP_NOT_OK ? KTAP_SKIP : result;
	return result;
}

static void add_case(
	struct ktap_results *r, unsigned depth, const char *rest, enum ktap_result result)
{
	size_t digits = strspn(rest, "0123456789");
	const char *text = rest + digits + strspn(rest + digits, " ");
	struct ktap_case c = {.depth = depth, .result = result};
	const char *remark;

	if (depth == 0)
		r->outermost++;
	if (r->n_cases == KTAP_MAX_CASES) {
		r->dropped++;
		return;
	}
	if (starts_with(text, "- "))
		text += 2;
	remark = starts_with(text, "# ") ? text : strstr(text, " # ");
	c.name = tidy(text, remark ? (size_t)(remark - text) : strlen(text));
	if (remark)
		c.result = directive(strchr(remark, '#') + 2, result);
	if (!*c.name) {
		free(c.name);
		c.name = tidy(rest, digits);
	}
	adopt(r, &c);
	r->cases = xgrow(r->cases, r->n_cases, sizeof(*r->cases));
	r->cases[r->n_cases++] = c;
}

static bool take_plan(struct ktap_results *r, unsigned depth, const char *s)
{
	const char *hash;
	AUTO_FREE char *number = NULL;
	size_t digits;
	int64_t n;

	if (!starts_with(s, "1.."))
		return false;
	digits = strspn(s + 3, "0123456789");
	number = xstrndup(s + 3, digits);
	if ((s[3 + digits] && s[3 + digits] != ' ') || parse_int64(number, 0, INT32_MAX, &n))
		return false;
	if (depth)
		return true;
	r->planned = n;
	hash = strstr(s, "# SKIP");
	if (n == 0 && hash && !r->skip_all)
		r->skip_all = tidy(hash + strlen("# SKIP"), strlen(hash + strlen("# SKIP")));
	return true;
}

static bool take_result(struct ktap_results *r, unsigned depth, const char *s)
{
	bool failed = starts_with(s, "not ok");
	const char *rest = s + (failed ? strlen("not ok") : strlen("ok"));

	if (!failed && !starts_with(s, "ok"))
		return false;
	if (*rest && *rest != ' ')
		return false;
	rest += strspn(rest, " ");
	add_case(r, depth, rest, failed ? KTAP_NOT_OK : KTAP_OK);
	return true;
}

static struct ktap_metric *metric_for(struct ktap_results *r, const char *name)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (streq(r->metrics[i].name, name))
			return &r->metrics[i];
	if (r->n_metrics == KTAP_MAX_METRICS)
		return NULL;
	r->metrics = xgrow(r->metrics, r->n_metrics, sizeof(*r->metrics));
	r->metrics[r->n_metrics] = (struct ktap_metric){.name = xstrdup(name)};
	return &r->metrics[r->n_metrics++];
}

static void add_value(struct ktap_results *r, const char *name, double value)
{
	struct ktap_metric *m = metric_for(r, name);

	if (!m || m->n == KTAP_MAX_VALUES) {
		r->dropped++;
		return;
	}
	m->values = xgrow(m->values, m->n, sizeof(*m->values));
	m->values[m->n++] = value;
}

static bool is_metric_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

	return n && !s[n] && n <= 64 && (isalpha((unsigned char)*s) || *s == '_');
}

/* Decimal, perhaps with an exponent: no infinities, no hexadecimal. */
static bool take_value(const char *s, double *ret_value)
{
	char *end = NULL;
	size_t n = strspn(s, "0123456789.eE+-");

	if (!n || s[n])
		return false;
	*ret_value = strtod(s, &end);
	return end == s + n && isfinite(*ret_value);
}

/* "NAME VALUE UNIT", three words and nothing else. */
static void take_metric(struct ktap_results *r, char *s)
{
	char *save = NULL;
	const char *name = strtok_r(s, " \t", &save);
	const char *number = name ? strtok_r(NULL, " \t", &save) : NULL;
	const char *unit = number ? strtok_r(NULL, " \t", &save) : NULL;
	double value;

	if (!unit || strtok_r(NULL, " \t", &save) || !is_metric_name(name) ||
		!take_value(number, &value))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		AUTO_FREE char *whole = NULL;

		if (!streq(units[i].unit, unit))
			continue;
		whole = xasprintf("%s%s", name, units[i].ending);
		if (isfinite(value * units[i].factor))
			add_value(r, whole, value * units[i].factor);
		return;
	}
}

static void take_line(struct ktap_results *r, char *line)
{
	unsigned depth = 0;
	char *s = line;

	/* KTAP indents subtests by two spaces, the selftests' runner by "# ". */
	while ((starts_with(s, "  ") || starts_with(s, "# ")) && depth < KTAP_MAX_DEPTH) {
		s += 2;
		depth++;
	}
	if (take_plan(r, depth, s) || take_result(r, depth, s))
		return;
	if (starts_with(s, "Bail out!") && !r->bail_out)
		r->bail_out = tidy(s + strlen("Bail out!"), strlen(s + strlen("Bail out!")));
	else
		take_metric(r, s);
}

static void end_line(struct ktap_scan *k)
{
	if (k->len && k->line[k->len - 1] == '\r')
		k->len--;
	k->line[k->len] = '\0';
	k->len = 0;
	take_line(&k->r, k->line);
}

void ktap_feed(struct ktap_scan *k, const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] == '\n')
			end_line(k);
		else if (k->len < SCAN_MAX_LINE)
			k->line[k->len++] = (char)(data[i] ? data[i] : '?');
	}
}

const struct ktap_results *ktap_end(struct ktap_scan *k)
{
	if (k->len)
		end_line(k);
	return &k->r;
}
