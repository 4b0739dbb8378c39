/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What process 1 owes its kernel: file systems, reaping, and an end. It never exits: that would
 * be a panic that no patch is guilty of.
 */
#ifndef TARGET_INIT_H
#define TARGET_INIT_H

#include "base/error.h"
#include <sys/types.h>

/* proc, sys, dev, tmp, debugfs, tracefs. Those that a kernel may lack are left out silently;
 * without proc, sys or dev nothing can be measured. */
int init_mount(struct error *e);
/* Standard descriptors on the console, whether or not the kernel found one. */
void init_console(void);
/* Collect every child that has ended. */
void init_reap(void);
/* Power off, or reset where the kernel cannot (the virtual machine ends at a reset too). */
__attribute__((noreturn)) void init_end(void);

#endif
