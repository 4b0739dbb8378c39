/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs of the lab's own, as a benchmark. */
#ifndef TARGET_USERTEST_H
#define TARGET_USERTEST_H

#include "agents/target/bench.h"

/* Runs what folder/TEST is (option `test`): a program, a folder of programs, or an installed folder of
 * kernel selftests; each for at most `seconds`. Their output becomes records, and how each ended. */
void usertest_run(const char *folder, const struct run_spec *spec, struct channel *out);

#endif
