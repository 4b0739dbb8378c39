/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/sshd.h"
#include "base/clock.h"
#include "base/file.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <shadow.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define KEYGEN_MS (60 * 1000)
#define PUBLIC_KEY_MAX ((size_t)16 * 1024)
#define PRIVSEP_DIR "/run/sshd" /* compiled into Debian's sshd */

static int loopback_socket(int port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int one = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	/* As sshd does: an old connection that lingers is no reason to move. */
	if (fd >= 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

bool port_is_free(int port)
{
	int fd = loopback_socket(port);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static int find_port(int *ret_port, struct error *e)
{
	struct sockaddr_in a = {0};
	socklen_t len = sizeof(a);
	AUTO_CLOSE int fd = loopback_socket(0);

	if (fd < 0 || getsockname(fd, (struct sockaddr *)&a, &len) < 0)
		return error_errno(e, "cannot find a free port on 127.0.0.1");
	*ret_port = ntohs(a.sin_port);
	return 0;
}

static int make_key(const char *path, const char *comment, struct error *e)
{
	const char *argv[] = {
		"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", path, NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_FREE char *output = NULL;
	AUTO_FREE char *public = xasprintf("%s.pub", path);
	char how[64];
	int status;
	int r;

	if (file_exists(path) && file_exists(public))
		return 0;
	/* Half a pair is what a crash left; ssh-keygen would ask whether to overwrite it. */
	(void)unlink(path);
	(void)unlink(public);
	r = child_run(&spec, 4096, clock_mono_ms() + KEYGEN_MS, &output, &status, e);
	if (r == ERR_MISSING)
		return error_set(e, r, "ssh-keygen is missing: `apt-get install openssh-client`");
	if (r < 0)
		return r;
	if (status != 0)
		return error_set(e, ERR_STATE, "ssh-keygen cannot make %s (%s): %s", path,
			child_status_text(status, how, sizeof(how)), output);
	return 0;
}

/* A public key's type and key, without the comment. */
static int read_public(const char *path, char **ret_key, struct error *e)
{
	AUTO_FREE char *name = xasprintf("%s.pub", path);
	AUTO_FREE char *text = NULL;
	char *space;
	int r = file_read(name, PUBLIC_KEY_MAX, &text, NULL, e);

	if (r < 0)
		return r;
	text[strcspn(text, "\r\n")] = '\0';
	space = strchr(text, ' ');
	space = space ? strchr(space + 1, ' ') : NULL;
	if (space)
		*space = '\0';
	*ret_key = steal_ptr(text);
	return 0;
}

/*
 * Without PAM, sshd turns away accounts whose password is locked with "!", as root's is where it
 * was never given one. PAM does not mind, and only root can use it.
 */
static bool wants_pam(const char *user)
{
	const struct spwd *sp = geteuid() == 0 ? getspnam(user) : NULL;

	return sp && sp->sp_pwdp[0] == '!';
}

/* A path as sshd_config takes it, heap: quoted, for the sake of spaces. percent: of an option that
 * knows %h and the like. */
static char *quote(const char *path, bool percent)
{
	AUTO_STRBUF struct strbuf out;

	strbuf_init(&out, 4 * PATH_MAX);
	(void)strbuf_adds(&out, "\"");
	for (const char *p = path; *p; p++) {
		if (*p == '"' || *p == '\\')
			(void)strbuf_adds(&out, "\\");
		else if (*p == '%' && percent)
			(void)strbuf_adds(&out, "%");
		(void)strbuf_add(&out, p, 1);
	}
	(void)strbuf_adds(&out, "\"");
	return strbuf_detach(&out, NULL);
}

static int write_config(struct sshd *s, struct error *e)
{
	AUTO_FREE char *host_key = path_join(s->dir, "host_key");
	AUTO_FREE char *keys = path_join(s->dir, "authorized_keys");
	AUTO_FREE char *host_key_quoted = quote(host_key, false);
	AUTO_FREE char *keys_quoted = quote(keys, true);
	AUTO_FREE char *pid_file = quote(s->pid_file, false);
	AUTO_FREE char *text = xasprintf("# Written by `patchbay up`.\n"
					 "ListenAddress 127.0.0.1\n"
					 "Port %d\n"
					 "HostKey %s\n"
					 "AuthorizedKeysFile %s\n"
					 "PidFile %s\n"
					 "AllowUsers %s\n"
					 "AuthenticationMethods publickey\n"
					 "PubkeyAuthentication yes\n"
					 "PasswordAuthentication no\n"
					 "KbdInteractiveAuthentication no\n"
					 "PermitRootLogin prohibit-password\n"
					 "UsePAM %s\n"
					 /* The folder is ours alone, wherever it lies. */
					 "StrictModes no\n"
					 "DisableForwarding yes\n"
					 "PermitUserRC no\n"
					 /* bash run by sshd reads ~/.bashrc where this is 0: it can
					  * take seconds and print things, for every command. */
					 "SetEnv SHLVL=1\n"
					 "PrintMotd no\n"
					 "PrintLastLog no\n"
					 "UseDNS no\n"
					 "MaxSessions 64\n"
					 "MaxStartups 64:30:128\n"
					 "Subsystem sftp internal-sftp\n",
		s->port, host_key_quoted, keys_quoted, pid_file, s->user,
		wants_pam(s->user) ? "yes" : "no");

	return file_write_atomic(s->config, text, strlen(text), 0600, e);
}

static char *find_program(void)
{
	static const char *const places[] = {
		"/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd"};

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		if (access(places[i], X_OK) == 0)
			return xstrdup(places[i]);
	return NULL;
}

static int authorize(struct sshd *s, struct error *e)
{
	AUTO_FREE char *path = path_join(s->dir, "authorized_keys");
	AUTO_FREE char *key = NULL;
	AUTO_FREE char *line = NULL;
	int r = read_public(s->key, &key, e);

	if (r < 0)
		return r;
	line = xasprintf("%s\n", key);
	return file_write_atomic(path, line, strlen(line), 0600, e);
}

static int make_keys(struct sshd *s, struct error *e)
{
	AUTO_FREE char *host_key = path_join(s->dir, "host_key");
	int r = make_key(host_key, "patchbay-host", e);

	if (r == 0)
		r = make_key(s->key, "patchbay-lab", e);
	if (r == 0)
		r = read_public(host_key, &s->host_key, e);
	return r;
}

int sshd_prepare(struct sshd *s, const char *state_dir, int port, struct error *e)
{
	const struct passwd *pw = getpwuid(geteuid());
	int r;

	if (!pw)
		return error_set(e, ERR_MISSING, "user %d has no name in the password database",
			(int)geteuid());
	s->user = xstrdup(pw->pw_name);
	s->dir = path_join(state_dir, "ssh");
	s->config = path_join(s->dir, "sshd_config");
	s->pid_file = path_join(s->dir, "sshd.pid");
	s->key = path_join(s->dir, "lab_key");
	s->program = find_program();
	if (!s->program)
		return error_set(
			e, ERR_MISSING, "sshd is missing: `apt-get install openssh-server`");
	r = file_mkdirs(s->dir, 0700, e);
	if (r == 0)
		r = make_keys(s, e);
	if (r == 0)
		r = authorize(s, e);
	if (r < 0)
		return r;
	s->port = port;
	if ((port <= 0 || !port_is_free(port)) && (r = find_port(&s->port, e)) < 0)
		return r;
	return write_config(s, e);
}

void sshd_done(struct sshd *s)
{
	free(s->dir);
	free(s->program);
	free(s->config);
	free(s->pid_file);
	free(s->key);
	free(s->user);
	free(s->host_key);
	memset(s, 0, sizeof(*s));
}

int sshd_start(struct sshd *s, struct child *ret_child, struct error *e)
{
	const char *argv[] = {s->program, "-D", "-e", "-f", s->config, NULL};
	struct child_spec spec = CHILD_SPEC(argv);
	AUTO_FREE char *log = path_join(s->dir, "sshd.log");
	AUTO_CLOSE int log_fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (log_fd < 0)
		return error_errno(e, "cannot open %s", log);
	if (geteuid() == 0 && mkdir(PRIVSEP_DIR, 0755) < 0 && errno != EEXIST)
		return error_errno(e, "cannot make %s, which sshd wants", PRIVSEP_DIR);
	(void)unlink(s->pid_file);
	spec.fds[1] = log_fd;
	spec.fds[2] = log_fd;
	return child_start(&spec, ret_child, e);
}

cJSON *sshd_host(const struct sshd *s)
{
	cJSON *host = cJSON_CreateObject();
	AUTO_FREE char *cache = path_cache();
	AUTO_FREE char *root = path_join(cache, "host");

	json_set_str(host, "name", "local");
	json_set_str(host, "address", "127.0.0.1");
	json_set_int(host, "port", s->port);
	json_set_str(host, "user", s->user);
	json_set_str(host, "key", s->key);
	json_set_str(host, "host_key", s->host_key);
	json_set_str(host, "root", root);
	return host;
}
