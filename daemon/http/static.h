/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dashboard's files, open to everybody: they hold nothing of the lab. Names under /assets/
 * carry a hash of their content and may be kept for ever; a path that is no file is a page of the
 * application and gets index.html.
 */
#ifndef HTTP_STATIC_H
#define HTTP_STATIC_H

#include "daemon/http/request.h"

extern const struct route static_route;

#endif
