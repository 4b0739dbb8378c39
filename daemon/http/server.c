/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libmicrohttpd in the daemon's loop: its epoll descriptor is one more source, and its deadlines
 * are one timer. Everything happens on the loop's thread. What had to be found out by trying is
 * in docs/internals/http.md.
 */
#include "daemon/http/server.h"
#include "base/clock.h"
#include "daemon/http/auth.h"
#include "daemon/http/events.h"
#include "daemon/http/route.h"
#include <arpa/inet.h>
#include <errno.h>
#include <strings.h>

#define IDLE_SECONDS 60 /* a connection on which nothing moves */
#define DISCARD_MAX (8ULL * HTTP_MAX_SUBMISSION) /* read after a refusal before hanging up */

static void turn(struct http *http)
{
	MHD_UNSIGNED_LONG_LONG ms;

	http->streams.resumed = false;
	(void)MHD_run(http->mhd);
	if (http->streams.resumed)
		loop_set_timer(http->timer, clock_mono_ms());
	else if (MHD_get_timeout(http->mhd, &ms) == MHD_YES)
		loop_set_timer(http->timer, clock_mono_ms() + (int64_t)MIN_OF(ms, 3600000ULL));
	else
		loop_set_timer(http->timer, -1);
}

static void on_io(struct loop *loop, int fd, uint32_t events, void *data)
{
	turn(data);
}

static void on_timer(struct loop *loop, void *data)
{
	turn(data);
}

/* MHD keeps it with the connection; see on_connection(). */
static struct client *client_of(struct MHD_Connection *conn)
{
	return MHD_get_connection_info(conn, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static void on_connection(void *data, struct MHD_Connection *conn, void **context,
	enum MHD_ConnectionNotificationCode what)
{
	struct http *http = data;

	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		*context = client_new(&http->clients,
			MHD_get_connection_info(conn, MHD_CONNECTION_INFO_CONNECTION_FD)
				->connect_fd);
	else
		*context = client_free(*context);
}

static void upload_close(struct request *r)
{
	if (r->upload.kind == UPLOAD_FILE)
		r->http->n_uploads--;
	upload_done(&r->upload);
	r->upload = (struct upload)UPLOAD_INIT;
}

static struct request *request_new(
	struct http *http, struct MHD_Connection *conn, const char *url, const char *method)
{
	struct request *r = xcalloc(1, sizeof(*r));

	r->http = http;
	r->conn = conn;
	r->head = streq(method, "HEAD");
	r->method = xstrdup(r->head ? "GET" : method);
	r->path = xstrdup(url);
	r->upload = (struct upload)UPLOAD_INIT;
	http->counters.requests++;
	return r;
}

static void request_free(struct request *r)
{
	upload_close(r);
	if (r->response)
		MHD_destroy_response(r->response);
	free(r->method);
	free(r->path);
	free(r);
}

/* The announced length of the body; -1: not announced (chunked), -2: none. */
static int64_t body_length(struct request *r)
{
	const char *text = request_header(r, MHD_HTTP_HEADER_CONTENT_LENGTH);
	int64_t length;

	if (request_header(r, MHD_HTTP_HEADER_TRANSFER_ENCODING))
		return -1;
	if (!text)
		return -2;
	return parse_int64(text, 0, INT64_MAX, &length) < 0 ? INT64_MAX : length;
}

static enum MHD_Result count_length(
	void *data, enum MHD_ValueKind kind, const char *key, const char *value)
{
	if (strcasecmp(key, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0)
		++*(int *)data;
	return MHD_YES;
}

/* Two lengths, or one beside chunks: a proxy may have taken the other, and seen other requests
 * than these. The connection says nothing that could be trusted from here on. */
static bool refuse_two_lengths(struct request *r)
{
	int lengths = request_header(r, MHD_HTTP_HEADER_TRANSFER_ENCODING) ? 1 : 0;

	(void)MHD_get_connection_values(r->conn, MHD_HEADER_KIND, count_length, &lengths);
	if (lengths < 2)
		return false;
	reply_problem(r, 400,
		"The length of the body is given more than once. Send one Content-Length, or "
		"chunks, and no more than one of them.");
	reply_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	return true;
}

static void refuse_too_long(struct request *r, uint64_t limit)
{
	reply_problem(r, 413,
		"The body is longer than the limit of %llu bytes (%llu MiB, %llu KiB). Send less.",
		(unsigned long long)limit, (unsigned long long)(limit >> 20),
		(unsigned long long)(limit >> 10));
}

static void body_open(struct request *r, int64_t length)
{
	struct http *http = r->http;
	enum upload_kind kind = r->route->body;
	uint64_t limit = kind == UPLOAD_FILE ? HTTP_MAX_SUBMISSION : HTTP_MAX_BODY;
	struct error e = ERROR_INIT;

	if (length > 0 && (uint64_t)length > limit) {
		refuse_too_long(r, limit);
		return;
	}
	if (kind == UPLOAD_FILE && http->n_uploads >= HTTP_MAX_UPLOADS) {
		reply_problem(r, 503,
			"%d submissions are arriving already, which is the limit. Try again in a "
			"moment.",
			HTTP_MAX_UPLOADS);
		reply_header(r, MHD_HTTP_HEADER_RETRY_AFTER, "5");
		return;
	}
	if (upload_begin(&r->upload, kind, limit, sched_incoming(http->sched), &e) < 0) {
		r->upload = (struct upload)UPLOAD_INIT;
		reply_error(r, &e);
		return;
	}
	if (kind == UPLOAD_FILE)
		http->n_uploads++;
}

static enum MHD_Result queue(struct request *r)
{
	enum MHD_Result result;

	if (!r->response)
		reply_problem(r, 500, "Patchbay had no answer to this. Please report it.");
	if (r->status >= 100 && r->status < 600)
		r->http->counters.by_class[r->status / 100]++;
	upload_close(r);
	r->queued = true;
	result = MHD_queue_response(r->conn, r->status, r->response);
	MHD_destroy_response(steal_ptr(r->response));
	return result;
}

/*
 * The headers are here. A refusal goes out at once only where the client waits for it (Expect)
 * or where there is no end of the body in sight: MHD closes the connection behind such an
 * answer, and a client that is still sending sees a broken pipe instead of the answer.
 */
static enum MHD_Result begin(struct request *r)
{
	int64_t length = body_length(r);
	bool waits = request_header(r, MHD_HTTP_HEADER_EXPECT) != NULL;

	if (refuse_two_lengths(r))
		return queue(r);
	route_find(r);
	if (!r->response)
		auth_check(r);
	if (!r->response)
		route_check_query(r);
	if (!r->response)
		body_open(r, length);
	if (length == -2 || length == 0)
		return MHD_YES;
	if (r->response && (waits || length > (int64_t)DISCARD_MAX))
		return queue(r);
	client_expect(client_of(r->conn), r->http->clients.body_ms);
	return MHD_YES;
}

static enum MHD_Result body(struct request *r, const char *data, size_t len)
{
	struct error e = ERROR_INIT;
	int result;

	if (r->response) {
		r->discarded += len;
		return r->discarded > DISCARD_MAX ? MHD_NO : MHD_YES;
	}
	r->http->counters.upload_bytes += len;
	result = upload_add(&r->upload, data, len, &e);
	if (result == ERR_LIMIT)
		refuse_too_long(r, r->upload.limit);
	else if (result < 0)
		reply_error(r, &e);
	if (r->response)
		upload_close(r);
	return MHD_YES;
}

static enum MHD_Result on_request(void *data, struct MHD_Connection *conn, const char *url,
	const char *method, const char *version, const char *body_data, size_t *body_len,
	void **context)
{
	struct request *r = *context;

	if (!r) {
		*context = r = request_new(data, conn, url, method);
		client_expect(client_of(conn), 0);
		return begin(r);
	}
	if (r->queued)
		return MHD_YES;
	if (*body_len > 0) {
		size_t len = *body_len;

		*body_len = 0;
		return body(r, body_data, len);
	}
	if (!r->response)
		r->route->handler(r);
	return queue(r);
}

static void on_completed(void *data, struct MHD_Connection *conn, void **context,
	enum MHD_RequestTerminationCode how)
{
	struct http *http = data;

	if (*context)
		request_free(*context);
	*context = NULL;
	client_expect(client_of(conn), http->clients.head_ms);
}

/* Control characters in a path are nobody's; they would end up in answers and logs. */
static size_t on_unescape(void *data, struct MHD_Connection *conn, char *text)
{
	size_t len = MHD_http_unescape(text);

	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = '?';
	return len;
}

static int listen_address(
	const struct http_config *config, struct sockaddr_storage *ret_address, struct error *e)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret_address;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret_address;

	memset(ret_address, 0, sizeof(*ret_address));
	if (inet_pton(AF_INET, config->address, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(config->port);
		return 0;
	}
	if (inet_pton(AF_INET6, config->address, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(config->port);
		return 0;
	}
	return error_set(e, ERR_SYNTAX,
		"'%s' is no address to listen on; write one like 127.0.0.1 or ::1",
		config->address);
}

static int mhd_start(struct http *http, const struct http_config *config, struct error *e)
{
	struct sockaddr_storage address;
	const union MHD_DaemonInfo *info;
	unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME;
	int r = listen_address(config, &address, e);

	if (r < 0)
		return r;
	if (address.ss_family == AF_INET6)
		flags |= MHD_USE_IPv6;
	http->mhd = MHD_start_daemon(flags, config->port, NULL, NULL, on_request, http,
		MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_NOTIFY_COMPLETED,
		on_completed, http, MHD_OPTION_NOTIFY_CONNECTION, on_connection, http,
		MHD_OPTION_UNESCAPE_CALLBACK, on_unescape, http, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)HTTP_MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
		(unsigned)IDLE_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)64 * 1024,
		MHD_OPTION_END);
	if (!http->mhd)
		return error_errno(e,
			"cannot listen on %s port %u; choose another port, or stop what has it",
			config->address, config->port);
	info = MHD_get_daemon_info(http->mhd, MHD_DAEMON_INFO_BIND_PORT);
	http->port = info->port;
	info = MHD_get_daemon_info(http->mhd, MHD_DAEMON_INFO_EPOLL_FD);
	return loop_add_io(http->loop, info->epoll_fd, EPOLLIN, on_io, http, &http->io, e);
}

int http_new(struct loop *loop, struct sched *sched, const struct http_config *config,
	struct http **ret_http, struct error *e)
{
	struct http *http = xcalloc(1, sizeof(*http));
	int r;

	http->loop = loop;
	http->sched = sched;
	http->store = sched_store(sched);
	http->web = xstrdup_null(config->web);
	http->openapi = xstrdup_null(config->openapi);
	http->started_ms = clock_unix_ms();
	http->timer = loop_add_timer(loop, -1, on_timer, http);
	clients_init(&http->clients, loop);
	streams_init(&http->streams, loop, http->store, http->timer);
	http->events = events_new(http);
	r = mhd_start(http, config, e);
	if (r < 0) {
		http_free(http);
		return r;
	}
	http->observer = sched_observe(sched, events_on_change, http);
	*ret_http = http;
	return 0;
}

struct http *http_free(struct http *http)
{
	if (!http)
		return NULL;
	sched_unobserve(http->observer);
	/* MHD wants every suspended connection resumed before it stops. */
	streams_cut(&http->streams);
	if (http->mhd) {
		(void)MHD_run(http->mhd);
		MHD_stop_daemon(http->mhd);
	}
	streams_done(&http->streams);
	loop_remove(http->io);
	loop_remove(http->timer);
	clients_done(&http->clients);
	events_free(http->events);
	free(http->web);
	free(http->openapi);
	free(http);
	return NULL;
}

uint16_t http_port(const struct http *http)
{
	return http->port;
}
