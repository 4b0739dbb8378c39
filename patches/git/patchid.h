/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patch ids: the same as `git patch-id` prints, from the text of a diff. */
#ifndef GIT_PATCHID_H
#define GIT_PATCHID_H

#include "base/util.h"

#define PATCH_ID_HEX 41

/* stable: a sum over the files, whatever their order; else one hash over all of them, as older
 * versions of git wrote into prerequisite-patch-id. False where the text has no "diff" line. */
bool patch_id(const char *text, size_t len, bool stable, char hex[PATCH_ID_HEX]);

#endif
