/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/elf.h"

#include <elf.h>
#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MAX_FILE (4LL << 30)
#define MAX_SECTIONS 65536

/* Line numbers move when a comment does: dynamic debug keeps its own, the notes a build id of all of
 * the file. */
static const char *const set_aside[] = {"__dyndbg", ".notes"};

/* struct bug_entry with relative pointers and CONFIG_DEBUG_BUGVERBOSE: address, file, line, flags. The
 * flags say WARN from WARN_ONCE. */
#define BUG_TABLE "__bug_table"
#define BUG_ENTRY 12
#define BUG_LINE 8
#define BUG_LINE_SIZE 2

struct image {
	const uint8_t *data;
	size_t size;
	const char *file;
	bool has_bug_lines;
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
		.sh_link = small.sh_link,
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

static bool is_relocations(const struct image *im, const Elf64_Shdr *sh)
{
	return im->eh.e_type == ET_REL && (sh->sh_type == SHT_RELA || sh->sh_type == SHT_REL);
}

/* The section itself, or the one that relocations are for. */
static int is_wanted(
	const struct image *im, const Elf64_Shdr *sh, bool *ret_wanted, struct error *e)
{
	Elf64_Shdr of = *sh;

	if (is_relocations(im, sh)) {
		if (sh->sh_info >= im->eh.e_shnum)
			return bad(im, "relocations for no section", e);
		of = section(im, sh->sh_info);
	}
	if (of.sh_name >= im->names_size)
		return bad(im, "a section without name", e);
	*ret_wanted = counts(im->names + of.sh_name, &of);
	return 0;
}

/* The table that relocations take symbols from, and the names of those. */
struct symbols {
	Elf64_Shdr table;
	size_t n;
	const char *names; /* NUL-terminated as a whole */
	size_t names_size;
};

static int open_symbols(
	const struct image *im, size_t link, struct symbols *ret_symbols, struct error *e)
{
	struct symbols s = {.n = 0};
	Elf64_Shdr names;

	if (link >= im->eh.e_shnum)
		return bad(im, "relocations without symbols", e);
	s.table = section(im, link);
	if (s.table.sh_type != SHT_SYMTAB || !inside(im, s.table.sh_offset, s.table.sh_size) ||
		s.table.sh_link >= im->eh.e_shnum)
		return bad(im, "its symbols lie outside", e);
	s.n = s.table.sh_size / (im->is_32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym));
	names = section(im, s.table.sh_link);
	if (!inside(im, names.sh_offset, names.sh_size) || !names.sh_size ||
		im->data[names.sh_offset + names.sh_size - 1])
		return bad(im, "its symbol names lie outside", e);
	s.names = (const char *)im->data + names.sh_offset;
	s.names_size = names.sh_size;
	*ret_symbols = s;
	return 0;
}

static Elf64_Sym symbol(const struct image *im, const struct symbols *s, size_t i)
{
	const uint8_t *table = im->data + s->table.sh_offset;
	Elf64_Sym sym;
	Elf32_Sym small;

	if (!im->is_32) {
		memcpy(&sym, table + i * sizeof(sym), sizeof(sym));
		return sym;
	}
	memcpy(&small, table + i * sizeof(small), sizeof(small));
	return (Elf64_Sym){.st_name = small.st_name,
		.st_info = small.st_info,
		.st_shndx = small.st_shndx,
		.st_value = small.st_value};
}

/* What a relocation points at. The index of a symbol says nothing: `kfree` and `kvfree` have the
 * same one in two builds. Names of local symbols may hold counters; their place is what counts. */
static int add_symbol(const struct image *im, const struct symbols *s, size_t i, struct sha256 *h,
	struct error *e)
{
	const char *name = "";
	const char *place = "";
	uint64_t facts[3];
	Elf64_Sym sym;

	if (i >= s->n)
		return bad(im, "a relocation for no symbol", e);
	sym = symbol(im, s, i);
	/* The binding of a symbol is in the same bits in both classes. */
	if (ELF64_ST_BIND(sym.st_info) != STB_LOCAL) {
		if (sym.st_name >= s->names_size)
			return bad(im, "a symbol without name", e);
		name = s->names + sym.st_name;
	}
	if (sym.st_shndx != SHN_UNDEF && sym.st_shndx < im->eh.e_shnum) {
		Elf64_Shdr of = section(im, sym.st_shndx);

		if (of.sh_name >= im->names_size)
			return bad(im, "a section without name", e);
		place = im->names + of.sh_name;
	}
	facts[0] = *place ? 0 : sym.st_shndx; /* undefined, absolute, common */
	facts[1] = sym.st_value;
	facts[2] = sym.st_info;
	sha256_add(h, name, strlen(name) + 1);
	sha256_add(h, place, strlen(place) + 1);
	sha256_add(h, facts, sizeof(facts));
	return 0;
}

/* Where, how and with what addend; *ret_symbol is the index of what it points at. */
static Elf64_Rela relocation(
	const struct image *im, const Elf64_Shdr *sh, const uint8_t *at, size_t *ret_symbol)
{
	Elf64_Rela rel = {.r_addend = 0}; /* the addend of Rel is in the section itself */
	Elf32_Rela small = {.r_addend = 0};

	if (!im->is_32) {
		memcpy(&rel, at, sh->sh_type == SHT_RELA ? sizeof(rel) : sizeof(Elf64_Rel));
		*ret_symbol = ELF64_R_SYM(rel.r_info);
		rel.r_info = ELF64_R_TYPE(rel.r_info);
		return rel;
	}
	memcpy(&small, at, sh->sh_type == SHT_RELA ? sizeof(small) : sizeof(Elf32_Rel));
	*ret_symbol = ELF32_R_SYM(small.r_info);
	return (Elf64_Rela){.r_offset = small.r_offset,
		.r_info = ELF32_R_TYPE(small.r_info),
		.r_addend = small.r_addend};
}

static size_t relocation_size(const struct image *im, const Elf64_Shdr *sh)
{
	if (im->is_32)
		return sh->sh_type == SHT_RELA ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel);
	return sh->sh_type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
}

static int add_relocations(
	const struct image *im, const Elf64_Shdr *sh, struct sha256 *h, struct error *e)
{
	size_t size = relocation_size(im, sh);
	struct symbols symbols = {.n = 0};
	int r = open_symbols(im, sh->sh_link, &symbols, e);

	for (size_t i = 0; !r && i < sh->sh_size / size; i++) {
		size_t index;
		Elf64_Rela rel = relocation(im, sh, im->data + sh->sh_offset + i * size, &index);

		sha256_add(h, &rel, sizeof(rel));
		r = add_symbol(im, &symbols, index, h, e);
	}
	return r;
}

/* The bug table without its line numbers. */
static void add_bugs(const uint8_t *table, size_t size, struct sha256 *h)
{
	for (size_t i = 0; i < size; i += BUG_ENTRY) {
		sha256_add(h, table + i, BUG_LINE);
		sha256_add(h, table + i + BUG_LINE + BUG_LINE_SIZE,
			BUG_ENTRY - BUG_LINE - BUG_LINE_SIZE);
	}
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
	if (is_relocations(im, &sh))
		return add_relocations(im, &sh, h, e);
	if (im->has_bug_lines && streq(im->names + sh.sh_name, BUG_TABLE) &&
		sh.sh_size % BUG_ENTRY == 0)
		add_bugs(im->data + sh.sh_offset, sh.sh_size, h);
	else
		sha256_add(h, im->data + sh.sh_offset, sh.sh_size);
	return 0;
}

int elf_hash(int fd, const char *name, bool bug_lines, struct sha256 *h, struct error *e)
{
	struct image im = {.file = name, .has_bug_lines = bug_lines};
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
