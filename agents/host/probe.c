/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a host is and has. Whatever can be tried is tried. */
#include "agents/host/accel.h"
#include "agents/host/agent.h"
#include "agents/host/sandbox.h"
#include "agents/host/tools.h"

#include "base/file.h"

#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

/* "model name : X" of /proc/cpuinfo, or NULL; heap. */
static char *cpu_model(void)
{
	AUTO_FREE char *text = NULL;
	const char *line;
	size_t len;

	if (file_read("/proc/cpuinfo", 16 * 1024 * 1024, &text, &len, NULL))
		return NULL;
	line = strstr(text, "model name");
	line = line ? strchr(line, ':') : NULL;
	if (!line)
		return NULL;
	line += 1 + strspn(line + 1, " \t");
	return xstrndup(line, strcspn(line, "\n"));
}

static int add_computer(struct agent *a, struct strbuf *ev, struct error *e)
{
	AUTO_FREE char *model = cpu_model();
	struct utsname un;
	struct sysinfo si;
	struct statvfs vfs;

	if (uname(&un) || sysinfo(&si) || statvfs(a->root, &vfs))
		return error_errno(e, "cannot ask what this host is");
	jsonw_str(ev, "arch", un.machine);
	jsonw_str(ev, "hostname", un.nodename);
	jsonw_str(ev, "kernel", un.release);
	jsonw_int(ev, "cpus", get_nprocs());
	jsonw_str(ev, "cpu_model", model);
	jsonw_int(ev, "memory_mib", (int64_t)((uint64_t)si.totalram * si.mem_unit >> 20));
	jsonw_int(ev, "disk_free_mib", (int64_t)((uint64_t)vfs.f_bavail * vfs.f_frsize >> 20));
	jsonw_str(ev, "root", a->root);
	return 0;
}

static int add_tools(struct agent *a, struct strbuf *ev, struct strbuf *missing, struct error *e)
{
	int r = 0;

	jsonw_begin(ev, "tools", '{');
	for (const struct tool *t = tools; t->name && r != ERR_LINK; t++) {
		AUTO_FREE char *path = tool_find(t->name);
		AUTO_FREE char *version = NULL;

		if (path && ends_with(t->name, ".h"))
			continue;
		if (path)
			r = tool_version(&a->link, t->name, &version, e);
		if (path && !r) {
			jsonw_str(ev, t->name, version);
			continue;
		}
		jsonw_begin(missing, NULL, '{');
		jsonw_str(missing, "tool", t->name);
		jsonw_str(missing, "package", t->package);
		jsonw_bool(missing, "for_build", t->for_build);
		jsonw_bool(missing, "for_boot", t->for_boot);
		jsonw_end(missing, '}');
	}
	jsonw_end(ev, '}');
	return r == ERR_LINK ? r : 0;
}

/* Whether the sandbox and QEMU do what they are for; where not, why. */
static int add_trials(struct agent *a, struct strbuf *ev, struct error *e)
{
	struct error why = ERROR_INIT;
	struct accel accel;
	int r = sandbox_try(&a->link, &why);

	if (r == ERR_LINK)
		return error_set(e, r, "%s", why.msg);
	jsonw_bool(ev, "sandbox", !r);
	jsonw_str(ev, "sandbox_why", r ? why.msg : NULL);
	if (!r)
		r = accel_find(a, model_find("q35-vtd"), &accel, &why);
	if (r == ERR_LINK)
		return error_set(e, r, "%s", why.msg);
	jsonw_str(ev, "accel", r ? NULL : accel.name);
	jsonw_str(ev, "accel_why", r ? why.msg : *accel.why ? accel.why : NULL);
	jsonw_str(ev, "qemu", r ? NULL : accel.qemu);
	return 0;
}

int agent_probe(struct agent *a, struct error *e)
{
	AUTO_STRBUF struct strbuf ev, missing;
	int r;

	strbuf_init(&ev, FRAME_MAX);
	strbuf_init(&missing, 65536);
	event_begin(&ev, "end");
	jsonw_str(&ev, "status", "pass");
	jsonw_begin(&missing, NULL, '[');
	if ((r = add_computer(a, &ev, e)) || (r = add_tools(a, &ev, &missing, e)) ||
		(r = add_trials(a, &ev, e)))
		return r;
	jsonw_end(&missing, ']');
	jsonw_raw(&ev, "missing", missing.buf);
	event_send(&a->link, &ev);
	return 0;
}
