/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GUEST_H
#define GUEST_H

enum port { CONSOLE = 0x3f8, RESULTS = 0x2f8 };

void put(enum port port, const char *text);
void put_number(enum port port, unsigned n, int digits);
/* One result line around the JSON of `data`. */
void result(const char *data);
int result_lines(void);
unsigned noise(unsigned most);

/* Microseconds to unpin some MiB. */
unsigned unpin_us(unsigned mib);
unsigned map_us(unsigned mib);

#endif
