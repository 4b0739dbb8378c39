/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/inbox/lore.h"

#include "base/strbuf.h"

#define MAX_ADDRESS 8192

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~@+=";

/* A message id may hold anything, slashes and question marks too. */
char *lore_thread(const char *archive, const char *message_id)
{
	struct strbuf out;
	size_t len = strlen(archive);

	while (len && archive[len - 1] == '/')
		len--;
	strbuf_init(&out, MAX_ADDRESS);
	(void)strbuf_addf(&out, "%.*s/", (int)len, archive);
	for (const char *p = message_id; *p; p++) {
		if (strchr(plain, *p))
			(void)strbuf_addc(&out, *p);
		else
			(void)strbuf_addf(&out, "%%%02X", (unsigned char)*p);
	}
	(void)strbuf_adds(&out, "/t.mbox.gz");
	return strbuf_detach(&out, NULL);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

static char *unescape(const char *text, size_t len)
{
	char *out = xmalloc(len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		int high = text[i] == '%' && i + 2 < len ? hex_digit(text[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(text[i + 2]) : -1;

		if (low >= 0 && (high || low)) {
			out[n++] = (char)(high * 16 + low);
			i += 2;
		} else {
			out[n++] = text[i];
		}
	}
	out[n] = '\0';
	return out;
}

int lore_thread_of(const char *url, char **ret_address, char **ret_message_id, struct error *e)
{
	const char *host = strstr(url, "://");
	const char *part = host ? strchr(host + 3, '/') : NULL;

	while (part) {
		size_t len = strcspn(part + 1, "/?#");
		AUTO_FREE char *id = unescape(part + 1, len);
		AUTO_FREE char *archive = xstrndup(url, (size_t)(part - url));

		if (strchr(id, '@')) {
			*ret_address = lore_thread(archive, id);
			*ret_message_id = steal_ptr(id);
			return 0;
		}
		part = part[1 + len] == '/' ? part + 1 + len : NULL;
	}
	return error_set(e, ERR_SYNTAX,
		"%.300s names no mail: give the address of a mail or of its thread, with the "
		"message id in it, as in https://lore.kernel.org/kvm/ID@HOST/",
		url);
}
