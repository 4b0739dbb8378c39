/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/daemon.h"
#include "daemon/cli/lab.h"
#include "daemon/cli/sshd.h"
#include "base/clock.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>

#define TOKEN_MS (60 * 1000) /* it may have to make the database first */
#define TOKEN_MAX ((size_t)4096)
#define LAST_WORDS 4096

static int make_token(struct daemon *d, struct error *e)
{
	const char *argv[] = {d->program, "--state", d->state_dir, "--print-admin-token", NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_FREE char *output = NULL;
	char how[64];
	int status;
	int r;

	if (file_exists(d->token_file))
		return 0;
	r = child_run(&spec, TOKEN_MAX, clock_mono_ms() + TOKEN_MS, &output, &status, e);
	if (r < 0)
		return r;
	if (status != 0)
		return error_set(e, ERR_STATE, "patchbayd makes no token (%s): %s",
			child_status_text(status, how, sizeof(how)), output);
	r = file_write_atomic(d->token_file, output, strlen(output), 0600, e);
	explicit_bzero(output, strlen(output));
	return r;
}

int daemon_prepare(
	struct daemon *d, const char *state_dir, const char *share, int port, struct error *e)
{
	AUTO_FREE char *self = path_self_dir();

	d->state_dir = xstrdup(state_dir);
	d->share = share;
	d->program = path_join(self, "patchbayd");
	d->token_file = path_join(state_dir, LAB_TOKEN);
	d->port_file = path_join(state_dir, "port");
	d->log = path_join(state_dir, "patchbayd.log");
	d->port = port > 0 && port_is_free(port) ? port : 0;
	return make_token(d, e);
}

void daemon_done(struct daemon *d)
{
	free(d->state_dir);
	free(d->program);
	free(d->token_file);
	free(d->port_file);
	free(d->log);
	memset(d, 0, sizeof(*d));
}

int daemon_start(struct daemon *d, struct child *ret_child, struct error *e)
{
	char listen[32];
	const char *argv[] = {d->program, "--state", d->state_dir, "--listen", listen,
		"--port-file", d->port_file, d->share ? "--share" : NULL, d->share, NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_CLOSE int log_fd = open(d->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (log_fd < 0)
		return error_errno(e, "cannot open %s", d->log);
	(void)snprintf(listen, sizeof(listen), "127.0.0.1:%d", d->port);
	(void)unlink(d->port_file);
	spec.fds[1] = log_fd;
	spec.fds[2] = log_fd;
	return child_start(&spec, ret_child, e);
}

int daemon_read_port(struct daemon *d, struct error *e)
{
	AUTO_FREE char *text = NULL;
	int64_t port;
	int r = file_read(d->port_file, 64, &text, NULL, e);

	if (r < 0)
		return r;
	text[strcspn(text, "\r\n")] = '\0';
	if (parse_int64(text, 1, 65535, &port) < 0)
		return error_set(e, ERR_SYNTAX, "%s holds no port: `%s`", d->port_file, text);
	d->port = (int)port;
	return 0;
}

static cJSON *first_machine(void)
{
	cJSON *machine = cJSON_CreateObject();

	json_set_str(machine, "name", "q35-vtd");
	json_set_str(machine, "host", "local");
	json_set_str(machine, "kind", "qemu");
	json_set_str(machine, "model", "q35-vtd");
	json_push_str(json_add_array(machine, "tags"), "vtd");
	json_set_int(machine, "memory_mib", 4096);
	json_set_int(machine, "cpus", 2);
	return machine;
}

static bool has_machine(const cJSON *list, const char *name)
{
	const cJSON *item;

	json_for_each (item, json_get(list, "items")) {
		if (streq(json_str(item, "name", NULL), name))
			return true;
	}
	return false;
}

int daemon_set_up(const struct daemon *d, cJSON *host, char **ret_dashboard, struct error *e)
{
	AUTO_JSON cJSON *local = host;
	AUTO_JSON cJSON *machine = first_machine();
	AUTO_JSON cJSON *machines = NULL;
	AUTO_JSON cJSON *link = NULL;
	AUTO_FREE char *token = NULL;
	AUTO_FREE char *server = xasprintf("http://127.0.0.1:%d", d->port);
	struct client *c = NULL;
	int r = lab_read_token(d->token_file, &token, e);

	if (r == 0)
		r = client_new(server, token, true, &c, e);
	if (r == 0)
		r = client_post(c, "/hosts", local, NULL, e);
	if (r == 0)
		r = client_list(c, "/machines", &machines, e);
	/* One that is there may have been changed by its owner. */
	if (r == 0 && !has_machine(machines, "q35-vtd"))
		r = client_post(c, "/machines", machine, NULL, e);
	if (r == 0)
		r = client_post(c, "/session/link", NULL, &link, e);
	client_free(c);
	if (r == ERR_AUTH)
		return error_set(e, r,
			"the lab does not know the token in %s: remove that file, then `patchbay "
			"up` "
			"makes another",
			d->token_file);
	if (r == 0)
		*ret_dashboard = xstrdup(json_str(link, "url", server));
	return r;
}

char *daemon_last_words(const struct daemon *d)
{
	AUTO_CLOSE int fd = open(d->log, O_RDONLY | O_CLOEXEC);
	char buf[LAST_WORDS + 1];
	off_t end = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	ssize_t n;
	char *line;

	if (end < 0)
		return xstrdup("");
	n = pread(fd, buf, LAST_WORDS, MAX_OF(end - LAST_WORDS, 0));
	while (n > 0 && buf[n - 1] == '\n')
		n--;
	buf[MAX_OF(n, 0)] = '\0';
	line = strrchr(buf, '\n');
	return xstrdup(line ? line + 1 : buf);
}
