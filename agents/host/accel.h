/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast a guest can run here. /dev/kvm may be there, open, and yet never run a guest; only
 * booting one tells. The answer is kept in ROOT/accel until the host boots again or its QEMU
 * changes; not where KVM only came too late and the host was busy.
 */
#ifndef HOST_ACCEL_H
#define HOST_ACCEL_H

#include "agents/host/agent.h"
#include "agents/host/model.h"

struct accel {
	char name[8]; /* kvm or tcg */
	char why[256]; /* why not kvm; empty where it is */
	char qemu[128]; /* its version */
};

/* ERR_MISSING where QEMU is not there or cannot boot anything. */
int accel_find(struct agent *a, const struct model *m, struct accel *ret_accel, struct error *e);

#endif
