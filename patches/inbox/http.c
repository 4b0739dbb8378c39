/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/inbox/http.h"

#include <curl/curl.h>
#include <zlib.h>

#define SLOW_BYTES_S 100L /* slower than this for SLOW_S is a dead connection */
#define SLOW_S 60L
#define GZIP_WINDOW (16 + MAX_WBITS) /* zlib: gzip's header and trailer */

struct target {
	char *scheme, *host, *port;
};

static void target_done(struct target *t)
{
	curl_free(t->scheme);
	curl_free(t->host);
	curl_free(t->port);
}
#define AUTO_TARGET CLEANUP(target_done)

static bool target_parse(const char *url, struct target *t)
{
	CURLU *u = curl_url();
	bool good = u && curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK &&
		    curl_url_get(u, CURLUPART_SCHEME, &t->scheme, 0) == CURLUE_OK &&
		    curl_url_get(u, CURLUPART_HOST, &t->host, 0) == CURLUE_OK &&
		    curl_url_get(u, CURLUPART_PORT, &t->port, CURLU_DEFAULT_PORT) == CURLUE_OK &&
		    (streq(t->scheme, "http") || streq(t->scheme, "https"));

	curl_url_cleanup(u);
	return good;
}

bool http_same_host(const char *a, const char *b)
{
	AUTO_TARGET struct target x = {0};
	AUTO_TARGET struct target y = {0};

	return target_parse(a, &x) && target_parse(b, &y) && streq(x.scheme, y.scheme) &&
	       strcasecmp(x.host, y.host) == 0 && streq(x.port, y.port);
}

/* To the same place, or from http to the same host's https. */
static bool may_redirect(const char *from, const char *to)
{
	AUTO_TARGET struct target x = {0};
	AUTO_TARGET struct target y = {0};

	if (http_same_host(from, to))
		return true;
	return target_parse(from, &x) && target_parse(to, &y) && streq(y.scheme, "https") &&
	       strcasecmp(x.host, y.host) == 0 && streq(x.port, "80") && streq(y.port, "443");
}

static size_t on_data(char *data, size_t size, size_t n, void *sink)
{
	return strbuf_add(sink, data, size * n) ? 0 : size * n;
}

static CURL *handle_new(const char *url, struct strbuf *body, char *why)
{
	CURL *c = curl_easy_init();

	if (!c)
		return NULL;
	(void)curl_easy_setopt(c, CURLOPT_URL, url);
	(void)curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	(void)curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
	(void)curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	(void)curl_easy_setopt(c, CURLOPT_NOPROGRESS, 1L);
	(void)curl_easy_setopt(c, CURLOPT_USERAGENT, "patchbay/" PATCHBAY_VERSION);
	(void)curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)HTTP_CONNECT_MS);
	(void)curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)HTTP_TOTAL_MS);
	(void)curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, SLOW_BYTES_S);
	(void)curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, SLOW_S);
	(void)curl_easy_setopt(c, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)body->max);
	(void)curl_easy_setopt(c, CURLOPT_ERRORBUFFER, why);
	(void)curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_data);
	(void)curl_easy_setopt(c, CURLOPT_WRITEDATA, body);
	return c;
}

static int failed(
	CURLcode rc, const char *url, const char *why, const struct strbuf *body, struct error *e)
{
	if (rc == CURLE_FILESIZE_EXCEEDED || body->overflow)
		return error_set(e, ERR_LIMIT, "%.500s has more than the limit of %zu bytes", url,
			body->max);
	if (rc == CURLE_OPERATION_TIMEDOUT)
		return error_set(e, ERR_TIMEOUT, "%.500s: %s; try again later", url, why);
	if (rc == CURLE_URL_MALFORMAT || rc == CURLE_UNSUPPORTED_PROTOCOL)
		return error_set(
			e, ERR_SYNTAX, "\"%.500s\" is no http or https address: %s", url, why);
	return error_set(e, ERR_LINK, "%.500s cannot be reached: %s", url,
		*why ? why : curl_easy_strerror(rc));
}

/* One request. *ret_to: where it is redirected to, heap; NULL: it is not. */
static int get_once(
	const char *url, struct strbuf *body, long *ret_status, char **ret_to, struct error *e)
{
	char why[CURL_ERROR_SIZE] = "";
	CURL *c = handle_new(url, body, why);
	const char *to = NULL;
	CURLcode rc;

	if (!c)
		return error_set(e, ERR_STATE, "libcurl does not start");
	rc = curl_easy_perform(c);
	if (rc == CURLE_OK) {
		(void)curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, ret_status);
		(void)curl_easy_getinfo(c, CURLINFO_REDIRECT_URL, &to);
		*ret_to = xstrdup_null(to);
	}
	curl_easy_cleanup(c);
	return rc == CURLE_OK ? 0 : failed(rc, url, why, body, e);
}

int http_get(const char *url, struct strbuf *ret_body, long *ret_status, struct error *e)
{
	AUTO_FREE char *at = xstrdup(url);

	for (int i = 0; i <= HTTP_MAX_REDIRECTS; i++) {
		AUTO_FREE char *to = NULL;
		int r;

		strbuf_truncate(ret_body, 0);
		r = get_once(at, ret_body, ret_status, &to, e);
		if (r || !to)
			return r;
		if (!may_redirect(at, to))
			return error_set(e, ERR_CONFLICT,
				"%.300s leads to %.300s, which is another host: ask for that "
				"address itself, if it may be asked",
				at, to);
		free(at);
		at = steal_ptr(to);
	}
	return error_set(
		e, ERR_LIMIT, "%.500s was redirected more than %d times", url, HTTP_MAX_REDIRECTS);
}

static int inflate_all(z_stream *z, struct strbuf *out, struct error *e)
{
	AUTO_FREE unsigned char *chunk = xmalloc(65536);
	int rc;

	do {
		z->next_out = chunk;
		z->avail_out = 65536;
		rc = inflate(z, Z_NO_FLUSH);
		if (rc != Z_OK && rc != Z_STREAM_END)
			return error_set(e, ERR_SYNTAX, "what came is cut or corrupt: %s",
				z->msg ? z->msg : "it ends in the middle");
		if (strbuf_add(out, chunk, 65536 - z->avail_out))
			return error_set(e, ERR_LIMIT,
				"what came unpacks to more than the limit of %zu bytes", out->max);
		/* Members of a gzip file may follow one another. */
		if (rc == Z_STREAM_END && z->avail_in && inflateReset(z) == Z_OK)
			rc = Z_OK;
	} while (rc != Z_STREAM_END);
	return 0;
}

int http_unpack(const char *data, size_t len, struct strbuf *ret_plain, struct error *e)
{
	z_stream z = {.next_in = (z_const Bytef *)data, .avail_in = (uInt)len};
	int r;

	if (len < 2 || (unsigned char)data[0] != 0x1f || (unsigned char)data[1] != 0x8b) {
		if (strbuf_add(ret_plain, data, len))
			return error_set(e, ERR_LIMIT,
				"what came has more than the limit of %zu bytes", ret_plain->max);
		return 0;
	}
	if (len > UINT32_MAX || inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return error_set(e, ERR_STATE, "zlib does not start");
	r = inflate_all(&z, ret_plain, e);
	(void)inflateEnd(&z);
	return r;
}
