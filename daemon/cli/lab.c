/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/cli/lab.h"
#include "daemon/cli/cli.h"
#include "daemon/cli/client.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/stat.h>

#define LAB_MAX ((size_t)64 * 1024)
#define TOKEN_MAX ((size_t)4096)

int lab_load(const char *state_dir, cJSON **ret_lab, struct error *e)
{
	AUTO_FREE char *path = path_join(state_dir, LAB_FILE);
	AUTO_JSON cJSON *lab = NULL;
	const char *server;
	int r;

	if (!file_exists(path))
		return error_set(e, ERR_MISSING,
			"there is no lab in %s: `patchbay up --detach` starts one, --server names "
			"another",
			state_dir);
	r = json_read_file(path, LAB_MAX, &lab, e);
	if (r < 0)
		return r;
	r = json_need_str(lab, "server", &server, e);
	if (r < 0)
		return error_prefix(e, "%s", path);
	*ret_lab = steal_ptr(lab);
	return 0;
}

int lab_read_token(const char *path, char **ret_token, struct error *e)
{
	AUTO_FREE char *data = NULL;
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	size_t len;
	int r;

	if (fd < 0)
		return error_errno(e, "cannot open the token file %s", path);
	if (fstat(fd, &st) < 0)
		return error_errno(e, "cannot look at the token file %s", path);
	if (S_ISREG(st.st_mode) && (st.st_mode & 077) != 0)
		return error_set(e, ERR_AUTH,
			"others can read the token file %s: `chmod 600` it, and revoke the token "
			"if "
			"they might have",
			path);
	r = file_read_fd(fd, path, TOKEN_MAX, &data, &len, e);
	if (r < 0)
		return r;
	data[strcspn(data, "\r\n")] = '\0';
	if (!*data)
		return error_set(e, ERR_AUTH, "the token file %s is empty", path);
	*ret_token = steal_ptr(data);
	return 0;
}

int lab_lock(const char *state_dir, int *ret_fd, struct error *e)
{
	AUTO_FREE char *path = path_join(state_dir, LAB_LOCK);
	AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return error_errno(e, "cannot open %s", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EWOULDBLOCK)
			return error_set(e, ERR_STATE, "the lab in %s is up", state_dir);
		return error_errno(e, "cannot lock %s", path);
	}
	*ret_fd = steal_fd(&fd);
	return 0;
}

int lab_own(const char *state_dir, int *ret_fd, struct error *e)
{
	AUTO_FREE char *path = path_join(state_dir, LAB_OWNER);
	AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fd < 0)
		return error_errno(e, "cannot open %s", path);
	if (fcntl(fd, F_SETLK, &lock) < 0)
		return error_errno(e, "cannot lock %s", path);
	*ret_fd = steal_fd(&fd);
	return 0;
}

/* 0 where nobody holds it. */
static pid_t lock_holder(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

int lab_owner(const char *state_dir, int *ret_pidfd, pid_t *ret_pid, struct error *e)
{
	AUTO_FREE char *path = path_join(state_dir, LAB_OWNER);
	AUTO_CLOSE int fd = open(path, O_RDWR | O_CLOEXEC);
	AUTO_CLOSE int pidfd = -1;
	pid_t pid = fd < 0 ? 0 : lock_holder(fd);

	if (fd < 0 && errno != ENOENT)
		return error_errno(e, "cannot open %s", path);
	if (pid > 0)
		pidfd = pidfd_open(pid, 0);
	/* It still holds the lock: what was opened is no later process of that pid. */
	if (pidfd < 0 || lock_holder(fd) != pid)
		return error_set(e, ERR_MISSING,
			"the lab in %s is only starting or just ending: run it again in a moment",
			state_dir);
	*ret_pidfd = steal_fd(&pidfd);
	*ret_pid = pid;
	return 0;
}

struct client *cli_client(struct cli *c, struct error *e)
{
	AUTO_JSON cJSON *lab = NULL;
	AUTO_FREE char *token = NULL;
	const char *server = c->server;
	const char *token_file = c->token_file;

	if (c->client)
		return c->client;
	if (!server) {
		if (lab_load(c->state_dir, &lab, e) < 0)
			return NULL;
		server = json_str(lab, "server", "");
		token_file = token_file ? token_file : json_str(lab, "token_file", NULL);
	}
	if (token_file && lab_read_token(token_file, &token, e) < 0)
		return NULL;
	if (client_new(server, token, !c->server, &c->client, e) < 0)
		return NULL;
	if (token)
		explicit_bzero(token, strlen(token));
	return c->client;
}
