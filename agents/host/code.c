/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hash by which two builds are the same code: of vmlinux, of modules, and of the loader that
 * is not in vmlinux. Of the loader, objects are taken: its linked form holds vmlinux, compressed,
 * and sizes and addresses that follow from that.
 */
#include "agents/host/build.h"
#include "agents/host/elf.h"
#include "agents/host/folder.h"

#include <fcntl.h>

/* piggy.o holds the compressed vmlinux, header.o its sizes. */
static const char *const not_code[] = {"piggy.o", "header.o"};

struct hashing {
	const struct build *b;
	bool bug_lines;
	struct sha256 h;
};

static int add_file(struct hashing *g, const char *name, struct error *e)
{
	AUTO_CLOSE int fd = folder_open(g->b->obj, name, O_RDONLY, e);

	if (fd < 0)
		return fd;
	sha256_add(&g->h, name, strlen(name) + 1);
	return elf_hash(fd, name, g->bug_lines, &g->h, e);
}

static bool is_code(const struct build *b, const char *name)
{
	const char *slash = strrchr(name, '/');

	if (ends_with(name, ".ko"))
		return true;
	if (!starts_with(name, b->arch->boot) || !ends_with(name, ".o"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(not_code); i++)
		if (slash && streq(slash + 1, not_code[i]))
			return false;
	return true;
}

static int add_code(void *data, const char *name, const struct stat *st, struct error *e)
{
	struct hashing *g = data;

	return S_ISREG(st->st_mode) && is_code(g->b, name) ? add_file(g, name, e) : 0;
}

int code_hash(const struct build *b, char *hex, struct error *e)
{
	struct hashing g = {.b = b};
	AUTO_FREE char *config = NULL;
	int r = folder_read(b->obj, ".config", BUILD_MAX_CONFIG, &config, NULL, e);

	if (r)
		return r;
	g.bug_lines = strstr(config, "\nCONFIG_DEBUG_BUGVERBOSE=y\n") != NULL;
	sha256_init(&g.h);
	if ((r = add_file(&g, "vmlinux", e)) || (r = folder_walk(b->obj, add_code, &g, e)))
		return r;
	sha256_hex(&g.h, hex);
	return 0;
}
