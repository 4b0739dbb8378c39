/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantities as people write them in configuration files. A number without its unit is refused. */
#ifndef CONFIG_UNITS_H
#define CONFIG_UNITS_H

#include "base/error.h"

#define DURATION_MAX_S (7 * 24 * 3600)

/* "90s", "10min", "2h" to seconds; 1 s to DURATION_MAX_S. Error sentences go behind a name. */
int units_duration(const char *text, int64_t *ret_seconds, struct error *e);
/* "2%", "0.5%" to 0.02, 0.005; more than 0, at most 100 %. */
int units_percent(const char *text, double *ret_fraction, struct error *e);

#endif
