# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by run: a small kernel tree, series for it as mailboxes in $tmp/mail, and a lab that has
# tested them. Wants $here, $tmp and pb().

export GIT_AUTHOR_NAME='Ann Author' GIT_AUTHOR_EMAIL=ann@example.org
export GIT_COMMITTER_NAME=Patchbay GIT_COMMITTER_EMAIL=lab@example.org
export GIT_AUTHOR_DATE='2026-11-02T10:00:00Z' GIT_COMMITTER_DATE='2026-11-02T10:00:00Z'
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null

unpin=drivers/vfio/unpin.c

work() { git -C "$tmp/kernel" "$@"; }
change() { sed -i "$2" "$tmp/kernel/$1"; }
commit() { work commit -qam "$1"; }
begin() { work checkout -q -B "$1" main; }
# mail NAME [OPTION]...: what the branch has on top of main
mail() { work format-patch -q --stdout "${@:2}" main.."$1" >"$tmp/mail/$1.mbox"; }

make_tree() {
	mkdir -p "$tmp/mail"
	cp -r "$here/kernel" "$tmp/kernel"
	rm "$tmp/kernel/README.md"
	git init -q -b main "$tmp/kernel"
	work add -A
	work commit -qm "A small kernel"
}

# Two patches that unpin whole folios.
make_faster() {
	begin faster
	change $unpin 's/^#define US_PER_MIB_UNPIN .*/&\n#define FOLIO_PAGES 512/'
	commit 'vfio/type1: name the number of pages in a folio'
	change $unpin 's/us = mib \* US_PER_MIB_UNPIN;/us = mib * US_PER_MIB_UNPIN * 3 \/ 10 + FOLIO_PAGES;/'
	commit 'vfio/type1: unpin whole folios'
	mail faster -v3
}

# Slower, and nothing else.
make_slower() {
	begin slower
	change $unpin 's/^\treturn us + noise/\tus += us \/ 6;\n&/'
	commit 'vfio/type1: mark pages accessed when they are unpinned'
	mail slower
}

# The first patch calls what only the second brings.
make_broken() {
	begin broken
	change $unpin 's/unsigned us = mib \* US_PER_MIB_UNPIN;/unsigned us = unpin_pages(mib);/'
	commit 'vfio/type1: unpin by pages'
	change include/guest.h 's/^unsigned unpin_us.*/&\nunsigned unpin_pages(unsigned mib);/'
	printf '\nunsigned unpin_pages(unsigned mib)\n{\n\treturn mib * US_PER_MIB_UNPIN;\n}\n' \
		>>"$tmp/kernel/$unpin"
	commit 'vfio/type1: count pages'
	mail broken
}

# Builds, and complains when it runs.
make_warning() {
	begin warning
	change init/main.c 's/^\thello(cmdline);/&\n\tput(CONSOLE, "------------[ cut here ]------------\\n"\n\t\t"WARNING: CPU: 0 PID: 1 at drivers\/vfio\/unpin.c:21 unpin_us+0x1c\/0x40\\n"\n\t\t"CPU: 0 UID: 0 PID: 1 Comm: init Not tainted 6.12.0-small #1\\n"\n\t\t"RIP: 0010:unpin_us+0x1c\/0x40\\n"\n\t\t"Call Trace:\\n <TASK>\\n run+0x80\/0x100\\n <\/TASK>\\n"\n\t\t"---[ end trace 0000000000000000 ]---\\n");/'
	commit 'vfio/type1: warn about large unpins'
	mail warning
}

# Made for a tree that is not there.
make_conflict() {
	begin other
	change $unpin 's/The machine is never quite the same/Every machine has its own noise/'
	work commit -qam 'other words'
	work checkout -q -B conflict other
	change $unpin 's/^\treturn us + noise(us \/ 100);/\treturn us + noise(us \/ 50);/'
	commit 'vfio/type1: allow for more noise'
	work format-patch -q --stdout -1 conflict >"$tmp/mail/conflict.mbox"
}

make_mail() {
	make_faster
	make_slower
	make_broken
	make_warning
	make_conflict
	begin later
	change $unpin 's/unpin memory/unpin all of the memory/'
	commit 'vfio/type1: say what is unpinned'
	mail later
	begin later2
	change $unpin 's/unpin memory/unpin every page of the memory/'
	commit 'vfio/type1: say what is unpinned'
	mail later2 -v2
	printf 'not a mail\n' >"$tmp/mail/rubbish.mbox"
	work checkout -q main
}

submit() { pb submit --tree small --profile small --wait "$@" >>"$tmp/submit.log" 2>&1; }

fill_lab() {
	local share=()
	[ -z "${PATCHBAY_SHARE:-}" ] || share=(--share "$PATCHBAY_SHARE")
	mkdir -p "$PATCHBAY_STATE/profiles"
	cp "$here/profiles.yaml" "$PATCHBAY_STATE/profiles/"
	pb up --detach "${share[@]}" >"$tmp/up.log" || return
	pb tree add small --git "file://$tmp/kernel" >>"$tmp/up.log" || return
	for one in rubbish conflict warning slower faster; do
		submit "$tmp/mail/$one.mbox"
	done
	# Nothing is asked of its boots.
	submit --until build "$tmp/mail/broken.mbox"
	pb compare main faster --tree small --profile small --wait >>"$tmp/submit.log" 2>&1
	# What the series got to hear is for the tests to judge.
	return 0
}
