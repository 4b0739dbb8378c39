/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/cli.h"
#include "base/file.h"
#include <errno.h>

static const struct cli_option global_options[] = {
	{"json", 0, NULL, "one JSON document on standard output"},
	{"state", 0, "DIR", "which personal lab (or PATCHBAY_STATE)"},
	{"server", 0, "URL", "another lab"},
	{"token-file", 0, "FILE", "the file that holds the token for it"},
	{"help", 'h', NULL, "say what a command does"},
	{NULL, 0, NULL, NULL},
};

static const struct cli_option *find_option(
	const struct cli_option *options, const char *name, size_t len)
{
	for (; options && options->name; options++) {
		if (strncmp(options->name, name, len) == 0 && options->name[len] == '\0')
			return options;
		if (len == 1 && options->letter == name[0])
			return options;
	}
	return NULL;
}

static int unknown_option(const struct cli *c, const char *typed, struct error *e)
{
	const char *names[CLI_OPTIONS_MAX];
	const char *near = NULL;
	size_t n = 0;

	for (const struct cli_option *o = c->command ? c->command->options : NULL; o && o->name;
		o++)
		names[n++] = o->name;
	for (const struct cli_option *o = global_options; o->name; o++)
		names[n++] = o->name;
	near = help_nearest(typed, names, n);
	if (near)
		return error_set(e, -EINVAL, "no option `--%s`, did you mean `--%s`?", typed, near);
	return error_set(e, -EINVAL, "no option `--%s`: see `patchbay help%s%s`", typed,
		c->command ? " " : "", c->command ? c->command->name : "");
}

/* One option with its value at argv[*i]; options stand anywhere. */
static int take_option(struct cli *c, int argc, const char *const *argv, int *i, struct error *e)
{
	const char *name = argv[*i] + (argv[*i][1] == '-' ? 2 : 1);
	const char *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);
	const struct cli_option *o =
		find_option(c->command ? c->command->options : NULL, name, len);

	if (!o)
		o = find_option(global_options, name, len);
	if (!o) {
		AUTO_FREE char *typed = xstrndup(name, len);

		return unknown_option(c, typed, e);
	}
	if (!o->value && equals)
		return error_set(e, -EINVAL, "`--%s` takes no value", o->name);
	if (c->n_given == CLI_OPTIONS_MAX)
		return error_set(e, ERR_LIMIT, "more than %d options", CLI_OPTIONS_MAX);
	c->given[c->n_given].option = o;
	c->given[c->n_given].value = equals ? equals + 1 : "";
	if (o->value && !equals) {
		if (*i + 1 >= argc)
			return error_set(e, -EINVAL, "`--%s` needs a value: %s", o->name, o->value);
		c->given[c->n_given].value = argv[++*i];
	}
	c->n_given++;
	return 0;
}

const char *cli_opt_nth(const struct cli *c, const char *name, size_t n)
{
	for (size_t i = 0; i < c->n_given; i++)
		if (streq(c->given[i].option->name, name) && n-- == 0)
			return c->given[i].value;
	return NULL;
}

const char *cli_opt(const struct cli *c, const char *name)
{
	const char *value = NULL;

	for (size_t i = 0; i < c->n_given; i++)
		if (streq(c->given[i].option->name, name))
			value = c->given[i].value;
	return value;
}

int cli_id(const char *text, const char *what, int64_t *ret_id, struct error *e)
{
	if (parse_int64(text, 1, INT64_MAX, ret_id) < 0)
		return error_set(e, -EINVAL,
			"`%s` is no %s id: a number is wanted, see `patchbay %s ls`", text, what,
			what);
	return 0;
}

/* Returns whether there is one; *ret_two: its name is both words. */
static bool find_command(struct cli *c, const char *first, const char *second, bool *ret_two)
{
	for (const struct command_table *t = cli_tables; t->commands; t++)
		for (const struct command *k = t->commands; k->name; k++) {
			const char *space = strchr(k->name, ' ');
			size_t len = space ? (size_t)(space - k->name) : strlen(k->name);

			if (strncmp(k->name, first, len) != 0 || first[len] != '\0')
				continue;
			if (space && !streq(space + 1, second))
				continue;
			*ret_two = space != NULL;
			c->command = k;
			c->about = t->about;
			return true;
		}
	return false;
}

/* What stands where a command should, told apart: a noun without its verb, or nothing known. */
static int unknown_command(const char *first, const char *second, struct error *e)
{
	const char *names[128];
	size_t n = 0;
	bool noun = false;
	const char *near = NULL;
	AUTO_FREE char *typed = second ? xasprintf("%s %s", first, second) : xstrdup(first);

	for (const struct command_table *t = cli_tables; t->commands; t++)
		for (const struct command *k = t->commands; k->name && n < ARRAY_SIZE(names); k++) {
			size_t len = strlen(first);

			noun |= strncmp(k->name, first, len) == 0 && k->name[len] == ' ';
			names[n++] = k->name;
		}
	if (noun && !second)
		return error_set(
			e, -EINVAL, "`%s` needs a verb: see `patchbay help %s`", first, first);
	near = help_nearest(typed, names, n);
	if (!near && second)
		near = help_nearest(first, names, n);
	if (near)
		return error_set(e, -EINVAL, "no command `%s`, did you mean `patchbay %s`?",
			noun ? typed : first, near);
	return error_set(e, -EINVAL, "no command `%s`: see `patchbay help`", noun ? typed : first);
}

/* The command's words are the first two that are neither options nor global options' values. */
static int pick_command(
	struct cli *c, int argc, const char *const *argv, int *skip, struct error *e)
{
	const char *words[2] = {NULL, NULL};
	int at[2] = {0, 0};
	size_t n = 0;
	bool two = false;

	for (int i = 1; i < argc && n < 2; i++) {
		if (argv[i][0] == '-' && argv[i][1]) {
			const struct cli_option *o =
				find_option(global_options, argv[i] + (argv[i][1] == '-' ? 2 : 1),
					strlen(argv[i] + (argv[i][1] == '-' ? 2 : 1)));

			if (n == 0 && o && o->value)
				i++;
			else if (n == 1)
				break;
			continue;
		}
		at[n] = i;
		words[n++] = argv[i];
	}
	if (n == 0)
		return 0;
	if (!find_command(c, words[0], words[1], &two))
		return unknown_command(words[0], words[1], e);
	skip[0] = at[0];
	skip[1] = two ? at[1] : 0;
	return 0;
}

static void take_globals(struct cli *c)
{
	const char *state = cli_opt(c, "state");

	c->json = cli_opt(c, "json") != NULL;
	c->server = cli_opt(c, "server");
	c->token_file = cli_opt(c, "token-file");
	c->state_dir = state ? xstrdup(state) : path_state();
}

static bool asks_for_json(int argc, const char *const *argv)
{
	for (int i = 1; i < argc; i++)
		if (streq(argv[i], "--json"))
			return true;
	return false;
}

int cli_parse(struct cli *c, int argc, const char *const *argv, struct error *e)
{
	int skip[2] = {0, 0};
	bool only_args = false;
	int r;

	/* Before anything can fail, so that even a usage error is JSON where it was asked for. */
	c->json = asks_for_json(argc, argv);
	r = pick_command(c, argc, argv, skip, e);
	if (r < 0)
		return r;
	for (int i = 1; i < argc; i++) {
		if (i == skip[0] || i == skip[1])
			continue;
		if (!only_args && streq(argv[i], "--")) {
			only_args = true;
			continue;
		}
		if (!only_args && argv[i][0] == '-' && argv[i][1]) {
			r = take_option(c, argc, argv, &i, e);
			if (r < 0)
				return r;
			continue;
		}
		if (c->n_args == CLI_ARGS_MAX)
			return error_set(e, ERR_LIMIT, "more than %d arguments", CLI_ARGS_MAX);
		c->args[c->n_args++] = argv[i];
	}
	take_globals(c);
	if (!c->command || cli_opt(c, "help"))
		return 0;
	if (c->n_args < c->command->min_args || c->n_args > c->command->max_args)
		return error_set(e, -EINVAL, "usage: patchbay %s %s", c->command->name,
			c->command->synopsis);
	return 0;
}
