/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/http/static.h"
#include "base/file.h"
#include "daemon/http/server.h"
#include <ctype.h>
#include <fcntl.h>
#include <sys/stat.h>

#define INDEX "/index.html"
/* Everything comes from here; nothing may frame it. Styles set by script are allowed by that. */
#define POLICY                                                                            \
	"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " \
	"font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "     \
	"form-action 'self'; frame-ancestors 'none'"

static const struct {
	const char *suffix;
	const char *type;
} types[] = {
	{".html", "text/html; charset=utf-8"},
	{".js", "text/javascript; charset=utf-8"},
	{".css", "text/css; charset=utf-8"},
	{".svg", "image/svg+xml"},
	{".png", "image/png"},
	{".ico", "image/x-icon"},
	{".woff2", "font/woff2"},
	{".json", "application/json"},
	{".txt", "text/plain; charset=utf-8"},
};

static const char *type_of(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (ends_with(path, types[i].suffix))
			return types[i].type;
	return "application/octet-stream";
}

/* Letters, digits, ".", "_", "-" in parts that do not begin with a dot. */
static bool is_safe(const char *path)
{
	for (const char *s = path; *s; s++) {
		if (*s == '/' ? s[1] == '.' || s[1] == '/'
			      : !isalnum((unsigned char)*s) && !strchr("._-", *s))
			return false;
	}
	return path[0] == '/';
}

/* Opens a regular file of the dashboard; -1: none. */
static int file_open(struct http *http, const char *path, uint64_t *ret_size)
{
	AUTO_FREE char *full = NULL;
	AUTO_CLOSE int fd = -1;
	struct stat st;

	if (!http->web || !is_safe(path))
		return -1;
	full = xasprintf("%s%s", http->web, path);
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	*ret_size = (uint64_t)st.st_size;
	return steal_fd(&fd);
}

static void answer_file(struct request *r, const char *path, int fd, uint64_t size)
{
	reply_response(r, 200, MHD_create_response_from_fd64(size, fd));
	reply_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, "%s", type_of(path));
	reply_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "%s",
		starts_with(path, "/assets/") ? "public, max-age=31536000, immutable" : "no-cache");
	reply_header(r, "Content-Security-Policy", POLICY);
	reply_header(r, "Cross-Origin-Opener-Policy", "same-origin");
	reply_header(r, "Cross-Origin-Resource-Policy", "same-origin");
	reply_header(r, "X-Frame-Options", "DENY");
	reply_header(r, "Permissions-Policy", "camera=(), microphone=(), geolocation=()");
}

/* A page has no dot in its last part: a missing script is 404, not a page. */
static bool is_page(const char *path)
{
	return !strchr(strrchr(path, '/'), '.') || streq(path, INDEX);
}

static void static_get(struct request *r)
{
	const char *secret = request_query(r, "token");
	const char *path = streq(r->path, "/") ? INDEX : r->path;
	uint64_t size;
	int fd;

	if (secret && streq(r->path, "/")) {
		login_open_link(r, secret);
		return;
	}
	if (r->path[0] != '/') {
		reply_problem(r, 400, "'%.200s' is no path; paths begin with '/'.", r->path);
		return;
	}
	fd = file_open(r->http, path, &size);
	if (fd < 0 && is_page(path)) {
		path = INDEX;
		fd = file_open(r->http, path, &size);
	}
	if (fd >= 0)
		answer_file(r, path, fd, size);
	else if (!r->http->web || is_page(path))
		reply_problem(r, 404,
			"The dashboard was not built into this Patchbay: configure it with "
			"-DPATCHBAY_WEB=ON. The interface is under /api/v1.");
	else
		reply_problem(
			r, 404, "There is nothing at %.200s. The dashboard is at /.", r->path);
}

const struct route static_route = {"GET", "/", ACCESS_OPEN, UPLOAD_NONE, static_get, NULL};
