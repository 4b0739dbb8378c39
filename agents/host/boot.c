/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/host/agent.h"
int agent_boot(struct agent *a, struct error *e)
{
	return error_set(e, ERR_MISSING, "x");
}
