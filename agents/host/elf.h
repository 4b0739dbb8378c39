/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What of an ELF file (32 or 64 bit, little-endian) becomes code and data in memory: its allocatable
 * sections, without line-number tables and build ids. Reads hostile files: every offset is
 * checked.
 */
#ifndef HOST_ELF_H
#define HOST_ELF_H

#include "base/sha256.h"

/* Adds the sections of an open file to the hash; of a relocatable file their relocations too.
 * name: for errors. bug_lines: the kernel is built with CONFIG_DEBUG_BUGVERBOSE, so that its bug
 * tables hold line numbers; those are left out. */
int elf_hash(int fd, const char *name, bool bug_lines, struct sha256 *h, struct error *e);

#endif
