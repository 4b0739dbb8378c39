/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What standard error shows of work under way: one line for each thing that began or ended, and
 * on a terminal a last line that changes in place (stage, patch, boot n of m, elapsed).
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "base/json.h"

struct progress_view;

/* what: names a lone job in the lines; NULL for a series. */
struct progress_view *progress_new(const char *what);
struct progress_view *progress_free(struct progress_view *v);
/* Does it have a line that changes, so that it wants progress_tick() every second? */
bool progress_is_live(const struct progress_view *v);
/* How things stand now. */
void progress_series(struct progress_view *v, const cJSON *series);
void progress_job(struct progress_view *v, const cJSON *job);
void progress_tick(struct progress_view *v);
void progress_note(struct progress_view *v, const char *text);
/* Takes the changing line away. */
void progress_clear(struct progress_view *v);

#endif
