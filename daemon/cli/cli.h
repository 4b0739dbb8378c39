/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command line: `patchbay NOUN [VERB] …`.
 *
 * A command is a row of a table (one table and one file a noun; commands.c lists the tables). Its
 * run function returns the exit code. With --json, standard output is one JSON document whatever
 * happens: a command prints it with cli_print_json(), and cli_fail() prints the problem where it
 * failed before that. Everything for people's eyes besides the answer goes to standard error.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/json.h"

enum cli_exit {
	CLI_GOOD = 0, /* done and good */
	CLI_CODE = 1, /* the code under test is at fault */
	CLI_USAGE = 2, /* bad usage or input */
	CLI_LAB = 3, /* the lab cannot say */
};

#define CLI_ARGS_MAX 32
#define CLI_OPTIONS_MAX 64

struct cli_option {
	const char *name; /* without the dashes */
	char letter; /* 0: none */
	const char *value; /* what the value is called; NULL: a flag */
	const char *help;
};

struct cli;

struct command {
	const char *name; /* "series ls" */
	const char *synopsis; /* what follows the name */
	const char *summary; /* one line */
	const char *details; /* paragraphs, or NULL */
	const struct cli_option *options; /* ended by a NULL name; may be NULL */
	size_t min_args;
	size_t max_args;
	int (*run)(struct cli *c);
};

struct client;
struct subject;

/* The commands of one noun. */
struct command_table {
	const struct command *commands; /* ended by a NULL name */
	const struct subject *about; /* what they are about, where several nouns share them */
};

struct cli {
	const struct command *command; /* NULL until known */
	const struct subject *about; /* of its table */
	char *state_dir; /* of the personal lab */
	const char *server; /* --server, or NULL */
	const char *token_file; /* --token-file, or NULL */
	bool json;
	bool answered; /* the one JSON document is out */
	const char *args[CLI_ARGS_MAX];
	size_t n_args;
	struct {
		const struct cli_option *option;
		const char *value;
	} given[CLI_OPTIONS_MAX];
	size_t n_given;
	struct client *client; /* made by cli_client() */
};

/* All tables, ended by one without commands. */
extern const struct command_table cli_tables[];
extern const struct command lab_commands[];
extern const struct command submit_commands[];
extern const struct command series_commands[];
extern const struct command compare_commands[];
extern const struct command comparison_commands[];
extern const struct command job_commands[];
extern const struct command tree_commands[];
extern const struct command archive_commands[];
extern const struct command host_commands[];
extern const struct command machine_commands[];
extern const struct command token_commands[];
extern const struct command parse_commands[];
extern const struct command doctor_commands[];
extern const struct command help_commands[];

/* args.c: split argv into global options, the command, its options and its arguments. */
int cli_parse(struct cli *c, int argc, const char *const *argv, struct error *e);
/* The option's last value; NULL where it was not given. A flag's value is "". */
const char *cli_opt(const struct cli *c, const char *name);
/* Values of an option that may be repeated: the n-th from 0, or NULL. */
const char *cli_opt_nth(const struct cli *c, const char *name, size_t n);
/* An argument that is an id. */
int cli_id(const char *text, const char *what, int64_t *ret_id, struct error *e);

/* help.c */
void help_overview(FILE *to);
void help_command(FILE *to, const struct command *command);
/* The name nearest to what was typed, or NULL where nothing is near. */
const char *help_nearest(const char *typed, const char *const *names, size_t n_names);

/* out.c */
void cli_print_json(struct cli *c, const cJSON *j);
/* "patchbay: sentence" to standard error, and the JSON document if none is out. Returns exit. */
int cli_fail(struct cli *c, int exit, const struct error *e);
/* The same where the exit follows from the error's code. */
int cli_fail_error(struct cli *c, const struct error *e);
int cli_exit_of(int code);
/* A line of progress for people, on standard error. */
void cli_note(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* The lab that the options name; NULL with *e set. */
struct client *cli_client(struct cli *c, struct error *e);

#endif
