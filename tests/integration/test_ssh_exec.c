/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions and commands against a real sshd. */
#include "tests/integration/sshd.h"

static struct sshd *sshd;

static int set_up(void **state)
{
	sshd = sshd_new();
	return 0;
}

static int tear_down(void **state)
{
	sshd_free(sshd);
	return 0;
}

static int64_t in_ms(int64_t ms)
{
	return clock_mono_ms() + ms;
}

static struct ssh *connected(void)
{
	struct error e = ERROR_INIT;
	struct ssh *s = NULL;

	if (ssh_connect(&sshd->target, in_ms(60000), &s, &e))
		fail_msg("%s", e.msg);
	return s;
}

static void run(struct ssh *s, const char *command, char **ret_output, struct ssh_exit *ret_exit)
{
	struct error e = ERROR_INIT;

	if (ssh_run(s, command, 64 * 1024 * 1024, in_ms(30000), ret_output, ret_exit, &e))
		fail_msg("%s", e.msg);
}

static void test_command_gives_output_and_status(void **state)
{
	AUTO_SSH struct ssh *s = connected();
	AUTO_FREE char *out = NULL;
	struct ssh_exit x;
	char text[64];

	run(s, "echo to-out; echo to-err >&2; exit 7", &out, &x);
	assert_non_null(strstr(out, "to-out\n"));
	assert_non_null(strstr(out, "to-err\n"));
	assert_int_equal(x.status, 7);
	assert_string_equal(x.signal, "");
	assert_string_equal(ssh_exit_text(&x, text, sizeof(text)), "exit status 7");
}

static void test_signal_is_not_success(void **state)
{
	AUTO_SSH struct ssh *s = connected();
	AUTO_FREE char *out = NULL;
	struct ssh_exit x;
	char text[64];

	run(s, "kill -9 $$", &out, &x);
	assert_int_equal(x.status, -1);
	assert_string_equal(x.signal, "KILL");
	assert_string_equal(ssh_exit_text(&x, text, sizeof(text)), "killed by SIGKILL");
}

static void test_many_commands_on_one_session(void **state)
{
	AUTO_SSH struct ssh *s = connected();

	for (int i = 0; i < 20; i++) {
		AUTO_FREE char *command = xasprintf("echo %d", i);
		AUTO_FREE char *want = xasprintf("%d\n", i);
		AUTO_FREE char *out = NULL;
		struct ssh_exit x;

		run(s, command, &out, &x);
		assert_string_equal(out, want);
		assert_int_equal(x.status, 0);
	}
}

static void test_quoting_survives_the_shell(void **state)
{
	static const char word[] = "a 'b' \"c\" $d `e` \\ \n* ;";
	AUTO_SSH struct ssh *s = connected();
	AUTO_STRBUF struct strbuf command;
	AUTO_FREE char *out = NULL;
	struct ssh_exit x;

	strbuf_init(&command, 1024);
	strbuf_adds(&command, "printf %s ");
	strbuf_add_quoted(&command, word);
	run(s, command.buf, &out, &x);
	assert_string_equal(out, word);
}

struct counter {
	size_t out, err;
	uint8_t next;
	bool wrong;
};

static void count(void *data, bool is_stderr, const char *bytes, size_t len)
{
	struct counter *c = data;

	*(is_stderr ? &c->err : &c->out) += len;
	for (size_t i = 0; i < len && !is_stderr; i++)
		c->wrong |= (uint8_t)bytes[i] != c->next++;
}

static int step_to_end(struct ssh_channel *c, int64_t deadline_ms, struct error *e)
{
	int r;

	do
		r = ssh_channel_step(c, -1, deadline_ms, e);
	while (r == SSH_STEP_OUTPUT || r == SSH_STEP_SENT);
	return r;
}

/* 64 MiB each way at once, and as much on standard error: no window may stall. */
static void test_full_duplex(void **state)
{
	enum { TOTAL = 64 * 1024 * 1024, CHUNK = 1024 * 1024 };
	AUTO_SSH struct ssh *s = connected();
	AUTO_SSH_CHANNEL struct ssh_channel *c = NULL;
	AUTO_FREE uint8_t *chunk = xmalloc(CHUNK);
	struct counter counter = {0};
	struct error e = ERROR_INIT;
	size_t sent = 0;
	struct ssh_exit x;
	int r;

	for (size_t i = 0; i < CHUNK; i++)
		chunk[i] = (uint8_t)i;
	assert_int_equal(
		ssh_channel_open(s, "tee /dev/stderr", in_ms(60000), count, &counter, &c, &e), 0);
	while (sent < TOTAL) {
		assert_int_equal(ssh_channel_send(c, chunk, CHUNK, &e), 0);
		sent += CHUNK;
		while (ssh_channel_queued(c)) {
			r = ssh_channel_step(c, -1, in_ms(60000), &e);
			if (r < 0)
				fail_msg("%s", e.msg);
			assert_true(r == SSH_STEP_OUTPUT || r == SSH_STEP_SENT);
		}
	}
	ssh_channel_send_eof(c);
	assert_int_equal(step_to_end(c, in_ms(60000), &e), SSH_STEP_ENDED);
	ssh_channel_exit(c, &x);
	assert_int_equal(x.status, 0);
	assert_int_equal(counter.out, TOTAL);
	assert_int_equal(counter.err, TOTAL);
	assert_false(counter.wrong);
}

static void test_queue_has_a_limit(void **state)
{
	AUTO_SSH struct ssh *s = connected();
	AUTO_SSH_CHANNEL struct ssh_channel *c = NULL;
	AUTO_FREE char *bytes = xcalloc(1, SSH_MAX_QUEUE);
	struct counter counter = {0};
	struct error e = ERROR_INIT;

	assert_int_equal(ssh_channel_open(s, "true", in_ms(60000), count, &counter, &c, &e), 0);
	assert_int_equal(ssh_channel_send(c, bytes, SSH_MAX_QUEUE, &e), 0);
	assert_int_equal(ssh_channel_send(c, bytes, 1, &e), ERR_LIMIT);
	/* It never reads: its end must be seen all the same. */
	assert_int_equal(step_to_end(c, in_ms(60000), &e), SSH_STEP_ENDED);
}

static void test_output_limit(void **state)
{
	AUTO_SSH struct ssh *s = connected();
	AUTO_FREE char *out = NULL;
	struct error e = ERROR_INIT;
	struct ssh_exit x;

	assert_int_equal(ssh_run(s, "printf 12345", 5, in_ms(60000), &out, &x, &e), 0);
	assert_string_equal(out, "12345");
	freep(&out);
	out = NULL;
	assert_int_equal(ssh_run(s, "printf 123456", 5, in_ms(60000), &out, &x, &e), ERR_LIMIT);
	assert_null(out);
	assert_non_null(strstr(e.msg, "limit of 5 bytes"));
}

static void test_deadline(void **state)
{
	AUTO_SSH struct ssh *s = connected();
	AUTO_FREE char *out = NULL;
	struct error e = ERROR_INIT;
	int64_t start = clock_mono_ms();
	struct ssh_exit x;

	assert_int_equal(ssh_run(s, "sleep 30", 100, in_ms(300), &out, &x, &e), ERR_TIMEOUT);
	assert_in_range(clock_mono_ms() - start, 290, 5000);
}

static void test_close_ends_the_command(void **state)
{
	AUTO_SSH struct ssh *s = connected();
	AUTO_FREE char *mark = sshd_file(sshd, "closed");
	AUTO_FREE char *command = xasprintf("cat; touch %s", mark);
	struct counter counter = {0};
	struct error e = ERROR_INIT;
	struct ssh_channel *c = NULL;
	AUTO_FREE char *out = NULL;
	struct ssh_exit x;

	assert_int_equal(ssh_channel_open(s, command, in_ms(60000), count, &counter, &c, &e), 0);
	ssh_channel_close(c);
	run(s, "true", &out, &x);
	for (int64_t end = in_ms(60000); !file_exists(mark) && clock_mono_ms() < end;)
		;
	assert_true(file_exists(mark));
}

static void test_wake_descriptor(void **state)
{
	AUTO_SSH struct ssh *s = connected();
	AUTO_SSH_CHANNEL struct ssh_channel *c = NULL;
	struct counter counter = {0};
	struct error e = ERROR_INIT;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(ssh_channel_open(s, "cat", in_ms(60000), count, &counter, &c, &e), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	assert_int_equal(ssh_channel_step(c, fds[0], in_ms(60000), &e), SSH_STEP_DEADLINE);
	close(fds[0]);
	close(fds[1]);
}

static void assert_refused(const struct ssh_target *t, int code, const char *words)
{
	struct error e = ERROR_INIT;
	struct ssh *s = NULL;
	int r = ssh_connect(t, in_ms(5000), &s, &e);

	if (r != code || !strstr(e.msg, words))
		fail_msg("%d: %s", r, e.msg);
	assert_null(s);
}

static void test_changed_host_key(void **state)
{
	struct ssh_target t = sshd->target;
	AUTO_FREE char *other = sshd_file(sshd, "other");
	AUTO_FREE char *pub = sshd_file(sshd, "other.pub");
	AUTO_FREE char *text = NULL;

	sshd_keygen(other);
	assert_int_equal(file_read(pub, 4096, &text, NULL, NULL), 0);
	t.host_key = text;
	assert_refused(&t, ERR_AUTH, "has CHANGED");
	/* A prefix of the right key is not the right key. */
	freep(&text);
	text = xstrndup(sshd->host_key, 60);
	t.host_key = text;
	assert_refused(&t, ERR_AUTH, "has CHANGED");
}

static void test_unknown_host_key_is_shown(void **state)
{
	struct ssh_target t = sshd->target;
	AUTO_FREE char *key = xstrndup(sshd->host_key, strcspn(sshd->host_key + 12, " ") + 12);

	t.host_key = NULL;
	assert_refused(&t, ERR_AUTH, key);
	assert_refused(&t, ERR_AUTH, "is not known");
}

static void test_wrong_user_key(void **state)
{
	struct ssh_target t = sshd->target;
	AUTO_FREE char *stranger = sshd_file(sshd, "stranger");

	sshd_keygen(stranger);
	t.key = stranger;
	assert_refused(&t, ERR_AUTH, "authorized_keys");
	t.key = "/nowhere/key";
	assert_refused(&t, ERR_MISSING, "/nowhere/key");
	t.key = "/etc/passwd";
	assert_refused(&t, ERR_AUTH, "ssh-keygen");
}

static void test_nobody_there(void **state)
{
	struct ssh_target t = sshd->target;

	t.port = sshd_free_port();
	assert_refused(&t, ERR_LINK, "Connection refused");
}

static void test_not_an_sshd(void **state)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct ssh_target t = sshd->target;
	int64_t start = clock_mono_ms();
	struct error e = ERROR_INIT;
	socklen_t len = sizeof(a);
	struct ssh *s = NULL;

	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	assert_int_equal(listen(fd, 1), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &len), 0);
	t.port = ntohs(a.sin_port);
	/* It takes the connection and says nothing. */
	assert_int_equal(ssh_connect(&t, in_ms(300), &s, &e), ERR_TIMEOUT);
	assert_in_range(clock_mono_ms() - start, 290, 5000);
}

static void test_sshd_killed_in_the_middle(void **state)
{
	AUTO_SSH struct ssh *s = connected();
	AUTO_SSH_CHANNEL struct ssh_channel *c = NULL;
	struct counter counter = {0};
	struct error e = ERROR_INIT;
	int64_t start;
	int r;

	assert_int_equal(
		ssh_channel_open(s, "echo hello; cat", in_ms(60000), count, &counter, &c, &e), 0);
	assert_int_equal(ssh_channel_step(c, -1, in_ms(60000), &e), SSH_STEP_OUTPUT);
	sshd_kill(sshd);
	start = clock_mono_ms();
	r = step_to_end(c, in_ms(60000), &e);
	assert_int_equal(r, ERR_LINK);
	assert_non_null(strstr(e.msg, "connection"));
	assert_in_range(clock_mono_ms() - start, 0, 3000);
	sshd_start(sshd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_command_gives_output_and_status),
		cmocka_unit_test(test_signal_is_not_success),
		cmocka_unit_test(test_many_commands_on_one_session),
		cmocka_unit_test(test_quoting_survives_the_shell),
		cmocka_unit_test(test_full_duplex),
		cmocka_unit_test(test_queue_has_a_limit),
		cmocka_unit_test(test_output_limit),
		cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_close_ends_the_command),
		cmocka_unit_test(test_wake_descriptor),
		cmocka_unit_test(test_changed_host_key),
		cmocka_unit_test(test_unknown_host_key_is_shown),
		cmocka_unit_test(test_wrong_user_key),
		cmocka_unit_test(test_nobody_there),
		cmocka_unit_test(test_not_an_sshd),
		cmocka_unit_test(test_sshd_killed_in_the_middle),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
