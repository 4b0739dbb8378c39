/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What patchbay-target writes, kept in memory. */
#ifndef TESTS_CHANNEL_TEXT_H
#define TESTS_CHANNEL_TEXT_H

#include "agents/target/channel.h"
#include "base/file.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/mman.h>

static inline void open_channel(struct channel *ret_channel)
{
	int fd = memfd_create("results", MFD_CLOEXEC);

	assert_true(fd >= 0);
	channel_init(ret_channel, fd, false);
}

/* Its end: what came out, heap. */
static inline char *close_channel(struct channel *ch)
{
	AUTO_CLOSE int fd = ch->fd;
	char *text = NULL;

	ch->fd = -1;
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(file_read_fd(fd, "results", 16 << 20, &text, NULL, NULL), 0);
	return text;
}

static inline void expect(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' has no '%s'", text, part);
}

#endif
