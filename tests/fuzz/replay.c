/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a fuzz target over the files and folders named on the command line, once each: what plain
 * builds link instead of libFuzzer, so that every corpus is a regression test. An empty corpus
 * is a failure: a test that runs nothing must not pass.
 */
#include "base/file.h"
#include <dirent.h>
#include <sys/stat.h>

#define MAX_CORPUS_FILE (16 * 1024 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	struct error e = ERROR_INIT;
	AUTO_FREE char *data = NULL;
	AUTO_FREE uint8_t *exact = NULL;
	size_t len;

	if (file_read(path, MAX_CORPUS_FILE, &data, &len, &e) < 0) {
		(void)fprintf(stderr, "%s\n", e.msg);
		return -1;
	}
	/* A buffer of the exact size, without the NUL that file_read() adds, so that the address
	 * sanitizer sees a read past the end. */
	exact = xmalloc(len ? len : 1);
	memcpy(exact, data, len);
	LLVMFuzzerTestOneInput(exact, len);
	return 0;
}

/* The number of files run below path, or -1. */
static int replay(const char *path)
{
	struct dirent **names = NULL;
	struct stat st;
	int n, total = 0;

	if (stat(path, &st) < 0) {
		(void)fprintf(stderr, "cannot look at %s\n", path);
		return -1;
	}
	if (!S_ISDIR(st.st_mode))
		return replay_file(path) < 0 ? -1 : 1;
	n = scandir(path, &names, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		AUTO_FREE char *child = path_join(path, names[i]->d_name);
		int done = names[i]->d_name[0] == '.' ? 0 : replay(child);

		total = total < 0 || done < 0 ? -1 : total + done;
		free(names[i]);
	}
	free(names);
	return n < 0 ? -1 : total;
}

int main(int argc, char **argv)
{
	int total = 0;

	for (int i = 1; i < argc; i++) {
		int done = replay(argv[i]);

		if (done < 0)
			return 1;
		total += done;
	}
	(void)printf("%d inputs\n", total);
	if (!total)
		(void)fprintf(stderr, "the corpus is empty\n");
	return total ? 0 : 1;
}
