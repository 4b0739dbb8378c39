/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/elf.h"

#include <elf.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MAX_FILE (4LL << 30)
#define MAX_SECTIONS 65536

/* Line numbers move when a comment does: the bug table holds __LINE__, the notes a build id of
 * all of the file, dynamic debug its lines. */
static const char *const set_aside[] = {"__bug_table", "__dyndbg", ".notes"};

struct image {
	const uint8_t *data;
	size_t size;
	const char *file;
	bool is_32; /* the boot loader's objects are */
	Elf64_Ehdr eh; /* of either class */
	const char *names; /* of sections, NUL-terminated as a whole */
	size_t names_size;
};

static int bad(const struct image *im, const char *what, struct error *e)
{
	return error_set(
		e, ERR_SYNTAX, "%s is no ELF file as a kernel build makes it: %s", im->file, what);
}

static bool inside(const struct image *im, uint64_t offset, uint64_t size)
{
	return offset <= im->size && size <= im->size - offset;
}

static Elf64_Shdr section(const struct image *im, size_t i)
{
	const uint8_t *at = im->data + im->eh.e_shoff + i * im->eh.e_shentsize;
	Elf64_Shdr sh;
	Elf32_Shdr small;

	if (!im->is_32) {
		memcpy(&sh, at, sizeof(sh));
		return sh;
	}
	memcpy(&small, at, sizeof(small));
	return (Elf64_Shdr){.sh_name = small.sh_name,
		.sh_type = small.sh_type,
		.sh_flags = small.sh_flags,
		.sh_addr = small.sh_addr,
		.sh_offset = small.sh_offset,
		.sh_size = small.sh_size,
		.sh_info = small.sh_info};
}

/* The members of the header that are used; false where it is no ELF file we know. */
static bool read_header(struct image *im)
{
	Elf32_Ehdr small;

	if (im->size < sizeof(small) || memcmp(im->data, ELFMAG, SELFMAG) != 0 ||
		im->data[EI_DATA] != ELFDATA2LSB)
		return false;
	im->is_32 = im->data[EI_CLASS] == ELFCLASS32;
	if (!im->is_32) {
		if (im->data[EI_CLASS] != ELFCLASS64 || im->size < sizeof(im->eh))
			return false;
		memcpy(&im->eh, im->data, sizeof(im->eh));
		return im->eh.e_shentsize == sizeof(Elf64_Shdr);
	}
	memcpy(&small, im->data, sizeof(small));
	im->eh = (Elf64_Ehdr){.e_type = small.e_type,
		.e_shoff = small.e_shoff,
		.e_shentsize = small.e_shentsize,
		.e_shnum = small.e_shnum,
		.e_shstrndx = small.e_shstrndx};
	return im->eh.e_shentsize == sizeof(Elf32_Shdr);
}

static int open_image(struct image *im, struct error *e)
{
	Elf64_Shdr sh;

	if (!read_header(im))
		return bad(im, "another format", e);
	if (!im->eh.e_shnum || im->eh.e_shstrndx >= im->eh.e_shnum ||
		!inside(im, im->eh.e_shoff, (uint64_t)im->eh.e_shnum * im->eh.e_shentsize))
		return bad(im, "its section table lies outside", e);
	sh = section(im, im->eh.e_shstrndx);
	if (!inside(im, sh.sh_offset, sh.sh_size) || !sh.sh_size ||
		im->data[sh.sh_offset + sh.sh_size - 1])
		return bad(im, "its section names lie outside", e);
	im->names = (const char *)im->data + sh.sh_offset;
	im->names_size = sh.sh_size;
	return 0;
}

static bool counts(const char *name, const Elf64_Shdr *sh)
{
	if (!(sh->sh_flags & SHF_ALLOC) || sh->sh_type == SHT_NOTE || starts_with(name, ".note"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(set_aside); i++)
		if (streq(name, set_aside[i]))
			return false;
	return true;
}

/* The section itself, or the one that relocations are for. */
static int is_wanted(
	const struct image *im, const Elf64_Shdr *sh, bool *ret_wanted, struct error *e)
{
	Elf64_Shdr of = *sh;

	if (im->eh.e_type == ET_REL && (sh->sh_type == SHT_RELA || sh->sh_type == SHT_REL)) {
		if (sh->sh_info >= im->eh.e_shnum)
			return bad(im, "relocations for no section", e);
		of = section(im, sh->sh_info);
	}
	if (of.sh_name >= im->names_size)
		return bad(im, "a section without name", e);
	*ret_wanted = counts(im->names + of.sh_name, &of);
	return 0;
}

static int add_section(const struct image *im, size_t i, struct sha256 *h, struct error *e)
{
	Elf64_Shdr sh = section(im, i);
	uint64_t facts[3] = {sh.sh_addr, sh.sh_flags, sh.sh_size};
	bool wanted = false;
	int r = is_wanted(im, &sh, &wanted, e);

	if (r || !wanted)
		return r;
	if (sh.sh_name >= im->names_size)
		return bad(im, "a section without name", e);
	sha256_add(h, im->names + sh.sh_name, strlen(im->names + sh.sh_name) + 1);
	sha256_add(h, facts, sizeof(facts));
	if (sh.sh_type == SHT_NOBITS)
		return 0;
	if (!inside(im, sh.sh_offset, sh.sh_size))
		return bad(im, "a section lies outside", e);
	sha256_add(h, im->data + sh.sh_offset, sh.sh_size);
	return 0;
}

int elf_hash(int fd, const char *name, struct sha256 *h, struct error *e)
{
	struct image im = {.file = name};
	struct stat st;
	void *map;
	int r;

	if (fstat(fd, &st))
		return error_errno(e, "cannot read %s", name);
	if (!st.st_size || st.st_size > MAX_FILE)
		return bad(&im, "its size", e);
	im.size = (size_t)st.st_size;
	map = mmap(NULL, im.size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return error_errno(e, "cannot read %s", name);
	im.data = map;
	r = open_image(&im, e);
	for (size_t i = 1; !r && i < im.eh.e_shnum; i++)
		r = add_section(&im, i, h, e);
	munmap(map, im.size);
	return r;
}
