/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The counted clock, as patchbay-agent sets it up and patchbay-target reads it (docs/internals/boots.md). */
#ifndef AGENTS_COUNTED_H
#define AGENTS_COUNTED_H

/* Every instruction takes 2^COUNTED_SHIFT ns of the guest's time: QEMU's -icount shift=. */
#define COUNTED_SHIFT 1

#endif
