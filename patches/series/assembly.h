/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What series_set_assemble() works on; see series.h. */
#ifndef SERIES_ASSEMBLY_H
#define SERIES_ASSEMBLY_H

#include "patches/series/series.h"
#include "patches/series/tags.h"
#include "patches/series/threads.h"

/* Mails of one series that do not refer to each other come this close together. */
#define ASSEMBLY_WINDOW_S 3600

enum role { ROLE_NONE, ROLE_PATCH, ROLE_COVER, ROLE_REPLY };

struct mail {
	const struct message *m;
	struct tags tags;
	enum role role;
	size_t parent; /* the nearest message that it answers; THREADS_NONE: none is here */
	size_t root; /* thread */
	int version; /* its own or inherited; 0: nobody said */
	int minor;
	int place; /* of a patch: its number, or 1 */
	size_t group; /* THREADS_NONE: none */
};

/* A series that is being put together. */
struct group {
	size_t first; /* the mail that came first; what makes it one series is read off it */
	int total;
	bool gone; /* merged into another: `base` */
	size_t cover; /* THREADS_NONE: none */
	size_t *patches; /* mails, by number, each number once */
	size_t n_patches;
	int64_t from_s; /* when its mails were sent */
	int64_t to_s;
	/* Of a partial reroll: the group that it replaces patches of; THREADS_NONE. */
	size_t base;
	bool joined; /* from parts that do not refer to each other */
	char *ambiguous; /* why it cannot be known what belongs to it; or NULL */
};

struct assembly {
	struct series_set *set;
	struct threads *threads;
	struct mail *mails;
	size_t n;
	struct group *groups; /* by first mail */
	size_t n_groups;
};

/* Roles and versions of all mails. */
void assembly_classify(struct assembly *a);
/* Patches and cover letters into groups. */
void assembly_group(struct assembly *a);
/* Groups that replace single patches of another; before parts are joined. */
void assembly_find_partial(struct assembly *a);
/* Versions of one series; numbers[g] is the series that group g became. */
void assembly_link(struct assembly *a, const size_t *numbers);
/* What its patches and its replies say; targets[i]: the mail that message i is a reply to. */
void assembly_collect_trailers(struct assembly *a, const size_t *numbers, const size_t *targets);

/* Sender, total, resend: what every mail of a series has in common. */
int mail_compare_kind(const struct mail *x, const struct mail *y);
int mail_compare_version(const struct mail *x, const struct mail *y);

/* The message is in no series, or not wholly; why is one sentence. */
void assembly_ignore(struct assembly *a, const struct message *m, enum ignored_kind kind,
	const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Does it answer a message that is not here? */
static inline bool mail_answers_absent(const struct assembly *a, const struct mail *mail)
{
	return mail->m->n_references &&
	       threads_find(a->threads, mail->m->references[0]) == THREADS_NONE;
}

static inline bool group_whole(const struct group *g)
{
	return g->n_patches == (size_t)g->total;
}

#endif
