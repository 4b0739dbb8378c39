/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a profile measures, by which clocks, and from where on a change is one. */
#ifndef CONFIG_PROFILE_MEASURE_H
#define CONFIG_PROFILE_MEASURE_H

#include "base/json.h"
#include "daemon/config/profile_file.h"

/* `clocks`, `benchmarks` and `thresholds` of the resolved profile. */
int profile_measure(const struct raw_profile *raw, cJSON *to, struct error *e);

#endif
