/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "patches/series/feed.h"

#include "patches/mail/mbox.h"
#include "patches/series/feed_internal.h"

/* Up to this size a cluster is looked at whenever something came that may complete a series. */
#define SMALL_CLUSTER 64
/* Partial rerolls of partial rerolls that are followed to the bottom. */
#define FEED_MAX_CHAIN 100

struct unread {
	char *message_id; /* or NULL */
	char *why;
	int64_t origin;
};

struct series_feed {
	struct window window;
	size_t max_mails, max_bytes;
	struct cluster *first, **last; /* the queue */
	struct unread *unread; /* mails that could not be parsed, not told of yet */
	size_t n_unread, next_unread;
	struct unread told; /* the one that the last event showed */
	/* the cluster that is given out */
	struct cluster *cluster;
	struct series_set set;
	size_t next_series, next_ignored;
	bool all_told;
	int64_t *origins;
	size_t n_origins;
};

struct series_feed *series_feed_new(size_t max_mails, size_t max_bytes)
{
	struct series_feed *f = xcalloc(1, sizeof(*f));

	f->max_mails = max_mails ? max_mails : FEED_MAX_MAILS;
	f->max_bytes = max_bytes ? max_bytes : FEED_MAX_BYTES;
	f->last = &f->first;
	return f;
}

static void unread_done(struct unread *u)
{
	free(u->message_id);
	free(u->why);
	*u = (struct unread){0};
}

/* What the last event showed goes away. */
static void drop_shown(struct series_feed *f)
{
	free(f->origins);
	f->origins = NULL;
	f->n_origins = 0;
	unread_done(&f->told);
}

static void push(struct series_feed *f, struct cluster *c)
{
	if (c->queued)
		return;
	c->queued = true;
	c->next = NULL;
	*f->last = c;
	f->last = &c->next;
}

static void leave_cluster(struct series_feed *f)
{
	struct cluster *c = steal_ptr(f->cluster);

	series_set_done(&f->set);
	if (c && !f->all_told)
		push(f, c);
	if (c && c->leaving && !c->queued)
		(void)cluster_free(c);
}

static struct cluster *pop(struct series_feed *f)
{
	struct cluster *c = f->first;

	if (!c)
		return NULL;
	f->first = c->next;
	if (!f->first)
		f->last = &f->first;
	c->queued = false;
	return c;
}

static void evict(struct series_feed *f, struct cluster *c)
{
	window_remove(&f->window, c);
	c->leaving = true;
	push(f, c);
}

struct series_feed *series_feed_free(struct series_feed *f)
{
	struct cluster *c;

	if (!f)
		return NULL;
	drop_shown(f);
	f->all_told = true;
	leave_cluster(f);
	while (f->window.oldest)
		evict(f, f->window.oldest);
	while ((c = pop(f)))
		(void)cluster_free(c);
	for (size_t i = f->next_unread; i < f->n_unread; i++)
		unread_done(&f->unread[i]);
	free(f->unread);
	free(f);
	return NULL;
}

static void add_unread(
	struct series_feed *f, int64_t origin, const char *data, size_t len, const char *why)
{
	if (f->next_unread == f->n_unread)
		f->next_unread = f->n_unread = 0;
	f->unread = xgrow(f->unread, f->n_unread, sizeof(*f->unread));
	f->unread[f->n_unread++] = (struct unread){
		message_find_id(data, len), xasprintf("it cannot be read: %s", why), origin};
}

/* CRLF to LF, and a separator taken off. */
static int read_mail(const char *data, size_t len, struct message **ret_m, struct error *e)
{
	AUTO_STRBUF struct strbuf text;
	struct mbox mbox;
	int r;

	strbuf_init(&text, FEED_MAX_MAIL);
	if (len > 5 && memcmp(data, "From ", 5) == 0) {
		const char *nl = memchr(data, '\n', len);
		size_t n = nl ? (size_t)(nl + 1 - data) : len;

		data += n;
		len -= n;
	}
	r = mbox_init(&mbox, data, len, FEED_MAX_MAIL, 1, e);
	if (r)
		return r;
	mbox.bare = true;
	r = mbox_next(&mbox, &text, e);
	return r < 0 ? r : message_parse(text.buf, text.len, ret_m, e);
}

static bool is_news(const struct feed_mail *mail)
{
	return !mail->tags.reply && (mail->tags.numbered || mail->m->diff_len);
}

/* Can the cluster have become something that it was not when it was last looked at? */
static bool wants_look(const struct cluster *c, const struct feed_mail *mail)
{
	bool alone = !mail->tags.numbered || mail->tags.total == 1 || mail->tags.n == 0;

	if (c->n <= SMALL_CLUSTER && alone)
		return true;
	return c->news >= MAX_OF(c->missing, c->n / SMALL_CLUSTER);
}

void series_feed_add(
	struct series_feed *f, int64_t origin, int64_t arrived_s, const char *data, size_t len)
{
	struct message *m;
	struct feed_mail *mail;
	struct cluster *c;
	struct error e = ERROR_INIT;

	drop_shown(f);
	leave_cluster(f);
	if (read_mail(data, len, &m, &e)) {
		add_unread(f, origin, data, len, e.msg);
		return;
	}
	mail = xmalloc(sizeof(*mail));
	*mail = (struct feed_mail){.origin = origin, .bytes = len, .m = m};
	tags_parse(m->full_subject, &mail->tags);
	c = window_add(&f->window, mail, arrived_s);
	c->unsettled = true;
	c->news += is_news(mail);
	if (is_news(mail) && wants_look(c, mail))
		push(f, c);
	while (f->window.n_mails > f->max_mails || f->window.bytes > f->max_bytes)
		evict(f, f->window.oldest);
}

void series_feed_forget(struct series_feed *f, const char *message_id)
{
	struct cluster *c = window_find(&f->window, message_id);

	drop_shown(f);
	leave_cluster(f);
	for (size_t i = 0; c && i < c->n; i++) {
		if (!streq(c->mails[i]->m->message_id, message_id))
			continue;
		window_drop(&f->window, c, i);
		c->missing = 0;
		if (!c->n)
			evict(f, c);
		return;
	}
}

void series_feed_settle(struct series_feed *f, int64_t before_s)
{
	drop_shown(f);
	leave_cluster(f);
	for (struct cluster *c = f->window.oldest; c; c = c->newer) {
		if (!c->unsettled || c->arrived_s >= before_s)
			continue;
		c->unsettled = false;
		push(f, c);
	}
}

static size_t index_of(const struct cluster *c, const struct message *m)
{
	size_t i = 0;

	while (c->mails[i]->m != m)
		i++;
	return i;
}

static void add_origin(struct series_feed *f, const struct message *m)
{
	f->origins = xgrow(f->origins, f->n_origins, sizeof(*f->origins));
	f->origins[f->n_origins++] = f->cluster->mails[index_of(f->cluster, m)]->origin;
}

/* What a partial reroll rests on comes first, down to a version that is whole. */
static void add_origins(struct series_feed *f, const struct series *s)
{
	const struct series *chain[FEED_MAX_CHAIN];
	size_t n = 0;

	for (; s && n < FEED_MAX_CHAIN; s = s->partial ? s->previous : NULL)
		chain[n++] = s;
	while (n > 0) {
		s = chain[--n];
		if (s->cover && !s->partial)
			add_origin(f, s->cover);
		for (size_t i = 0; i < s->n_patches; i++)
			if (!s->patches[i].carried)
				add_origin(f, s->patches[i].message);
		for (size_t i = 0; i < s->n_replies; i++)
			add_origin(f, s->replies[i]);
	}
}

/* Given out already, by one of its own patches? If not, it is now. */
static bool give_once(struct cluster *c, const struct series *s)
{
	for (size_t i = 0; i < s->n_patches; i++)
		if (!s->patches[i].carried && c->mails[index_of(c, s->patches[i].message)]->given)
			return false;
	for (size_t i = 0; i < s->n_patches; i++)
		c->mails[index_of(c, s->patches[i].message)]->given = true;
	if (s->cover)
		c->mails[index_of(c, s->cover)]->given = true;
	return true;
}

/* The next series of the cluster that is to be told of now. */
static bool next_series(struct series_feed *f, struct feed_event *ret_event)
{
	struct cluster *c = f->cluster;
	bool quiet = c->leaving || !c->unsettled;

	while (f->next_series < f->set.n_series) {
		const struct series *s = &f->set.series[f->next_series++];

		if (s->complete ? s->loose && !quiet : !c->leaving)
			continue;
		if (!give_once(c, s))
			continue;
		add_origins(f, s);
		*ret_event = (struct feed_event){
			.kind = s->complete ? FEED_SERIES : FEED_GIVEN_UP,
			.series = s,
			.origins = f->origins,
			.n_origins = f->n_origins,
		};
		return true;
	}
	return false;
}

/* Talk is not told of, and what may still find its place is not told of yet. */
static bool next_ignored(struct series_feed *f, struct feed_event *ret_event)
{
	struct cluster *c = f->cluster;

	while (f->next_ignored < f->set.n_ignored && (c->leaving || !c->unsettled)) {
		const struct series_ignored *ignored = &f->set.ignored[f->next_ignored++];
		struct feed_mail *mail = c->mails[index_of(c, ignored->message)];

		if (ignored->kind == IGNORED_TALK || mail->reported)
			continue;
		mail->reported = true;
		*ret_event = (struct feed_event){
			.kind = FEED_IGNORED,
			.message_id = ignored->message_id,
			.why = ignored->why,
			.origins = &mail->origin,
			.n_origins = 1,
		};
		return true;
	}
	return false;
}

static bool next_unread(struct series_feed *f, struct feed_event *ret_event)
{
	if (f->next_unread == f->n_unread)
		return false;
	f->told = f->unread[f->next_unread];
	f->unread[f->next_unread++] = (struct unread){0};
	*ret_event = (struct feed_event){
		.kind = FEED_IGNORED,
		.message_id = f->told.message_id,
		.why = f->told.why,
		.origins = &f->told.origin,
		.n_origins = 1,
	};
	return true;
}

/* Looks at a cluster; its set borrows the messages. */
static void enter_cluster(struct series_feed *f, struct cluster *c)
{
	f->cluster = c;
	f->next_series = f->next_ignored = 0;
	f->all_told = false;
	series_set_init(&f->set);
	f->set.borrowed = true;
	for (size_t i = 0; i < c->n; i++)
		series_set_add(&f->set, c->mails[i]->m);
	series_set_assemble(&f->set);
	c->news = 0;
	c->missing = SIZE_MAX;
	for (size_t i = 0; i < f->set.n_series; i++) {
		const struct series *s = &f->set.series[i];

		if (!s->complete)
			c->missing = MIN_OF(c->missing,
				(size_t)s->total - MIN_OF((size_t)s->total - 1, s->n_patches));
	}
	/* A series of which nothing came yet begins with any mail. */
	if (c->missing == SIZE_MAX)
		c->missing = 1;
}

bool series_feed_next(struct series_feed *f, struct feed_event *ret_event)
{
	struct cluster *c;

	drop_shown(f);
	if (next_unread(f, ret_event))
		return true;
	for (;;) {
		if (f->cluster && (next_series(f, ret_event) || next_ignored(f, ret_event)))
			return true;
		f->all_told = true;
		leave_cluster(f);
		c = pop(f);
		if (!c)
			return false;
		enter_cluster(f, c);
	}
}

static int compare_waiting(const void *a, const void *b)
{
	const struct feed_mail *x = *(struct feed_mail *const *)a;
	const struct feed_mail *y = *(struct feed_mail *const *)b;

	return (x->place > y->place) - (x->place < y->place);
}

static bool waits(const struct feed_mail *mail)
{
	return !mail->given && !mail->reported && !mail->tags.reply &&
	       (mail->tags.numbered || mail->m->diff_len);
}

size_t series_feed_waiting(struct series_feed *f, const int64_t **ret_origins)
{
	AUTO_FREE struct feed_mail **mails = xcalloc(f->window.n_mails + 1, sizeof(*mails));
	size_t n = 0;

	drop_shown(f);
	leave_cluster(f);
	for (const struct cluster *c = f->window.oldest; c; c = c->newer)
		for (size_t i = 0; i < c->n; i++)
			if (waits(c->mails[i]))
				mails[n++] = c->mails[i];
	qsort((void *)mails, n, sizeof(*mails), compare_waiting);
	f->origins = xcalloc(n + 1, sizeof(*f->origins));
	for (f->n_origins = 0; f->n_origins < n; f->n_origins++)
		f->origins[f->n_origins] = mails[f->n_origins]->origin;
	*ret_origins = f->origins;
	return n;
}
