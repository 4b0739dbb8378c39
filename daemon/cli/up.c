/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `patchbay up`, `down` and `dashboard`: a personal lab on this machine. */
#include "daemon/cli/cli.h"
#include "daemon/cli/client.h"
#include "daemon/cli/lab.h"
#include "daemon/cli/supervisor.h"
#include "base/clock.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/stat.h>

#define ANSWER_MAX ((size_t)64 * 1024)
#define DOWN_MS 40000 /* longer than the supervisor gives its children */

static const struct cli_option up_options[] = {
	{"detach", 0, NULL, "return when the lab answers; it goes on by itself"},
	{"share", 0, "DIR", "shipped profiles and kernel fragments (those beside the program)"},
	{NULL, 0, NULL, NULL},
};

/* The state folder, absolute, ours alone. */
static int make_state(struct cli *c, struct error *e)
{
	struct stat st;
	char *real;
	int r = file_mkdirs(c->state_dir, 0700, e);

	if (r < 0)
		return r;
	real = realpath(c->state_dir, NULL);
	if (!real || stat(real, &st) < 0) {
		free(real);
		return error_errno(e, "cannot use %s", c->state_dir);
	}
	free(c->state_dir);
	c->state_dir = real;
	if (st.st_uid != geteuid())
		return error_set(
			e, -EACCES, "%s belongs to somebody else (user %d)", real, (int)st.st_uid);
	if ((st.st_mode & 077) != 0 && chmod(real, 0700) < 0)
		return error_errno(e, "cannot close %s to others", real);
	return 0;
}

static void print_up(struct cli *c, const cJSON *lab, bool already)
{
	AUTO_JSON cJSON *answer = cJSON_Duplicate(lab, true);

	json_set_bool(answer, "already_up", already);
	if (c->json) {
		cli_print_json(c, answer);
		return;
	}
	(void)printf("The lab in %s is up%s.\n", json_str(lab, "state", c->state_dir),
		already ? " already" : "");
	(void)printf(
		"Dashboard: %s\n", json_str(lab, "dashboard", json_str(lab, "server", "unknown")));
	(void)fflush(stdout);
}

/* An address of the dashboard that signs in, once. */
static int sign_in_address(struct cli *c, char **ret_url, struct error *e)
{
	AUTO_JSON cJSON *link = NULL;

	if (!cli_client(c, e))
		return e->code;
	if (client_post(c->client, "/session/link", NULL, &link, e) < 0)
		return e->code;
	*ret_url = xstrdup(json_str(link, "url", client_server(c->client)));
	return 0;
}

static int already_up(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *lab = NULL;
	AUTO_FREE char *url = NULL;

	if (lab_load(c->state_dir, &lab, &e) < 0 || sign_in_address(c, &url, &e) < 0) {
		/* That it does not answer, and that `up` would start it, helps nobody here. */
		error_set(&e, ERR_LINK,
			"a lab in %s is starting, or does not answer: try again in a moment; if "
			"that does not help, see %s/%s, then `patchbay down` and `patchbay up`",
			c->state_dir, c->state_dir, LAB_LOG);
		return cli_fail(c, CLI_LAB, &e);
	}
	json_set_str(lab, "dashboard", url);
	print_up(c, lab, true);
	return CLI_GOOD;
}

/* The ports the lab had the last time. */
static void old_ports(const char *state_dir, struct supervisor_config *config)
{
	AUTO_JSON cJSON *lab = NULL;

	if (lab_load(state_dir, &lab, NULL) < 0)
		return;
	config->ssh_port = (int)json_int(lab, "ssh_port", 0);
	config->http_port = (int)json_int(lab, "http_port", 0);
}

static void ready_in_foreground(const cJSON *lab, void *data)
{
	print_up(data, lab, false);
}

static int up_in_foreground(struct cli *c, struct supervisor_config *config)
{
	struct error e = ERROR_INIT;

	config->ready = ready_in_foreground;
	config->data = c;
	return supervisor_run(config, &e) < 0 ? cli_fail(c, CLI_LAB, &e) : CLI_GOOD;
}

/* One JSON document tells the parent how it went: the lab, or {"error":…}. */
static void tell_parent(int fd, const cJSON *j)
{
	AUTO_FREE char *text = json_text(j);

	(void)write_all(fd, text, strlen(text));
	close(fd);
}

static void ready_detached(const cJSON *lab, void *data)
{
	int *fd = data;

	tell_parent(steal_fd(fd), lab);
}

static int redirect(const char *state_dir)
{
	AUTO_FREE char *path = path_join(state_dir, LAB_LOG);
	AUTO_CLOSE int log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	AUTO_CLOSE int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (log_fd < 0 || null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0 ||
		dup2(log_fd, STDOUT_FILENO) < 0 || dup2(log_fd, STDERR_FILENO) < 0)
		return -1;
	return 0;
}

static _Noreturn void supervise(struct supervisor_config *config, int answer_fd)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *j = NULL;
	int fd = answer_fd;

	(void)setsid();
	if (redirect(config->state_dir) < 0 || chdir("/") < 0)
		_exit(CLI_LAB);
	config->ready = ready_detached;
	config->data = &fd;
	if (supervisor_run(config, &e) == 0)
		_exit(CLI_GOOD);
	cli_note("%s", e.msg);
	if (fd >= 0) {
		j = cJSON_CreateObject();
		json_set_str(j, "error", e.msg);
		tell_parent(fd, j);
	}
	_exit(CLI_LAB);
}

static int read_answer(struct cli *c, int fd, cJSON **ret_lab, struct error *e)
{
	AUTO_FREE char *text = NULL;
	AUTO_JSON cJSON *answer = NULL;
	const char *why;
	size_t len;

	if (file_read_fd(fd, "what the lab says", ANSWER_MAX, &text, &len, e) < 0)
		return e->code;
	if (json_parse(text, len, &answer, NULL) < 0)
		return error_set(e, ERR_STATE, "the lab ended before it was up: see %s/%s",
			c->state_dir, LAB_LOG);
	why = json_str(answer, "error", NULL);
	if (why)
		return error_set(e, ERR_STATE, "%s", why);
	*ret_lab = steal_ptr(answer);
	return 0;
}

static int up_detached(struct cli *c, struct supervisor_config *config)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *lab = NULL;
	int fds[2];
	pid_t pid;
	int r;

	if (pipe2(fds, O_CLOEXEC) < 0) {
		error_errno(&e, "cannot make a pipe");
		return cli_fail(c, CLI_LAB, &e);
	}
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		supervise(config, fds[1]);
	}
	close(fds[1]);
	r = pid < 0 ? error_errno(&e, "cannot start a process") : read_answer(c, fds[0], &lab, &e);
	close(fds[0]);
	if (r < 0)
		return cli_fail(c, CLI_LAB, &e);
	print_up(c, lab, false);
	return CLI_GOOD;
}

static int run_up(struct cli *c)
{
	struct error e = ERROR_INIT;
	struct supervisor_config config = {0};
	AUTO_CLOSE int lock_fd = -1;
	AUTO_FREE char *share = NULL;
	int r = make_state(c, &e);

	if (r == 0 && cli_opt(c, "share") && !(share = realpath(cli_opt(c, "share"), NULL)))
		r = error_errno(&e, "cannot use %s", cli_opt(c, "share"));
	if (r < 0)
		return cli_fail_error(c, &e);
	r = lab_lock(c->state_dir, &lock_fd, &e);
	if (r == ERR_STATE)
		return already_up(c);
	if (r < 0)
		return cli_fail_error(c, &e);
	config.state_dir = c->state_dir;
	config.share = share;
	old_ports(c->state_dir, &config);
	return cli_opt(c, "detach") ? up_detached(c, &config) : up_in_foreground(c, &config);
}

/* Ask the supervisor to stop, and wait until it has. */
static int stop(const char *state_dir, struct error *e)
{
	AUTO_CLOSE int pidfd = -1;
	struct pollfd p = {.events = POLLIN};
	pid_t pid;
	int r = lab_owner(state_dir, &pidfd, &pid, e);

	if (r < 0)
		return r;
	if (pidfd_send_signal(pidfd, SIGTERM, NULL, 0) < 0 && errno != ESRCH)
		return error_errno(
			e, "cannot stop process %d of the lab in %s", (int)pid, state_dir);
	p.fd = pidfd;
	while ((r = poll(&p, 1, DOWN_MS)) < 0 && errno == EINTR)
		;
	if (r <= 0)
		return error_set(e, ERR_TIMEOUT,
			"the lab in %s does not stop; `kill -9 %d` ends it, and loses nothing",
			state_dir, (int)pid);
	return 0;
}

static int run_down(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *answer = cJSON_CreateObject();
	int lock_fd = -1;
	bool was_up = false;
	int r = 0;

	if (file_exists(c->state_dir)) {
		r = lab_lock(c->state_dir, &lock_fd, &e);
		was_up = r == ERR_STATE;
		closep(&lock_fd);
	}
	if (was_up)
		r = stop(c->state_dir, &e);
	if (r < 0)
		return cli_fail(c, CLI_LAB, &e);
	json_set_str(answer, "state", c->state_dir);
	json_set_bool(answer, "was_up", was_up);
	if (c->json)
		cli_print_json(c, answer);
	else
		(void)printf("The lab in %s is down%s.\n", c->state_dir,
			was_up ? "" : "; it was not up");
	return CLI_GOOD;
}

static int run_dashboard(struct cli *c)
{
	struct error e = ERROR_INIT;
	AUTO_JSON cJSON *answer = cJSON_CreateObject();
	AUTO_FREE char *url = NULL;

	if (sign_in_address(c, &url, &e) < 0)
		return cli_fail_error(c, &e);
	json_set_str(answer, "url", url);
	if (c->json)
		cli_print_json(c, answer);
	else
		(void)puts(url);
	return CLI_GOOD;
}

const struct command lab_commands[] = {
	{"up", "[--detach] [--share DIR]", "start a personal lab on this machine",
		"Everything is kept in one folder (~/.local/state/patchbay, --state or "
		"PATCHBAY_STATE):\n"
		"database, artifacts, repositories, keys, and a private sshd on loopback for the "
		"one\n"
		"local host. What dies is started again. A lab that is up already is left alone.",
		up_options, 0, 0, run_up},
	{"down", "", "stop it; what was running goes on at the next `up`", NULL, NULL, 0, 0,
		run_down},
	{"dashboard", "", "an address of the dashboard that signs you in, once", NULL, NULL, 0, 0,
		run_dashboard},
	{0},
};
