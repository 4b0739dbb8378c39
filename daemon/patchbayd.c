/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * patchbayd: the lab's one daemon. Options, folders, the loop, signals, and telling a supervisor
 * that it is ready (sd_notify's protocol). Everything it does is in daemon/sched and daemon/http.
 */
#include "base/file.h"
#include "daemon/http/http.h"
#include "daemon/sched/sched.h"
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { EXIT_LAB = 3, EXIT_USAGE = 2 };

struct options {
	char *state;
	char *share;
	char *address; /* of --listen, without the port */
	int port;
	const char *port_file;
	bool print_admin_token;
};

static void options_done(struct options *o)
{
	free(o->state);
	free(o->share);
	free(o->address);
}

static const char usage[] =
	"usage: patchbayd --state DIR [--listen ADDRESS:PORT] [--share DIR] [--port-file FILE]\n"
	"       patchbayd --state DIR --print-admin-token\n"
	"\n"
	"  --state DIR          database, artifacts, trees (default: ~/.local/state/patchbay)\n"
	"  --listen ADDR:PORT   where HTTP is served (default: 127.0.0.1:0; port 0: a free one)\n"
	"  --share DIR          profiles, kernel fragments, the dashboard (default: beside the\n"
	"                       program)\n"
	"  --port-file FILE     gets the port's number once it is served\n"
	"  --print-admin-token  add an admin token, print it and exit; only while no patchbayd\n"
	"                       runs on that state\n";

static char *absolute(const char *path)
{
	AUTO_FREE char *cwd = NULL;

	if (path[0] == '/')
		return xstrdup(path);
	cwd = getcwd(NULL, 0);
	return path_join(cwd ? cwd : "/", path);
}

/* "127.0.0.1:8080", "[::1]:0" */
static int parse_listen(const char *text, struct options *o)
{
	const char *colon = strrchr(text, ':');
	int64_t port;
	size_t len;

	if (!colon || parse_int64(colon + 1, 0, 65535, &port) < 0)
		return -EINVAL;
	len = (size_t)(colon - text);
	if (len >= 2 && text[0] == '[' && colon[-1] == ']') {
		text++;
		len -= 2;
	}
	if (len == 0)
		return -EINVAL;
	free(o->address);
	o->address = xstrndup(text, len);
	o->port = (int)port;
	return 0;
}

static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option known[] = {
		{"state", required_argument, NULL, 's'},
		{"listen", required_argument, NULL, 'l'},
		{"share", required_argument, NULL, 'd'},
		{"port-file", required_argument, NULL, 'p'},
		{"print-admin-token", no_argument, NULL, 't'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (c == 's') {
			free(o->state);
			o->state = absolute(optarg);
		} else if (c == 'd') {
			free(o->share);
			o->share = absolute(optarg);
		} else if (c == 'p') {
			o->port_file = optarg;
		} else if (c == 't') {
			o->print_admin_token = true;
		} else if (c == 'h') {
			(void)fputs(usage, stdout);
			exit(0);
		} else if (c != 'l' || parse_listen(optarg, o) < 0) {
			if (c == 'l')
				(void)fprintf(
					stderr, "patchbayd: '%s' is no ADDRESS:PORT\n", optarg);
			(void)fputs(usage, stderr);
			return -EINVAL;
		}
	}
	if (optind < argc) {
		(void)fprintf(
			stderr, "patchbayd: unexpected argument '%s'\n%s", argv[optind], usage);
		return -EINVAL;
	}
	if (!o->state)
		o->state = path_state();
	if (!o->address)
		o->address = xstrdup("127.0.0.1");
	return 0;
}

/* The first of the folders dir/names[i] that has `probe` in it; heap, or NULL. */
static char *find_folder(const char *dir, const char *const *names, size_t n, const char *probe)
{
	for (size_t i = 0; i < n; i++) {
		AUTO_FREE char *folder = path_join(dir, names[i]);
		AUTO_FREE char *file = path_join(folder, probe);

		if (file_exists(file))
			return steal_ptr(folder);
	}
	return NULL;
}

/* Installed as PREFIX/bin/patchbayd with PREFIX/share/patchbay; built as SOURCE/build/bin. */
static int find_share(struct options *o, const char *self, struct error *e)
{
	static const char *const names[] = {"../share/patchbay", "../.."};

	AUTO_FREE char *profiles = NULL;

	if (!o->share)
		o->share = find_folder(self, names, ARRAY_SIZE(names), "profiles");
	if (!o->share)
		return error_set(e, ERR_MISSING,
			"the profiles are not beside %s: say where they are with --share", self);
	profiles = path_join(o->share, "profiles");
	if (!file_exists(profiles))
		return error_set(e, ERR_MISSING,
			"there is no %s: --share names the folder that holds profiles/ and "
			"agents/kernel/",
			profiles);
	return 0;
}

/* The lock is held until the process ends. */
static int lock_state(const char *state, struct error *e)
{
	AUTO_FREE char *path = path_join(state, "patchbayd.lock");
	char pid[32];
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return error_errno(e, "opening %s", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);

		pid[MAX_OF(n, 0)] = '\0';
		pid[strcspn(pid, "\n")] = '\0';
		close(fd);
		return error_set(e, ERR_STATE,
			"a patchbayd runs on %s already (process %s): stop it with `patchbay "
			"down`, or "
			"choose another state folder",
			state, pid);
	}
	(void)snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	if (ftruncate(fd, 0) < 0 || pwrite(fd, pid, strlen(pid), 0) < 0) {
		int err = error_errno(e, "writing %s", path);

		close(fd);
		return err;
	}
	return 0;
}

/* sd_notify(3), "Notes": one datagram to the socket that the environment names. */
static void notify_supervisor(const char *text)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t len = path ? strlen(path) : 0;
	AUTO_CLOSE int fd = -1;

	if (len < 2 || len >= sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(address.sun_path, path, len);
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		(void)sendto(fd, text, strlen(text), MSG_NOSIGNAL, (struct sockaddr *)&address,
			(socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
}

static void on_stop_signal(struct loop *loop, int signal, void *data)
{
	loop_stop(loop);
}

static int print_admin_token(struct store *store, struct error *e)
{
	char token[TOKEN_SIZE];
	struct token_row row;
	int err = token_create(store, SCOPE_ADMIN, token, &row, e);

	if (err >= 0)
		(void)printf("%s\n", token);
	return err;
}

static int write_port(const struct options *o, struct http *http, struct error *e)
{
	char text[16];

	(void)fprintf(stderr, "patchbayd: http://%s:%u/\n", o->address, http_port(http));
	if (!o->port_file)
		return 0;
	(void)snprintf(text, sizeof(text), "%u\n", http_port(http));
	return file_write_atomic(o->port_file, text, strlen(text), 0644, e);
}

struct lab {
	struct loop *loop;
	struct store *store;
	struct sched *sched;
	struct http *http;
	char *self, *worker, *cache, *web, *openapi;
};

static void lab_done(struct lab *l)
{
	http_free(l->http);
	sched_free(l->sched);
	store_close(l->store);
	loop_free(l->loop);
	free(l->self);
	free(l->worker);
	free(l->cache);
	free(l->web);
	free(l->openapi);
}

/* The dashboard as it was bundled: in the build folder, or installed. */
static void find_web(struct lab *l, const struct options *o)
{
	static const char *const built[] = {"../web/dist", "../web"};
	static const char *const shared[] = {"web/dist", "web"};
	static const char *const schemas[] = {"schemas", "."};
	AUTO_FREE char *folder =
		find_folder(o->share, schemas, ARRAY_SIZE(schemas), "openapi.yaml");

	/* assets, not index.html: the sources have one of those too. */
	l->web = find_folder(l->self, built, ARRAY_SIZE(built), "assets");
	if (!l->web)
		l->web = find_folder(o->share, shared, ARRAY_SIZE(shared), "assets");
	if (folder)
		l->openapi = path_join(folder, "openapi.yaml");
}

static int serve(struct lab *l, const struct options *o, struct error *e)
{
	struct sched_config sched = {.state = o->state, .share = o->share};
	struct http_config http = {.address = o->address, .port = (uint16_t)o->port};
	int err;

	l->worker = path_join(l->self, "patchbay-worker");
	l->cache = path_cache();
	find_web(l, o);
	sched.worker = l->worker;
	sched.cache = l->cache;
	http.web = l->web;
	http.openapi = l->openapi;
	if ((err = loop_new(&l->loop, e)) < 0 ||
		(err = loop_add_signal(l->loop, SIGTERM, on_stop_signal, NULL, NULL, e)) < 0 ||
		(err = loop_add_signal(l->loop, SIGINT, on_stop_signal, NULL, NULL, e)) < 0 ||
		(err = sched_new(&sched, l->loop, l->store, &l->sched, e)) < 0 ||
		(err = http_new(l->loop, l->sched, &http, &l->http, e)) < 0 ||
		(err = write_port(o, l->http, e)) < 0)
		return err;
	notify_supervisor("READY=1");
	err = loop_run(l->loop, e);
	notify_supervisor("STOPPING=1");
	return err;
}

static int run(struct options *o, struct error *e)
{
	CLEANUP(lab_done) struct lab l = {0};
	int err;

	l.self = path_self_dir();
	if ((err = file_mkdirs(o->state, 0700, e)) < 0 || (err = lock_state(o->state, e)) < 0 ||
		(err = store_open(o->state, &l.store, e)) < 0)
		return err;
	if (o->print_admin_token)
		return print_admin_token(l.store, e);
	err = find_share(o, l.self, e);
	return err < 0 ? err : serve(&l, o, e);
}

int main(int argc, char **argv)
{
	CLEANUP(options_done) struct options o = {0};
	struct error e = ERROR_INIT;

	(void)signal(SIGPIPE, SIG_IGN);
	/* One arena, given back early: this process idles for days at a few megabytes. */
	(void)mallopt(M_TRIM_THRESHOLD, 128 * 1024);
	if (parse_options(argc, argv, &o) < 0)
		return EXIT_USAGE;
	if (run(&o, &e) < 0) {
		(void)fprintf(stderr, "patchbayd: %s\n", e.msg);
		return EXIT_LAB;
	}
	return 0;
}
