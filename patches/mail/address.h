/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A From: value taken apart into name and address, with git mailinfo's rules. */
#ifndef MAIL_ADDRESS_H
#define MAIL_ADDRESS_H

#include "base/strbuf.h"

/* Heap strings, "" where there is none. */
void address_parse(const char *from, char **ret_name, char **ret_email);

#endif
