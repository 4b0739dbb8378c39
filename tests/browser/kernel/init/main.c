// SPDX-License-Identifier: GPL-3.0-or-later
#include "guest.h"

__asm__(".section .multiboot,\"a\"\n"
	".align 4\n"
	".long 0x1badb002, 0, -0x1badb002\n"
	".text\n"
	".globl start\n"
	"start: mov $stack_end, %esp\n"
	"push %ebx\n"
	"call run\n"
	".bss\n"
	".align 16\n"
	".skip 16384\n"
	"stack_end:\n"
	".text\n");

static char line[512];
static int used;

static void add(const char *text)
{
	while (*text && used < (int)sizeof(line) - 1)
		line[used++] = *text++;
	line[used] = 0;
}

static void add_number(unsigned n, int digits)
{
	char text[12];
	int i = 11;

	text[i] = 0;
	do {
		text[--i] = '0' + n % 10;
		n /= 10;
		digits--;
	} while (n || digits > 0);
	add(text + i);
}

static void say(void)
{
	result(line);
	used = 0;
}

static void sample(const char *backing, const char *what, unsigned us)
{
	add("{\"type\":\"sample\",\"metric\":\"dma-map.");
	add(backing);
	add(what);
	add("\",\"value\":0.");
	add_number(us, 6);
	add(",\"params\":{\"size_mib\":1024,\"iterations\":3,\"backing_coverage\":1}}");
	say();
}

/* The number behind "seed=" on the command line. */
static unsigned seed_of(const char *s)
{
	unsigned seed = 0;

	while (*s && !(s[0] == 's' && s[1] == 'e' && s[2] == 'e' && s[3] == 'd' && s[4] == '='))
		s++;
	for (s += *s ? 5 : 0; *s >= '0' && *s <= '9'; s++)
		seed = seed * 10 + (*s - '0');
	return seed;
}

static void hello(const char *cmdline)
{
	add("{\"type\":\"hello\",\"boot_id\":\"");
	for (int i = 0; i < 4; i++)
		add_number(noise(99999999), 8);
	add("\",\"kernel\":\"6.12.0-small\",\"cmdline\":\"");
	add(cmdline);
	add("\",\"seed\":");
	add_number(seed_of(cmdline), 1);
	add(",\"clock\":\"wall\"}");
	say();
}

static void power_off(void)
{
	__asm__ volatile("outw %%ax, %%dx" ::"a"(0x2000), "d"(0x604));
	__asm__ volatile("outb %%al, %%dx" ::"a"(6), "d"(0xcf9));
	for (;;)
		__asm__ volatile("hlt");
}

static const char *const backings[] = {"madv_hugepage", "map_populate", "hugetlbfs"};

void run(const unsigned *info);
void run(const unsigned *info)
{
	const char *cmdline = info[0] & 4 ? (const char *)info[4] : "";

	put(CONSOLE, "Linux version 6.12.0-small (a kernel for tests)\n");
	put(CONSOLE, "Command line: ");
	put(CONSOLE, cmdline);
	put(CONSOLE, "\nDMAR: IOMMU enabled\n");
	put(CONSOLE, "Run /init as init process\n");
	hello(cmdline);
	for (int i = 0; i < 3; i++) {
		unsigned slower = i == 1 ? 2 : 1;

		sample(backings[i], ".map_seconds", slower * map_us(1024));
		sample(backings[i], ".unmap_seconds", slower * unpin_us(1024));
		put(CONSOLE, "bench: ");
		put(CONSOLE, backings[i]);
		put(CONSOLE, " done\n");
	}
	add("{\"type\":\"end\",\"lines\":");
	add_number(result_lines(), 1);
	add("}");
	say();
	put(CONSOLE, "reboot: Power down\n");
	power_off();
}
