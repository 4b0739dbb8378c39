/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scan/console_internal.h"

#include <ctype.h>

/* The length of "[   12.345678]" at s, or 0. */
static size_t stamp_length(const char *s)
{
	size_t n = 1, digits = 0;

	if (*s != '[')
		return 0;
	while (s[n] == ' ')
		n++;
	for (; isdigit((unsigned char)s[n]); n++)
		digits++;
	if (!digits || s[n++] != '.')
		return 0;
	for (digits = 0; isdigit((unsigned char)s[n]); n++)
		digits++;
	return digits == 6 && s[n] == ']' ? n + 1 : 0;
}

/* The length of "[    T1]" or "[   C0]" (PRINTK_CALLER) at s, or 0. */
static size_t caller_length(const char *s)
{
	size_t n = 1;

	if (*s != '[')
		return 0;
	while (s[n] == ' ')
		n++;
	if (s[n] != 'T' && s[n] != 'C')
		return 0;
	n++;
	if (!isdigit((unsigned char)s[n]))
		return 0;
	while (isdigit((unsigned char)s[n]))
		n++;
	return s[n] == ']' ? n + 1 : 0;
}

char *scan_glued_stamp(char *line)
{
	if (!*line)
		return NULL;
	for (char *p = line + 1; (p = strchr(p, '[')) != NULL; p++) {
		/* "<4>[    1.0…": not glued, that is the prefix. */
		if (stamp_length(p) && !(p - line == 3 && line[0] == '<'))
			return p;
	}
	return NULL;
}

/* Take out escape sequences and control characters, in place. */
static void drop_controls(char *line)
{
	char *to = line;

	for (const char *p = line; *p;) {
		if (*p == '\033' && p[1] == '[') {
			p += 2;
			while (*p && (*p < '@' || *p > '~'))
				p++;
			p += *p ? 1 : 0;
		} else if (*p == '\033') {
			p += p[1] ? 2 : 1;
		} else if (iscntrl((unsigned char)*p) && *p != '\t') {
			p++;
		} else {
			*to++ = *p++;
		}
	}
	while (to > line && isspace((unsigned char)to[-1]))
		to--;
	*to = '\0';
}

char *scan_clean_console_line(char *line, bool *ret_stamped)
{
	size_t n;

	drop_controls(line);
	*ret_stamped = false;
	if (line[0] == '<' && isdigit((unsigned char)line[1])) {
		n = strspn(line + 1, "0123456789");
		if (line[1 + n] == '>')
			line += n + 2;
	}
	n = stamp_length(line);
	if (n) {
		*ret_stamped = true;
		line += n;
		while ((n = caller_length(line)) > 0)
			line += n;
		line += *line == ' ' ? 1 : 0;
	}
	return line;
}

bool scan_is_ruler(const char *line)
{
	size_t n = strspn(line, "=");

	return n >= 20 && !line[n];
}

unsigned scan_said(const char *line)
{
	static const struct {
		const char *start;
		unsigned said;
	} words[] = {
		{"Lock dependency validator: ", SCAN_SAID_LOCKDEP},
		{"kasan: KernelAddressSanitizer initialized", SCAN_SAID_KASAN},
		{"kcsan: enabled early", SCAN_SAID_KCSAN},
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (starts_with(line, words[i].start))
			return words[i].said;
	return 0;
}

bool scan_is_die_line(const char *line)
{
	const char *number = strstr(line, "[#");

	return starts_with(line, "Oops") || starts_with(line, "Internal error: ") ||
	       (number && isdigit((unsigned char)number[2]));
}

const char *scan_where(const char *line)
{
	const char *s = line;

	if (starts_with(s, "RIP: ")) {
		s += strlen("RIP: ");
		/* User space has another code segment. */
		if (starts_with(s, "0033:") || starts_with(s, "0023:"))
			return NULL;
		while (isxdigit((unsigned char)*s))
			s++;
		s += *s == ':' ? 1 : 0;
	} else if (starts_with(s, "pc : ")) {
		s += strlen("pc : ");
	} else {
		return NULL;
	}
	return scan_is_name_start(*s) && strstr(s, "+0x") ? s : NULL;
}

const char *scan_stack_function(const char *line)
{
	const char *s = line, *plus;
	size_t n = 0;

	while (*s == ' ' || *s == '\t')
		s++;
	if (s == line || !scan_is_name_start(*s))
		return NULL;
	while (scan_is_name(s[n]) || s[n] == '.')
		n++;
	plus = s + n;
	return starts_with(plus, "+0x") && strstr(plus, "/0x") ? s : NULL;
}

bool scan_is_bystander(const char *function)
{
	static const char *const whole[] = {"schedule", "__schedule", "io_schedule", "panic",
		"preempt_schedule", "check_noncircular", "print_report", "bit_wait", "bit_wait_io",
		"msleep", "down", "__down", "__down_common", "__warn", "report_bug",
		"ret_from_fork"};
	static const char *const start[] = {"dump_", "show_", "print_", "__might_", "___might_",
		"__schedule_bug", "schedule_", "kasan_", "__kasan_", "__asan_", "ubsan_",
		"__ubsan_", "kcsan_", "__tsan_", "handle_overflow", "lockdep_", "lock_acquire",
		"__lock_acquire", "mark_lock", "debug_", "register_lock_class", "wait_for_",
		"__wait_", "mutex_lock", "__mutex_lock", "rwsem_", "down_read", "down_write",
		"rt_mutex", "_raw_", "__x64_sys_", "entry_SYSCALL"};

	for (size_t i = 0; i < ARRAY_SIZE(whole); i++) {
		size_t n = strlen(whole[i]);

		if (starts_with(function, whole[i]) && !scan_is_name(function[n]))
			return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(start); i++)
		if (starts_with(function, start[i]))
			return true;
	return false;
}

/* "WARNING: CPU: 0 PID: 72 at FILE:LINE FUNC+…", and since 6.18 "WARNING: FILE:LINE at FUNC+…". */
static bool start_warning(const char *line, struct report_start *r)
{
	const char *at = strstr(line, " at ");
	const char *s;

	if (!starts_with(line, "WARNING: ") || !at)
		return false;
	s = at + strlen(" at ");
	if (starts_with(line, "WARNING: CPU: ")) {
		s += strcspn(s, " ");
		s += *s == ' ' ? 1 : 0;
	} else if (!strstr(line, ".c:") && !strstr(line, ".h:")) {
		return false;
	}
	*r = (struct report_start){.words = "WARNING",
		.words_len = strlen("WARNING"),
		.function = scan_is_name_start(*s) ? s : NULL,
		.end = END_TRACE,
		.name = NAME_FIRST,
		.joint = ": "};
	return true;
}

/* lockdep's heads come behind a ruler: "WARNING: possible …" and, long ago, "[ BUG: … ]". */
static bool start_lockdep(const char *line, bool after_ruler, struct report_start *r)
{
	const char *s;

	if (!after_ruler)
		return false;
	if (starts_with(line, "WARNING: "))
		s = line + strlen("WARNING: ");
	else if (starts_with(line, "[ BUG: "))
		s = line + strlen("[ BUG: ");
	else if (starts_with(line, "[ INFO: "))
		s = line + strlen("[ INFO: ");
	else
		return false;
	*r = (struct report_start){.words = s,
		.words_len = strcspn(s, "!]"),
		.end = END_STACK,
		.name = NAME_LOCKS,
		.joint = ": "};
	return true;
}

/* "BUG: KASAN: slab-use-after-free in f+0x1/0x2", "BUG: KCSAN: data-race in f / g". */
static bool start_sanitizer(const char *line, struct report_start *r)
{
	static const char *const names[] = {"KASAN: ", "KCSAN: ", "KMSAN: ", "KFENCE: "};
	const char *s, *in;

	if (starts_with(line, "UBSAN: ")) {
		in = strstr(line, " in ");
		*r = (struct report_start){.words = line,
			.end = END_TRACE,
			.name = NAME_STACK,
			.words_len = in ? (size_t)(in - line) : strlen(line),
			.joint = " in "};
		return true;
	}
	if (!starts_with(line, "BUG: "))
		return false;
	s = line + strlen("BUG: ");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!starts_with(s, names[i]))
			continue;
		in = strstr(s, " in ");
		*r = (struct report_start){.words = s,
			.end = END_RULER,
			.name = NAME_FIRST,
			.words_len = in ? (size_t)(in - s) : strlen(s),
			.joint = " in ",
			.function = in ? in + strlen(" in ") : NULL};
		return true;
	}
	return false;
}

struct known_start {
	const char *at; /* the line begins with it, or where it has ~, holds what follows */
	const char *words; /* of the signature; NULL: the rest of the line behind `at`'s colon */
	enum report_end end;
	enum report_name name;
	bool fatal;
	bool panic;
};

/* Stalls and lockups are named by their kind alone: where the CPU happened to be when the
 * watchdog looked differs from boot to boot. */
static const struct known_start known[] = {
	{"Kernel panic - not syncing: ", NULL, END_PANIC, NAME_NONE, true, true},
	{"BUG: kernel NULL pointer dereference", "BUG: NULL pointer dereference", END_TRACE,
		NAME_WHERE, true, false},
	{"Unable to handle kernel NULL pointer dereference", "BUG: NULL pointer dereference",
		END_TRACE, NAME_WHERE, true, false},
	{"BUG: unable to handle page fault", "BUG: unable to handle page fault", END_TRACE,
		NAME_WHERE, true, false},
	{"BUG: unable to handle kernel", "BUG: unable to handle page fault", END_TRACE, NAME_WHERE,
		true, false},
	{"Unable to handle kernel paging request", "BUG: unable to handle page fault", END_TRACE,
		NAME_WHERE, true, false},
	{"kernel BUG at ", "kernel BUG", END_TRACE, NAME_WHERE, true, false},
	{"general protection fault", "general protection fault", END_TRACE, NAME_WHERE, true,
		false},
	{"Oops: general protection fault", "general protection fault", END_TRACE, NAME_WHERE, true,
		false},
	{"divide error: ", "divide error", END_TRACE, NAME_WHERE, true, false},
	{"Oops: divide error: ", "divide error", END_TRACE, NAME_WHERE, true, false},
	{"double fault: ", "double fault", END_TRACE, NAME_WHERE, true, false},
	{"traps: PANIC: double fault", "double fault", END_TRACE, NAME_WHERE, true, false},
	{"Oops: ", "Oops", END_TRACE, NAME_WHERE, true, false},
	{"Internal error: ", "Oops", END_TRACE, NAME_WHERE, true, false},
	{"~BUG: soft lockup", "soft lockup", END_STACK, NAME_NONE, true, false},
	{"~hard LOCKUP on cpu", "hard lockup", END_STACK, NAME_NONE, true, false},
	{"~detected stalls on CPUs/tasks", "RCU stall", END_STACK, NAME_NONE, false, false},
	{"~detected expedited stalls on CPUs/tasks", "RCU stall", END_STACK, NAME_NONE, false,
		false},
	{"~self-detected stall on CPU", "RCU stall", END_STACK, NAME_NONE, false, false},
	{"BUG: workqueue lockup", "workqueue lockup", END_LINE, NAME_NONE, true, false},
	{"BUG: sleeping function called from invalid context", NULL, END_STACK, NAME_STACK, false,
		false},
	{"BUG: scheduling while atomic", "BUG: scheduling while atomic", END_STACK, NAME_STACK,
		false, false},
	{"BUG: using ", NULL, END_STACK, NAME_STACK, false, false},
	{"BUG: Bad page state in process", "BUG: Bad page state", END_STACK, NAME_STACK, false,
		false},
	{"BUG: Bad page map in process", "BUG: Bad page map", END_STACK, NAME_STACK, false, false},
	{"BUG: Bad rss-counter state", "BUG: Bad rss-counter state", END_LINE, NAME_NONE, false,
		false},
	{"INFO: trying to register non-static key", "lockdep: trying to register non-static key",
		END_STACK, NAME_STACK, false, false},
	{"Out of memory: Killed process", "out of memory", END_LINE, NAME_NONE, false, false},
	{"~kmemleak: ", "kmemleak: suspected memory leaks", END_LINE, NAME_NONE, false, false},
};

/* "INFO: task vfio:72 blocked for more than 120 seconds." */
static bool start_hung_task(const char *line, struct report_start *r)
{
	if (!starts_with(line, "INFO: task ") || !strstr(line, " blocked for more than "))
		return false;
	*r = (struct report_start){.words = "hung task",
		.words_len = strlen("hung task"),
		.end = END_STACK,
		.name = NAME_STACK,
		.joint = " in "};
	return true;
}

static bool start_known(const char *line, struct report_start *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		const struct known_start *k = &known[i];

		if (k->at[0] == '~' ? !strstr(line, k->at + 1) : !starts_with(line, k->at))
			continue;
		if (starts_with(k->at, "~kmemleak") && !strstr(line, "new suspected memory leaks"))
			continue;
		*r = (struct report_start){.words = k->words ? k->words : line,
			.words_len = strlen(k->words ? k->words : line),
			.end = k->end,
			.name = k->name,
			.joint = " in ",
			.fatal = k->fatal,
			.panic = k->panic};
		return true;
	}
	return false;
}

bool scan_report_start(const char *line, bool after_ruler, struct report_start *ret_start)
{
	size_t n;

	if (start_warning(line, ret_start) || start_lockdep(line, after_ruler, ret_start) ||
		start_sanitizer(line, ret_start) || start_hung_task(line, ret_start) ||
		start_known(line, ret_start))
		return true;
	if (!starts_with(line, "BUG: "))
		return false;
	/* A BUG that has no line above: its words, and where it happened. */
	n = strcspn(line + strlen("BUG: "), "!,") + strlen("BUG: ");
	*ret_start = (struct report_start){.words = line,
		.words_len = n,
		.end = END_STACK,
		.name = NAME_STACK,
		.joint = " in "};
	return true;
}
