/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel config of a build: a base target of the kernel's own, fragments merged over it in
 * order, olddefconfig. Done again only where something it comes from changed, so that an
 * incremental build costs what make costs.
 */
#include "agents/host/build.h"
#include "agents/host/folder.h"

#include "base/clock.h"
#include "base/file.h"

/* "CONFIG_X=value", "# CONFIG_X is not set": the option, and its value ("n" for the latter). */
struct option {
	const char *name;
	size_t name_len;
	const char *value;
	size_t value_len;
};

static bool parse_option(const char *line, size_t len, struct option *ret_o)
{
	static const char unset[] = " is not set";
	const char *eq;

	while (len && (line[len - 1] == ' ' || line[len - 1] == '\r' || line[len - 1] == '\t'))
		len--;
	if (len > 2 + sizeof(unset) - 1 && !strncmp(line, "# CONFIG_", 9) &&
		!strncmp(line + len - (sizeof(unset) - 1), unset, sizeof(unset) - 1)) {
		*ret_o = (struct option){line + 2, len - 2 - (sizeof(unset) - 1), "n", 1};
		return true;
	}
	eq = memchr(line, '=', len);
	if (!eq || strncmp(line, "CONFIG_", MIN_OF(len, 7)) != 0 || eq - line <= 7)
		return false;
	*ret_o = (struct option){line, (size_t)(eq - line), eq + 1, len - (size_t)(eq - line) - 1};
	return true;
}

/* Call fn for each option of a config text, in order. */
static void each_option(const char *text, void (*fn)(void *, const struct option *), void *data)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		struct option o;

		if (parse_option(text, len, &o))
			fn(data, &o);
		text += len;
		text += *text == '\n';
	}
}

struct wish {
	struct option o;
	size_t order;
};

struct wishes {
	struct wish *items;
	size_t n;
	size_t alloc;
};

static void add_wish(void *data, const struct option *o)
{
	struct wishes *w = data;

	if (w->n == w->alloc) {
		w->alloc = w->alloc ? w->alloc * 2 : 256;
		w->items = xreallocarray(w->items, w->alloc, sizeof(*w->items));
	}
	w->items[w->n] = (struct wish){*o, w->n};
	w->n++;
}

static void wishes_done(struct wishes *w)
{
	free(w->items);
}
#define AUTO_WISHES CLEANUP(wishes_done)

static int compare_names(const struct option *a, const struct option *b)
{
	int c = memcmp(a->name, b->name, MIN_OF(a->name_len, b->name_len));

	return c ? c : (a->name_len > b->name_len) - (a->name_len < b->name_len);
}

static int compare_wishes(const void *pa, const void *pb)
{
	const struct wish *a = pa, *b = pb;
	int c = compare_names(&a->o, &b->o);

	return c ? c : (a->order > b->order) - (a->order < b->order);
}

/* Sort by name and keep the last wish of each. */
static void settle(struct wishes *w)
{
	size_t kept = 0;

	if (w->n)
		qsort(w->items, w->n, sizeof(*w->items), compare_wishes);
	for (size_t i = 0; i < w->n; i++)
		if (i + 1 == w->n || compare_names(&w->items[i].o, &w->items[i + 1].o))
			w->items[kept++] = w->items[i];
	w->n = kept;
}

static void collect_wishes(const struct build *b, const char *base, struct wishes *w)
{
	const char *fragment;

	if (base)
		each_option(base, add_wish, w);
	for (size_t i = 0; (fragment = request_nth(&b->a->req, "fragment", i)); i++)
		each_option(fragment, add_wish, w);
	settle(w);
}

/* The base's config with the fragments' wishes over it, as olddefconfig reads it. */
static int merge_fragments(struct build *b, struct error *e)
{
	AUTO_WISHES struct wishes w = {NULL, 0, 0};
	AUTO_STRBUF struct strbuf merged;
	AUTO_FREE char *base = NULL;
	int r;

	strbuf_init(&merged, 2 * BUILD_MAX_CONFIG);
	r = folder_read(b->obj, ".config", BUILD_MAX_CONFIG, &base, NULL, e);
	if (r)
		return r;
	collect_wishes(b, base, &w);
	for (size_t i = 0; i < w.n; i++) {
		const struct option *o = &w.items[i].o;

		strbuf_addf(&merged, "%.*s=%.*s\n", (int)o->name_len, o->name, (int)o->value_len,
			o->value);
	}
	return folder_write(b->obj, ".config", merged.buf, merged.len, e);
}

/* Whether obj holds a config that is still good for this commit. */
static int is_current(struct build *b, bool *ret_current, struct error *e)
{
	AUTO_FREE char *path = path_join(b->out, BUILD_CONFIG_COMMIT);
	AUTO_FREE char *from = NULL;
	bool differs = true;
	size_t len;
	int r = 0;

	if (folder_has(b->obj, ".config") && !file_read(path, 128, &from, &len, NULL) &&
		strspn(from, "0123456789abcdef") == len)
		r = tree_config_differs(b, from, &differs, e);
	*ret_current = !differs;
	return r;
}

int kconfig_prepare(
	struct build *b, enum build_result *ret_result, struct error *ret_why, struct error *e)
{
	const char *const base[] = {b->config_base, NULL};
	const char *const settle_rest[] = {"olddefconfig", NULL};
	AUTO_FREE char *state = path_join(b->out, BUILD_CONFIG_COMMIT);
	bool current;
	int r = is_current(b, &current, e);

	*ret_result = BUILD_PASS;
	if (r || current)
		return r;
	event_stage(&b->a->link, "config");
	(void)unlink(state);
	if ((r = make_run(b, base, ret_result, ret_why, e)) || *ret_result != BUILD_PASS ||
		(r = merge_fragments(b, e)) ||
		(r = make_run(b, settle_rest, ret_result, ret_why, e)) || *ret_result != BUILD_PASS)
		return r;
	return file_write_atomic(state, b->commit, strlen(b->commit), 0600, e);
}

static void hash_option(void *data, const struct option *o)
{
	sha256_add(data, o->name, o->name_len);
	sha256_add(data, "=", 1);
	sha256_add(data, o->value, o->value_len);
	sha256_add(data, "\n", 1);
}

int kconfig_hash(struct build *b, char *hex, struct error *e)
{
	AUTO_FREE char *text = NULL;
	struct sha256 h;
	int r = folder_read(b->obj, ".config", BUILD_MAX_CONFIG, &text, NULL, e);

	if (r)
		return r;
	sha256_init(&h);
	each_option(text, hash_option, &h);
	sha256_hex(&h, hex);
	return 0;
}

/* Whether the result has what was wished; an option that is not there at all is off. */
static bool is_granted(const struct option *wish, const struct wishes *have)
{
	size_t low = 0, high = have->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct option *o = &have->items[mid].o;
		int c = compare_names(wish, o);

		if (!c)
			return wish->value_len == o->value_len &&
			       !memcmp(wish->value, o->value, o->value_len);
		if (c < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return wish->value_len == 1 && *wish->value == 'n';
}

int kconfig_dropped(struct build *b, struct strbuf *json, struct error *e)
{
	AUTO_WISHES struct wishes wishes = {NULL, 0, 0};
	AUTO_WISHES struct wishes have = {NULL, 0, 0};
	AUTO_FREE char *text = NULL;
	int r = folder_read(b->obj, ".config", BUILD_MAX_CONFIG, &text, NULL, e);

	if (r)
		return r;
	collect_wishes(b, NULL, &wishes);
	each_option(text, add_wish, &have);
	settle(&have);
	jsonw_begin(json, NULL, '[');
	for (size_t i = 0; i < wishes.n && json->len < 32768; i++)
		if (!is_granted(&wishes.items[i].o, &have))
			jsonw_strn(json, NULL, wishes.items[i].o.name, wishes.items[i].o.name_len);
	jsonw_end(json, ']');
	return 0;
}
