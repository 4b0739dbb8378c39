#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# compare_git.sh BIN SOURCE: which commits the resolve worker finds in a real tree, and keeps.
set -uo pipefail
bin=$1 source=$2
. "$source/tests/lib.sh"
scratch compare
git_by_itself
export GIT_AUTHOR_NAME=Ärger

g() { git -C "$tmp/up" "$@"; }
lab() { git --git-dir="$tmp/t.git" "$@"; }
commit() {
	echo "$1" >"$tmp/up/f"
	g add -A
	g commit -q -m "$1"
}
# resolve BASE PATCHED: $result
resolve() {
	rm -rf "$tmp/art"
	mkdir -p "$tmp/art"
	jq -n --arg tmp "$tmp" --arg base "$1" --arg patched "$2" '{job: 1, kind: "resolve",
		attempt: 1, epoch: 1, lab: "l", artifacts: "\($tmp)/art", series: 7, tree: "t",
		repo: "\($tmp)/t.git", base: $base, patched: $patched}' |
		"$bin/patchbay-worker" resolve 3>"$tmp/events" 2>"$tmp/err"
	result=$(jq -c 'select(.event == "end")' "$tmp/events")
}
are() { holds "$1" "$result" '.status == "pass" and .result.base.commit == "'"$2"'" and .result.patched.commit == "'"$3"'"'; }
fails() { holds "$1" "$result" '.status == "fail" and (.reason | test("'"$2"'"))'; }

git init -q -b main "$tmp/up"
commit one && commit two && commit three
one=$(g rev-parse HEAD~2) two=$(g rev-parse HEAD~1) three=$(g rev-parse HEAD)
g tag -a -m "a tag of its own" v1 "$two"
g checkout -q -b topic && commit "a topic: with \"quotes\" and ü"
topic=$(g rev-parse HEAD)
git clone -q --bare "$tmp/up" "$tmp/t.git"

resolve "$one" "$three"
are "whole ids" "$one" "$three"
resolve main topic
are "branches" "$three" "$topic"
holds "with what the commit says of itself" "$result" '.result.patched
	| .subject == "a topic: with \"quotes\" and ü" and .author == {name: "Ärger", email: "a@example.org"}'
resolve v1 main~2
are "an annotated tag is the commit it names, and what stands before a branch" "$two" "$one"
resolve "${one:0:10}" "${two:0:12}"
are "short ids" "$one" "$two"
resolve main main
are "one commit twice" "$three" "$three"

resolve main nope
fails "a revision that is not there is what was asked for" 'tree t has no commit .nope.'
fails "and the way to get it is said" 'patchbay tree fetch t'
resolve nope main
fails "on either side" 'tree t has no commit .nope.'
resolve main "$(g rev-parse 'HEAD^{tree}')"
fails "a tree is no commit" 'has no commit'
resolve main 1234567890123456789012345678901234567890
fails "nor is an id that nothing has" 'has no commit'

# A branch that is rewritten takes nothing away from what was compared.
resolve main topic
lab update-ref refs/heads/topic "$one"
lab reflog expire --expire=now --all
lab gc -q --prune=now
truth "both commits are kept" [ "$(lab rev-parse refs/patchbay/series/7/0 refs/patchbay/series/7/1 | xargs)" = "$three $topic" ]
resolve main "$topic"
are "also for the next time" "$three" "$topic"

rm -rf "$tmp/t.git"
resolve main topic
holds "a repository that is gone is the lab's trouble" "$result" '.status == "error"'
finish
