/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/loop.h"

#include <signal.h>

#define MANY 200

static struct loop *loop;

static int set_up(void **state)
{
	return loop_new(&loop, NULL);
}

static int tear_down(void **state)
{
	loop = loop_free(loop);
	return 0;
}

static void run(void)
{
	assert_int_equal(loop_run(loop, NULL), 0);
}

static void stop(struct loop *l, void *data)
{
	loop_stop(l);
}

static int fired[MANY];
static int n_fired;

static void note(struct loop *l, void *data)
{
	fired[n_fired++] = *(int *)data;
}

static void test_timers_fire_in_order(void **state)
{
	static const int delays[] = {30, 10, 50, 20, 40, 0};
	int64_t now = clock_mono_ms();

	n_fired = 0;
	for (size_t i = 0; i < ARRAY_SIZE(delays); i++)
		assert_non_null(loop_add_timer(loop, now + delays[i], note, (void *)&delays[i]));
	loop_add_timer(loop, now + 60, stop, NULL);
	run();
	assert_int_equal(n_fired, ARRAY_SIZE(delays));
	for (int i = 0; i < n_fired; i++)
		assert_int_equal(fired[i], i * 10);
	assert_true(clock_mono_ms() >= now + 60);
}

static void test_many_timers_set_and_removed(void **state)
{
	static int ids[MANY];
	struct loop_source *timers[MANY];
	int64_t now = clock_mono_ms();
	int last = -1, expected = 0;

	n_fired = 0;
	for (int i = 0; i < MANY; i++) {
		ids[i] = (i * 7919) % MANY;
		timers[i] = loop_add_timer(loop, now + 100000, note, &ids[i]);
	}
	for (int i = 0; i < MANY; i++)
		loop_set_timer(timers[i], now - MANY + ids[i]);
	for (int i = 0; i < MANY; i++) {
		if (i % 3 == 0)
			loop_remove(timers[i]);
		else if (i % 3 == 1)
			loop_set_timer(timers[i], -1);
		else
			expected++;
	}
	loop_add_timer(loop, now, stop, NULL);
	run();
	assert_int_equal(n_fired, expected);
	for (int i = 0; i < n_fired; i++) {
		assert_true(fired[i] > last);
		last = fired[i];
	}
}

static struct loop_source *again;
static int rounds;

static void set_again(struct loop *l, void *data)
{
	if (++rounds == 3)
		loop_stop(l);
	else
		loop_set_timer(again, clock_mono_ms() + 5);
}

static void test_timer_can_be_set_again(void **state)
{
	rounds = 0;
	again = loop_add_timer(loop, clock_mono_ms(), set_again, NULL);
	run();
	assert_int_equal(rounds, 3);
}

static int calls;
static struct loop_source *pair[2];

/* Both are ready in one batch; whoever comes first removes both. */
static void remove_both(struct loop *l, int fd, uint32_t events, void *data)
{
	calls++;
	loop_remove(pair[0]);
	loop_remove(pair[1]);
	loop_stop(l);
}

static void test_removed_source_is_not_called(void **state)
{
	int a[2], b[2];

	calls = 0;
	assert_int_equal(pipe(a), 0);
	assert_int_equal(pipe(b), 0);
	assert_int_equal(write(a[1], "x", 1), 1);
	assert_int_equal(write(b[1], "x", 1), 1);
	assert_int_equal(loop_add_io(loop, a[0], EPOLLIN, remove_both, NULL, &pair[0], NULL), 0);
	assert_int_equal(loop_add_io(loop, b[0], EPOLLIN, remove_both, NULL, &pair[1], NULL), 0);
	run();
	assert_int_equal(calls, 1);
	for (int i = 0; i < 2; i++) {
		close(a[i]);
		close(b[i]);
	}
}

static void on_writable(struct loop *l, int fd, uint32_t events, void *data)
{
	calls++;
	assert_true(events & EPOLLOUT);
	loop_stop(l);
}

static void test_changed_events(void **state)
{
	struct loop_source *s;
	int fds[2];

	calls = 0;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(loop_add_io(loop, fds[1], 0, on_writable, NULL, &s, NULL), 0);
	loop_add_timer(loop, clock_mono_ms() + 20, stop, NULL);
	run();
	assert_int_equal(calls, 0);
	assert_int_equal(loop_set_io(s, EPOLLOUT, NULL), 0);
	run();
	assert_int_equal(calls, 1);
	close(fds[0]);
	close(fds[1]);
}

static void test_bad_descriptor_is_an_error(void **state)
{
	struct error e = ERROR_INIT;
	struct loop_source *s = NULL;

	assert_true(loop_add_io(loop, 9999, EPOLLIN, on_writable, NULL, &s, &e) < 0);
	assert_null(s);
	assert_non_null(strstr(e.msg, "9999"));
}

static int signals_seen[2];
static struct loop_source *signal_sources[2];

static void on_signal(struct loop *l, int number, void *data)
{
	int which = *(int *)data;

	assert_int_equal(number, SIGUSR1);
	signals_seen[which]++;
	loop_remove(signal_sources[which]);
	if (signals_seen[0] && signals_seen[1])
		loop_stop(l);
}

static void test_signal_reaches_all_who_asked(void **state)
{
	static int ids[2] = {0, 1};

	for (int i = 0; i < 2; i++)
		assert_int_equal(loop_add_signal(loop, SIGUSR1, on_signal, &ids[i],
					 &signal_sources[i], NULL),
			0);
	kill(getpid(), SIGUSR1);
	loop_add_timer(loop, clock_mono_ms() + 3000, stop, NULL);
	run();
	assert_int_equal(signals_seen[0], 1);
	assert_int_equal(signals_seen[1], 1);
}

static void add_from_callback(struct loop *l, void *data)
{
	loop_add_timer(l, clock_mono_ms() - 1, stop, NULL);
}

static void test_callback_may_add(void **state)
{
	loop_add_timer(loop, clock_mono_ms(), add_from_callback, NULL);
	run();
}

static void test_free_takes_null(void **state)
{
	assert_null(loop_free(NULL));
	loop_remove(NULL);
}

#define WITH_LOOP(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_LOOP(test_timers_fire_in_order),
		WITH_LOOP(test_many_timers_set_and_removed),
		WITH_LOOP(test_timer_can_be_set_again),
		WITH_LOOP(test_removed_source_is_not_called),
		WITH_LOOP(test_changed_events),
		WITH_LOOP(test_bad_descriptor_is_an_error),
		WITH_LOOP(test_signal_reaches_all_who_asked),
		WITH_LOOP(test_callback_may_add),
		cmocka_unit_test(test_free_takes_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
