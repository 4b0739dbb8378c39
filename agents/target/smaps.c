/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "agents/target/smaps.h"
#include "base/file.h"

#define MAX_TEXT (4 * 1024 * 1024)

/* "7f0000000000-7f0040000000 rw-p …"; field lines have a capital first. */
static bool parse_area(const char *line, uint64_t *ret_start, uint64_t *ret_end)
{
	unsigned long long from, to;
	int end = 0;

	if (sscanf(line, "%llx-%llx %n", &from, &to, &end) != 2 || end == 0)
		return false;
	*ret_start = from;
	*ret_end = to;
	return true;
}

static void add_field(struct smaps *s, const char *line)
{
	unsigned long long kib;
	char name[32];

	if (sscanf(line, "%31[A-Za-z_]: %llu kB", name, &kib) != 2)
		return;
	if (streq(name, "Anonymous")) {
		s->anonymous += kib * 1024;
	} else if (streq(name, "AnonHugePages")) {
		s->anon_huge += kib * 1024;
	} else if (streq(name, "Private_Hugetlb") || streq(name, "Shared_Hugetlb")) {
		s->hugetlb += kib * 1024;
	} else if (streq(name, "KernelPageSize")) {
		if (!s->min_page_bytes || kib * 1024 < s->min_page_bytes)
			s->min_page_bytes = kib * 1024;
		if (kib * 1024 > s->max_page_bytes)
			s->max_page_bytes = kib * 1024;
	}
}

int smaps_parse(
	const char *text, uint64_t start, uint64_t end, struct smaps *ret_smaps, struct error *e)
{
	struct smaps sum = {0};
	bool inside = false;

	for (const char *at = text; *at;) {
		const char *nl = strchrnul(at, '\n');
		uint64_t from, to;
		char line[128]; /* sscanf() would look for the end of the whole text each time */

		(void)snprintf(line, sizeof(line), "%.*s", (int)MIN_OF(nl - at, 127), at);
		at = *nl ? nl + 1 : nl;
		if (parse_area(line, &from, &to)) {
			inside = from >= start && to <= end;
			if (inside)
				sum.mapped += to - from;
		} else if (inside) {
			add_field(&sum, line);
		}
	}
	if (!sum.mapped)
		return error_set(e, ERR_MISSING, "smaps has no area within %llx-%llx",
			(unsigned long long)start, (unsigned long long)end);
	*ret_smaps = sum;
	return 0;
}

int smaps_read(const void *start, size_t size, struct smaps *ret_smaps, struct error *e)
{
	AUTO_FREE char *text = NULL;
	int err = file_read("/proc/self/smaps", MAX_TEXT, &text, NULL, e);

	if (err)
		return err;
	return smaps_parse(text, (uintptr_t)start, (uintptr_t)start + size, ret_smaps, e);
}
