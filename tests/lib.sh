# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by the shell tests. Each check prints one line, `ok …` or `not ok …`; finish exits by them.
good=0 bad=0

# scratch NAME: an empty folder $tmp, until the script ends
scratch() {
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/patchbay-$1.XXXXXX") || exit
	trap 'rm -rf "$tmp"' EXIT
}

# git commits as A and C, whatever the settings of who runs the tests are.
git_by_itself() {
	export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.org
	export GIT_COMMITTER_NAME=C GIT_COMMITTER_EMAIL=c@example.org
}

ok() {
	printf 'ok %s\n' "$1"
	good=$((good + 1))
}

not_ok() {
	printf 'not ok %s\n' "$1"
	bad=$((bad + 1))
}

# truth DESCRIPTION COMMAND...
truth() {
	if "${@:2}"; then ok "$1"; else not_ok "$1"; fi
}

# exits DESCRIPTION WANTED GOT
exits() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: exit $3, not $2"; fi
}

# holds DESCRIPTION JSON FILTER: exactly one document, and the filter gives only true, at least once
holds() {
	if jq -es "length == 1 and (.[0] | [ $3 ] | length > 0 and all(. == true))" \
		>/dev/null 2>&1 <<<"$2"; then
		ok "$1"
	else
		not_ok "$1"
		printf '    %.600s\n' "$2"
	fi
}

# eventually SECONDS COMMAND...: what another process brings about, and says nothing of
eventually() {
	local until=$((SECONDS + $1))
	until "${@:2}"; do
		[ "$SECONDS" -lt "$until" ] || return 1
		sleep 0.1
	done
}

finish() {
	printf '%d good, %d bad\n' "$good" "$bad"
	[ "$bad" = 0 ] && [ "$good" -gt 0 ]
	exit
}
