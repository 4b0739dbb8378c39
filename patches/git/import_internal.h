/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What import_deb() is made of. */
#ifndef GIT_IMPORT_INTERNAL_H
#define GIT_IMPORT_INTERNAL_H

#include "patches/git/import.h"

#define IMPORT_IDENT "Patchbay <patchbay@localhost>"

/*
 * A tarball's files, without their first folder, as one commit of ref in a bare repository, through
 * `git fast-import`. Its date is the newest time in the tarball.
 */
int tar_import(const struct import *in, const char *tarball, const char *repo_path, const char *ref,
	const char *message, struct error *e);

#endif
