/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A private sshd on loopback for tests: keys of its own, a port of its own, its folder removed at
 * the end. Only for tests that are one file each.
 */
#ifndef TESTS_INTEGRATION_SSHD_H
#define TESTS_INTEGRATION_SSHD_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "ssh/ssh.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

struct sshd {
	char dir[64];
	char *key; /* the user's private key */
	char *host_key; /* "ssh-ed25519 AAAA…" */
	char *user;
	int port;
	struct child child;
	int log_fd;
	struct ssh_target target;
};

static inline void sshd_must_run(const char *const *argv)
{
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_FREE char *output = NULL;
	struct error e = ERROR_INIT;
	int status = -1;

	if (child_run(&spec, 65536, clock_mono_ms() + 30000, &output, &status, &e))
		fail_msg("%s", e.msg);
	if (status)
		fail_msg("%s: %s", argv[0], output);
}

static inline void sshd_keygen(const char *path)
{
	const char *const argv[] = {
		"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path, NULL};

	sshd_must_run(argv);
}

static inline int sshd_free_port(void)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t len = sizeof(a);

	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	return ntohs(a.sin_port);
}

static inline char *sshd_file(const struct sshd *d, const char *name)
{
	return path_join(d->dir, name);
}

static inline void sshd_configure(struct sshd *d)
{
	AUTO_FREE char *path = sshd_file(d, "sshd_config");
	AUTO_FREE char *text =
		xasprintf("ListenAddress 127.0.0.1:%d\n"
			  "HostKey %s/host\nPidFile none\n"
			  "AuthorizedKeysFile %s/user.pub\n"
			  "UsePAM no\nStrictModes no\n"
			  /* Else bash reads ~/.bashrc for every command. */
			  "SetEnv SHLVL=1\n"
			  "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
			  "Subsystem sftp internal-sftp\n",
			d->port, d->dir, d->dir);

	assert_int_equal(file_write_atomic(path, text, strlen(text), 0600, NULL), 0);
}

/* Until it says that it listens. */
static inline void sshd_start(struct sshd *d)
{
	AUTO_FREE char *config = sshd_file(d, "sshd_config");
	const char *const argv[] = {"/usr/sbin/sshd", "-D", "-e", "-f", config, NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_STRBUF struct strbuf log;
	struct error e = ERROR_INIT;
	int fds[2];

	strbuf_init(&log, 65536);
	assert_int_equal(pipe(fds), 0);
	spec.fds[2] = fds[1];
	if (child_start(&spec, &d->child, &e))
		fail_msg("%s", e.msg);
	close(fds[1]);
	while (!strstr(log.buf, "Server listening")) {
		char c[256];
		ssize_t n = read(fds[0], c, sizeof(c));

		if (n <= 0)
			fail_msg("sshd does not start: %s", log.buf);
		strbuf_add(&log, c, (size_t)n);
	}
	d->log_fd = fds[0];
}

static inline struct sshd *sshd_new(void)
{
	struct sshd *d = xcalloc(1, sizeof(*d));
	AUTO_FREE char *host = NULL;
	AUTO_FREE char *host_pub = NULL;

	/* As root sshd wants its empty folder; Debian makes it in the boot script. */
	mkdir("/run/sshd", 0755);
	snprintf(d->dir, sizeof(d->dir), "/tmp/pb-sshd-XXXXXX");
	assert_non_null(mkdtemp(d->dir));
	d->key = sshd_file(d, "user");
	host = sshd_file(d, "host");
	sshd_keygen(d->key);
	sshd_keygen(host);
	host_pub = sshd_file(d, "host.pub");
	assert_int_equal(file_read(host_pub, 4096, &d->host_key, NULL, NULL), 0);
	d->user = xstrdup(getpwuid(getuid())->pw_name);
	d->port = sshd_free_port();
	sshd_configure(d);
	d->child = (struct child)CHILD_INIT;
	d->log_fd = -1;
	sshd_start(d);
	d->target = (struct ssh_target){.name = "loopback",
		.address = "127.0.0.1",
		.port = d->port,
		.user = d->user,
		.key = d->key,
		.host_key = d->host_key};
	return d;
}

/* SIGKILL to a process and all below it. */
static inline void sshd_kill_tree(pid_t pid)
{
	AUTO_FREE char *path = xasprintf("/proc/%d/task/%d/children", pid, pid);
	AUTO_FREE char *children = NULL;

	kill(pid, SIGSTOP); /* so that it starts no more */
	if (!file_read(path, 65536, &children, NULL, NULL)) {
		char *save = NULL;

		for (char *p = strtok_r(children, " ", &save); p; p = strtok_r(NULL, " ", &save))
			sshd_kill_tree((pid_t)atoi(p));
	}
	kill(pid, SIGKILL);
}

/* The sshd of every connection; what they ran is left to itself. */
static inline void sshd_kill(struct sshd *d)
{
	if (d->child.pid > 0)
		sshd_kill_tree(d->child.pid);
	child_done(&d->child);
	closep(&d->log_fd);
	d->log_fd = -1;
}

static inline void sshd_free(struct sshd *d)
{
	sshd_kill(d);
	file_remove_tree(d->dir, NULL);
	free(d->key);
	free(d->host_key);
	free(d->user);
	free(d);
}

#endif
