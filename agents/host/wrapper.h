/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The compiler's stand-in. Inside a build's sandbox this program stands first in PATH as gcc and as ld: it
 * runs the real one, and keeps what that said of one object beside the object, as .NAME.diag:
 *
 *     patchbay-diag 1 BUILD STATUS SOURCE LF text…
 *
 * BUILD is $PATCHBAY_BUILD, one value for each run of make; STATUS is ok, failed or killed.
 * Where the compiler said nothing there is no such file.
 */
#ifndef HOST_WRAPPER_H
#define HOST_WRAPPER_H

#include "base/util.h"

#define WRAPPER_DIR "/patchbay" /* in the sandbox; has gcc and ld, and is first in PATH */
#define WRAPPER_MAX (1024 * 1024) /* bytes kept for an object */

bool wrapper_is_meant(const char *argv0);
/* Returns the exit status. */
int wrapper_main(char **argv);
/* "dir/.NAME.diag" of "dir/NAME", heap. */
char *wrapper_diag_path(const char *object);

#endif
