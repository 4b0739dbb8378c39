/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/cli.h"
#include <ctype.h>

#define NAME_MAX_LEN 64

/* Restricted edit distance (a swap of neighbours is one step); names are short. */
static size_t distance(const char *a, const char *b)
{
	size_t la = strlen(a);
	size_t lb = strlen(b);
	size_t row[3][NAME_MAX_LEN + 1];

	if (la > NAME_MAX_LEN || lb > NAME_MAX_LEN)
		return NAME_MAX_LEN;
	for (size_t j = 0; j <= lb; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t *now = row[i % 3];
		const size_t *before = row[(i + 2) % 3];
		const size_t *two_before = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);

			best = MIN_OF(best, before[j] + 1);
			best = MIN_OF(best, now[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = MIN_OF(best, two_before[j - 2] + 1);
			now[j] = best;
		}
	}
	return row[la % 3][lb];
}

const char *help_nearest(const char *typed, const char *const *names, size_t n_names)
{
	size_t limit = MAX_OF(strlen(typed) / 3, (size_t)1);
	const char *near = NULL;
	size_t nearest = limit + 1;

	for (size_t i = 0; i < n_names; i++) {
		size_t d = distance(typed, names[i]);

		if (d < nearest) {
			nearest = d;
			near = names[i];
		}
	}
	return near;
}

static void print_options(FILE *to, const struct cli_option *options)
{
	for (const struct cli_option *o = options; o && o->name; o++) {
		char left[64];

		(void)snprintf(left, sizeof(left), "%s%c%s--%s%s%s", o->letter ? "-" : "",
			o->letter ? o->letter : ' ', o->letter ? ", " : "   ", o->name,
			o->value ? " " : "", o->value ? o->value : "");
		(void)fprintf(to, "  %-28s %s\n", left, o->help);
	}
}

static void print_line(FILE *to, const struct command *k)
{
	AUTO_FREE char *left = xasprintf("%s %s", k->name, k->synopsis);

	if (strlen(left) > 44)
		(void)fprintf(to, "  %s\n  %-44s %s\n", left, "", k->summary);
	else
		(void)fprintf(to, "  %-44s %s\n", left, k->summary);
}

void help_overview(FILE *to)
{
	(void)fputs("usage: patchbay COMMAND [options]\n\n", to);
	for (const struct command_table *t = cli_tables; t->commands; t++)
		for (const struct command *k = t->commands; k->name; k++)
			print_line(to, k);
	(void)fputs("\nEverywhere:\n"
		    "  --json             one JSON document on standard output\n"
		    "  --state DIR        which personal lab (or PATCHBAY_STATE)\n"
		    "  --server URL       another lab\n"
		    "  --token-file FILE  the file that holds the token for it\n"
		    "\nExit: 0 done and good, 1 the code under test is at fault, 2 bad usage or "
		    "input,\n3 the lab cannot say. `patchbay help COMMAND` says more.\n",
		to);
}

void help_command(FILE *to, const struct command *k)
{
	(void)fprintf(to, "usage: patchbay %s%s%s\n\n%c%s.\n", k->name, *k->synopsis ? " " : "",
		k->synopsis, toupper((unsigned char)k->summary[0]), k->summary + 1);
	if (k->details)
		(void)fprintf(to, "\n%s\n", k->details);
	if (k->options) {
		(void)fputs("\nOptions:\n", to);
		print_options(to, k->options);
	}
}

static int run_help(struct cli *c)
{
	struct error e = ERROR_INIT;
	bool any = false;
	AUTO_FREE char *wanted = NULL;

	if (c->n_args == 0) {
		help_overview(stdout);
		return CLI_GOOD;
	}
	wanted = c->n_args == 2 ? xasprintf("%s %s", c->args[0], c->args[1]) : xstrdup(c->args[0]);
	for (const struct command_table *t = cli_tables; t->commands; t++)
		for (const struct command *k = t->commands; k->name; k++) {
			size_t len = strlen(wanted);

			if (strncmp(k->name, wanted, len) != 0 ||
				(k->name[len] != '\0' && k->name[len] != ' '))
				continue;
			if (any)
				(void)fputc('\n', stdout);
			help_command(stdout, k);
			any = true;
		}
	if (any)
		return CLI_GOOD;
	error_set(&e, ERR_MISSING, "no command `%s`: see `patchbay help`", wanted);
	return cli_fail(c, CLI_USAGE, &e);
}

const struct command help_commands[] = {
	{"help", "[COMMAND]", "what there is, or what a command does", NULL, NULL, 0, 2, run_help},
	{0},
};
