#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tree_git.sh BIN SOURCE: following git repositories that are rewritten, shallow, broken or hostile.
set -uo pipefail
bin=$1 source=$2
. "$source/tests/lib.sh"
scratch tree
git_by_itself

g() { git -C "$tmp/$1" "${@:2}"; }
commit() {
	echo "$2" >"$tmp/$1/f"
	g "$1" add -A
	g "$1" commit -q -m "$2"
}
# tree NAME URL: imports or fetches; $result
tree() {
	mkdir -p "$tmp/art"
	jq -n --arg tmp "$tmp" --arg repo "$tmp/$1.git" --arg url "$2" '{job: 1, kind: "tree", attempt: 1,
		epoch: 1, lab: "l", artifacts: "\($tmp)/art", cache: $tmp, name: "t", repo: $repo, source: {git: $url}}' |
		"$bin/patchbay-worker" tree 3>"$tmp/events" 2>"$tmp/err"
	result=$(jq -c 'select(.event == "end") | {status, reason, tip: .result.tip}' "$tmp/events")
}
tip() { holds "$1" "$result" '.status == "pass" and .tip == "'"$(g "$2" rev-parse "$3")"'"'; }
fails() { holds "$1" "$result" '.status == "error" and (.reason | test("'"$2"'"))'; }

git init -q -b main "$tmp/up"
commit up one && commit up two && g up tag v1
g up update-ref refs/patchbay/series/1/1 HEAD && g up update-ref refs/pull/1/head HEAD
tree t "$tmp/up"
tip "a clone has the remote's tip" up HEAD
truth "and its tags" git --git-dir="$tmp/t.git" rev-parse -q --verify refs/tags/v1 >/dev/null
truth "but nothing that is below refs/patchbay there" [ -z "$(git --git-dir="$tmp/t.git" for-each-ref refs/patchbay refs/pull)" ]
git --git-dir="$tmp/t.git" update-ref refs/patchbay/series/1/1 HEAD
old=$(g up rev-parse HEAD)

commit up three && tree t "$tmp/up"
tip "a fetch follows it" up HEAD
g up reset -q --hard HEAD~2 && commit up "another two" && tree t "$tmp/up"
tip "also where its history was rewritten" up HEAD
truth "what the lab made on the old one is kept" [ "$(git --git-dir="$tmp/t.git" rev-parse refs/patchbay/series/1/1)" = "$old" ]
truth "as a remote's refs/patchbay is ignored by fetches too" [ -z "$(git --git-dir="$tmp/t.git" for-each-ref refs/pull)" ]
g up branch -m main master && commit up four && tree t "$tmp/up"
tip "and where its branch has another name" up HEAD
tree t "$tmp/up"
tip "nothing new is nothing wrong" up HEAD

git clone -q --depth 1 "file://$tmp/up" "$tmp/shallow"
tree s "$tmp/shallow"
tip "a shallow remote is as good as it is" shallow HEAD
g shallow checkout -q master 2>/dev/null && commit shallow five && tree s "$tmp/shallow"
tip "and can be followed" shallow HEAD

git clone -q --shared "$tmp/up" "$tmp/borrows"
tree b "$tmp/borrows"
tip "what a local repository borrows is copied" borrows HEAD
mv "$tmp/up" "$tmp/gone"
truth "so that it does not need the lender" git --git-dir="$tmp/b.git" rev-parse -q --verify 'HEAD^{tree}' >/dev/null
truth "nor its alternates" [ ! -s "$tmp/b.git/objects/info/alternates" ]
tree t "$tmp/up"
fails "a remote that is gone is an error" "up"
truth "and what is there stays" git --git-dir="$tmp/t.git" rev-parse -q --verify HEAD >/dev/null
mv "$tmp/gone" "$tmp/up"

git init -q -b main "$tmp/empty"
tree e "$tmp/empty"
fails "an empty repository is told as such" "no commit on its default branch"
tree x "ext::sh -c 'touch $tmp/pwned'"
fails "a transport that runs commands is not used" "."
truth "and has run nothing" [ ! -e "$tmp/pwned" ]
tree x "--upload-pack=touch $tmp/pwned"
fails "an option is no address" "no address"
tree x "ssh://-oProxyCommand=touch%20$tmp%2fpwned/x"
fails "nor is a host that is an option" "."
truth "and neither has run anything" [ ! -e "$tmp/pwned" ]

tree x "file://$tmp/nowhere"
fails "a repository that is not there is told as such" "nowhere. does not appear to be a git repository"

# A repository with an object cut short: refused as a whole, and nothing half is left.
git clone -q --bare "$tmp/up" "$tmp/broken" && rm -f "$tmp"/broken/objects/pack/*
git --git-dir="$tmp/up/.git" rev-list --objects --all | while read -r id _; do
	mkdir -p "$tmp/broken/objects/${id:0:2}"
	cp "$tmp/up/.git/objects/${id:0:2}/${id:2}" "$tmp/broken/objects/${id:0:2}/${id:2}" 2>/dev/null
done
blob=$(git --git-dir="$tmp/up/.git" rev-parse HEAD:f)
chmod -f u+w "$tmp/broken/objects/${blob:0:2}/${blob:2}"
: >"$tmp/broken/objects/${blob:0:2}/${blob:2}"
tree k "$tmp/broken"
fails "a broken repository is an error" "."
truth "and leaves nothing that would be taken for a tree" [ ! -e "$tmp/k.git" ]
finish
