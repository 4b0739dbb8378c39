// SPDX-License-Identifier: GPL-3.0-or-later
/* How long it takes to pin and unpin memory, page by page. */
#include "guest.h"

#define US_PER_MIB_MAP 17
#define US_PER_MIB_UNPIN 53

unsigned map_us(unsigned mib)
{
	unsigned us = mib * US_PER_MIB_MAP;

	/* The machine is never quite the same. */
	return us + noise(us / 100);
}

unsigned unpin_us(unsigned mib)
{
	unsigned us = mib * US_PER_MIB_UNPIN;

	return us + noise(us / 100);
}
