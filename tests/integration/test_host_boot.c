/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Boots through the real agent and the real QEMU, of a kernel of a few bytes: it prints its
 * command line on the console and a word on the result channel, then does as its variant says.
 */
#include "host_driver.h"

#include "base/sha256.h"

/* The header of the Linux boot protocol, and 16-bit code that QEMU's loader jumps to. */
static const char kernel_source[] =
	".code16\n"
	".org 0x1f1\n .byte 1\n .word 0\n .long 32\n .word 0, 0xffff, 0, 0xaa55\n"
	" .byte 0xeb, 0x6e\n"
	" .ascii \"HdrS\"\n .word 0x020c\n .long 0\n .word 0, 0\n .byte 0, 1\n .word 0\n"
	" .long 0x100000, 0, 0, 0\n .word 0\n .byte 0, 0\n"
	".org 0x228\n .long 0, 0x7fffffff, 0x1000\n .byte 0, 0\n .word 0\n .long 2047\n"
	".org 0x270\n"
	" mov $0x3f8, %dx\n mov $hello, %si\n call puts\n"
	" mov 0x228, %eax\n shr $4, %eax\n push %ds\n mov %ax, %ds\n xor %si, %si\n call puts\n"
	" pop %ds\n mov $newline, %si\n call puts\n"
	".ifdef HANG\n1: cli\n hlt\n jmp 1b\n.endif\n"
	" mov $0x2f8, %dx\n mov $word, %si\n call puts\n"
	".ifdef QUIET\n1: cli\n hlt\n jmp 1b\n.endif\n"
	".ifdef CHATTER\n1: mov $0x3f8, %dx\n mov $hello, %si\n call puts\n jmp 1b\n.endif\n"
	/* The processor's counter, a character for each four bits, and a line end. */
	".ifdef COUNT\n rdtsc\n mov $8, %cx\n5: rol $4, %eax\n push %eax\n and $15, %al\n"
	" add $0x30, %al\n call putc\n pop %eax\n loop 5b\n mov $10, %al\n call putc\n.endif\n"
	" mov $0xcf9, %dx\n mov $6, %al\n out %al, %dx\n1: hlt\n jmp 1b\n"
	"putc: mov %al, %bl\n mov $0x2fd, %dx\n6: in %dx, %al\n test $0x20, %al\n jz 6b\n"
	" mov $0x2f8, %dx\n mov %bl, %al\n out %al, %dx\n ret\n"
	"puts: cld\n2: lodsb\n test %al, %al\n jz 4f\n mov %al, %bl\n add $5, %dx\n"
	"3: in %dx, %al\n test $0x20, %al\n jz 3b\n sub $5, %dx\n mov %bl, %al\n out %al, %dx\n"
	" jmp 2b\n4: ret\n"
	"hello: .asciz \"tiny kernel: \"\nword: .asciz \"{result}\\n\"\nnewline: .asciz \"\\n\"\n"
	".org 0x600\n";

struct host {
	char dir[64];
	char root[80];
	char image[SHA256_HEX];
	char target[SHA256_HEX];
};

static void add_blob(struct host *h, const char *path, char *ret_sha256)
{
	struct error e = ERROR_INIT;

	if (sha256_file(path, ret_sha256, &e))
		fail_msg("%s", e.msg);
	sh("mkdir -p %s/blobs && cp %s %s/blobs/%s", h->root, path, h->root, ret_sha256);
}

static void host_make(struct host *h, const char *variant)
{
	AUTO_FREE char *source = NULL, *image = NULL, *init = NULL;

	snprintf(h->dir, sizeof(h->dir), "/tmp/patchbay-boot-XXXXXX");
	assert_non_null(mkdtemp(h->dir));
	snprintf(h->root, sizeof(h->root), "%s/root", h->dir);
	source = path_join(h->dir, "kernel.s");
	image = path_join(h->dir, "image");
	init = path_join(h->dir, "init");
	assert_int_equal(
		file_write_atomic(source, kernel_source, strlen(kernel_source), 0600, NULL), 0);
	sh("cd %s && as --32 --defsym %s=1 -o k.o kernel.s && objcopy -O binary -j .text k.o image "
	   "&& "
	   "echo init >init",
		h->dir, variant);
	add_blob(h, image, h->image);
	add_blob(h, init, h->target);
}

static void host_remove(struct host *h)
{
	(void)file_remove_tree(h->dir, NULL);
}
#define AUTO_HOST CLEANUP(host_remove)

static void boot_start(struct agent_run *d, const struct host *h, const char *const *extra)
{
	AUTO_FREE char *root = xasprintf("root=%s", h->root);
	AUTO_FREE char *image = xasprintf("image=%s", h->image);
	AUTO_FREE char *target = xasprintf("target=%s", h->target);
	const char *params[32] = {"command=boot", root, image, target, "model=q35-vtd",
		"memory_mib=128", "cpus=1", "accel=tcg"};
	AUTO_STRBUF struct strbuf req;
	size_t n = 8;

	while (extra && *extra)
		params[n++] = *extra++;
	driver_request(&req, params);
	driver_start(d);
	assert_int_equal(frame_write(d->in, FRAME_REQUEST, req.buf, req.len), 0);
}

static void boot(struct agent_run *d, const struct host *h, const char *const *extra)
{
	boot_start(d, h, extra);
	driver_listen(d);
}

static void guest_that_ends(void **state)
{
	const char *const extra[] = {"cmdline=intel_iommu=on", "init_args=seed=7 clock=wall", NULL};
	AUTO_HOST struct host h;
	AUTO_DRIVER struct agent_run d;

	host_make(&h, "RESET");
	boot(&d, &h, extra);
	assert_has(driver_end(&d), "\"status\":\"pass\"");
	assert_has(driver_end(&d), "\"how\":\"exited\"");
	assert_has(driver_end(&d), "\"accel\":\"tcg\"");
	assert_has(d.console.buf, "tiny kernel: intel_iommu=on console=ttyS0 loglevel=7 panic=-1 "
				  "oops=panic -- seed=7 clock=wall\n");
	assert_string_equal(d.result.buf, "{result}\n");
	assert_has(d.events.buf, "\"name\":\"firmware\"");
	assert_has(d.events.buf, "\"name\":\"running\"");
	assert_has(d.events.buf, "\"name\":\"ended\"");
}

/* By hand, the same guest says the same. */
static void script_boots_the_same_guest(void **state)
{
	const char *const extra[] = {"cmdline=a='b c'", "init_args=seed=7", NULL};
	AUTO_HOST struct host h;
	AUTO_DRIVER struct agent_run d;
	AUTO_FREE char *script = NULL, *command = NULL, *said = NULL;

	host_make(&h, "RESET");
	boot(&d, &h, extra);
	script = path_join(h.root, "reproduce.sh");
	driver_script(&d, script);
	command = xasprintf("sh %s %s/again | grep -a -o 'tiny kernel: .*' ; cat %s/again/result",
		script, h.root, h.root);
	said = sh_out(command);
	assert_has(said,
		"tiny kernel: a='b c' console=ttyS0 loglevel=7 panic=-1 oops=panic -- seed=7");
	free(steal_ptr(command));
	command = xasprintf("cat %s/again/result", h.root);
	free(steal_ptr(said));
	said = sh_out(command);
	assert_string_equal(said, "{result}");
}

/* What the processor has counted when the guest ends depends on nothing but the guest. KVM is not asked
 * for, and neither is a second processor. */
static void counted_time_repeats(void **state)
{
	AUTO_HOST struct host h;
	AUTO_FREE char *first = NULL;

	host_make(&h, "COUNT");
	for (int i = 0; i < 3; i++) {
		AUTO_FREE char *root = xasprintf("root=%s", h.root);
		AUTO_FREE char *image = xasprintf("image=%s", h.image);
		AUTO_FREE char *target = xasprintf("target=%s", h.target);
		const char *const params[] = {"command=boot", root, image, target, "model=q35-vtd",
			"memory_mib=128", "cpus=2", "accel=kvm", "clock=counted", "cmdline=x",
			"init_args=seed=1", NULL};
		AUTO_DRIVER struct agent_run d;

		driver_run(&d, params);
		assert_has(driver_end(&d), "\"status\":\"pass\"");
		assert_has(driver_end(&d), "\"accel\":\"tcg\"");
		assert_has(driver_end(&d), "counted time is emulated");
		assert_has(d.console.buf, "oops=panic nokaslr norandmaps -- seed=1\n");
		assert_has(d.result.buf, "{result}\n");
		assert_int_equal(d.result.len, strlen("{result}\n") + 9);
		if (first)
			assert_string_equal(d.result.buf, first);
		else
			first = xstrdup(d.result.buf);
	}
}

static void no_other_clock(void **state)
{
	const char *const extra[] = {"clock=sun", NULL};
	AUTO_HOST struct host h;
	AUTO_DRIVER struct agent_run d;

	host_make(&h, "RESET");
	boot(&d, &h, extra);
	assert_has(driver_end(&d), "\"status\":\"error\"");
	assert_has(driver_end(&d), "must be wall or counted");
}

static void deadlines(void **state)
{
	static const struct {
		const char *variant;
		const char *limit;
		const char *how;
	} cases[] = {
		{"HANG", "boot_seconds=2", "\"how\":\"boot-deadline\""},
		{"QUIET", "silence_seconds=2", "\"how\":\"silence\""},
		{"CHATTER", "total_seconds=3", "\"how\":\"deadline\""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *const extra[] = {cases[i].limit, "cmdline=pb-test-deadline", NULL};
		AUTO_HOST struct host h;
		AUTO_DRIVER struct agent_run d;

		host_make(&h, cases[i].variant);
		boot(&d, &h, extra);
		assert_has(driver_end(&d), "\"status\":\"pass\"");
		assert_has(driver_end(&d), cases[i].how);
		assert_has(d.console.buf, "tiny kernel: ");
		assert_false(process_exists("pb-test-deadline"));
	}
}

static void ended_from_outside(void **state)
{
	static const enum reaction reactions[] = {REACT_STOP, REACT_CLOSE, REACT_KILL};
	const char *const extra[] = {"cmdline=pb-test-outside", NULL};
	AUTO_HOST struct host h;

	host_make(&h, "CHATTER");
	for (size_t i = 0; i < ARRAY_SIZE(reactions); i++) {
		AUTO_DRIVER struct agent_run d, after;

		boot_start(&d, &h, extra);
		d.trigger = "tiny kernel: ";
		d.reaction = reactions[i];
		driver_listen(&d);
		assert_true(d.reacted);
		if (reactions[i] == REACT_STOP)
			assert_has(driver_end(&d), "\"how\":\"stopped\"");
		else
			assert_string_equal(driver_end(&d), "");
		/* The next one gets the lock only when nothing of the last is left. */
		boot_start(&after, &h, NULL);
		after.trigger = "tiny kernel: ";
		after.reaction = REACT_STOP;
		driver_listen(&after);
		assert_has(driver_end(&after), "\"how\":\"stopped\"");
		assert_false(process_exists("pb-test-outside"));
	}
}

static void lab_trouble(void **state)
{
	AUTO_HOST struct host h;
	AUTO_DRIVER struct agent_run d, no_blob, memory;

	host_make(&h, "RESET");
	/* No kernel at all. */
	memcpy(h.image, h.target, sizeof(h.image));
	boot(&d, &h, NULL);
	assert_has(driver_end(&d), "\"status\":\"error\"");
	assert_has(driver_end(&d), "QEMU ended by itself (exit status 1)");
	sh("echo other >%s/blobs/%s", h.root, h.image);
	boot(&no_blob, &h, NULL);
	assert_has(driver_end(&no_blob), "\"status\":\"error\"");
	assert_has(driver_end(&no_blob), "upload it again");
	host_remove(&h);
	host_make(&h, "RESET");
	AUTO_FREE char *root = xasprintf("root=%s", h.root);
	AUTO_FREE char *image = xasprintf("image=%s", h.image);
	AUTO_FREE char *target = xasprintf("target=%s", h.target);
	const char *const params[] = {
		"command=boot", root, image, target, "model=q35-vtd", "memory_mib=1000000", NULL};

	driver_run(&memory, params);
	assert_has(driver_end(&memory), "\"status\":\"error\"");
	assert_has(driver_end(&memory), "the guest wants 1000000 MiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(guest_that_ends),
		cmocka_unit_test(script_boots_the_same_guest),
		cmocka_unit_test(counted_time_repeats),
		cmocka_unit_test(no_other_clock),
		cmocka_unit_test(deadlines),
		cmocka_unit_test(ended_from_outside),
		cmocka_unit_test(lab_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
