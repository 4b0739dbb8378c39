/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fetching over HTTP with limits on size, time and redirects, through libcurl, whose types stay in
 * http.c. Only http and https; a redirect is followed where it stays on the host that was asked,
 * and never from https to http. One thread at a time.
 */
#ifndef INBOX_HTTP_H
#define INBOX_HTTP_H

#include "base/strbuf.h"

#define HTTP_MAX_REDIRECTS 5
#define HTTP_CONNECT_MS 30000
#define HTTP_TOTAL_MS 300000

/*
 * The body into ret_body, which the caller initialized with its maximum: ERR_LIMIT past that.
 * *ret_status is the server's, whatever it is. ERR_LINK: there was no answer; ERR_TIMEOUT: it took
 * too long; ERR_SYNTAX: no address that can be asked; ERR_CONFLICT: it leads to somewhere else.
 */
int http_get(const char *url, struct strbuf *ret_body, long *ret_status, struct error *e);

/* scheme, host and port are the same. False where either is no http or https address. */
bool http_same_host(const char *a, const char *b);

/* What gzip packed, or the bytes as they are where they are not packed; appended to ret_plain.
 * ERR_LIMIT past its maximum, ERR_SYNTAX where it is cut or corrupt. */
int http_unpack(const char *data, size_t len, struct strbuf *ret_plain, struct error *e);

#endif
