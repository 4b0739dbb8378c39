#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# apply_base.sh BIN SOURCE: which base the apply worker chooses among real trees, and why.
set -uo pipefail
bin=$1 source=$2
. "$source/tests/lib.sh"
scratch apply
git_by_itself
n=0

g() { git -C "$tmp/$1" "${@:2}"; }
# commit REPO MESSAGE: all that is there
commit() {
	n=$((n + 1))
	g "$1" add -A
	GIT_AUTHOR_DATE="@$((1700000000 + n * 60)) +0000" GIT_COMMITTER_DATE="@$((1700000000 + n * 60)) +0000" \
		g "$1" commit -q --allow-empty -m "$2"
}
lines() { seq -f "$1 %g" "$2" "$3"; }
# mail REPO RANGE OPTIONS...: format-patch, as one mailbox
mail() { g "$1" format-patch -q --stdout "${@:3}" "$2"; }
# job NAME=VALUE...: runs apply; $result and $log. trees: "NAME ..."; needs: "ID=MBOX ..."
job() {
	local trees="" needs="" base=null named='[]' mbox="" pair
	for pair in "$@"; do local "${pair%%=*}"="${pair#*=}"; done
	n=$((n + 1))
	mkdir -p "$tmp/art/$n"
	jq -n --arg art "$tmp/art/$n" --arg mbox "$mbox" --arg trees "$trees" --arg needs "$needs" \
		--arg base "$base" --arg tmp "$tmp" --argjson named "$named" '{job: 1, kind: "apply",
		attempt: 1, epoch: 1, lab: "l", artifacts: $art, series: 7, mbox: $mbox,
		prerequisites: $named, base: (if $base == "null" then null else $base end),
		trees: [$trees | splits(" +") | select(. != "") | split("=") |
			{name: .[0], repo: "\($tmp)/\(.[0])/.git", tip: (.[1] // "HEAD")}],
		needs: [$needs | splits(" +") | select(. != "") | split("=") |
			{id: .[0] | tonumber, mbox: .[1]}]}' |
		"$bin/patchbay-worker" apply 3>"$tmp/events" 2>"$tmp/err"
	result=$(jq -c 'select(.event == "end") | .result + {end: .status, reason}' "$tmp/events")
	log=$(cat "$tmp/art/$n/log" 2>/dev/null)
}
rev() { g "$1" rev-parse "$2"; }
says() { grep -q -- "$1" <<<"$log"; }

# Two trees with the same files in other states. main: f at 1, 2, 3 and g; other: f at 9.
for r in main other; do git init -q -b main "$tmp/$r"; done
lines a 1 60 >"$tmp/main/f" && mkdir "$tmp/main/dir" && lines g 1 30 >"$tmp/main/dir/g" && commit main one
lines a 1 20 >"$tmp/main/f" && lines b 21 60 >>"$tmp/main/f" && commit main two
echo x >"$tmp/main/unrelated" && commit main "two and a half"
lines c 1 60 >"$tmp/main/f" && commit main three
echo y >"$tmp/main/unrelated" && commit main four
lines z 1 60 >"$tmp/other/f" && mkdir "$tmp/other/dir" && lines g 1 30 >"$tmp/other/dir/g" && commit other nine
git clone -q "$tmp/main" "$tmp/author"

# --- by blobs
g author checkout -q -b tip && sed -i 's/c 30/changed/' "$tmp/author/f" && commit author "at the tip"
mail author HEAD~..HEAD >"$tmp/tip.mbox"
job mbox="$tmp/tip.mbox" trees="main other"
holds "files as they are at the tip: the tip" "$result" \
	'.chosen_by == "blobs" and .base == "'"$(rev main HEAD)"'" and .tree == "main" and .candidates == []
	and .patches[0].how == "exact" and .status == "applied"'
job mbox="$tmp/tip.mbox" trees="other main"
holds "trees are asked in order, and the log of those passed over says why" "$result" \
	'.chosen_by == "blobs" and .tree == "main" and (.candidates | length) == 1
	and .candidates[0].tree == "other" and (.candidates[0].why | test("1 of the 1 files.*\"f\""))'
truth "so does the job's log" says "other .* passed over: 1 of the 1 files"

g author checkout -q -b old main~2 && sed -i 's/b 30/changed/' "$tmp/author/f" && commit author "on an old state"
mail author HEAD~..HEAD >"$tmp/old.mbox"
job mbox="$tmp/old.mbox" trees="other main"
holds "a state in the history: the newest commit that has it" "$result" \
	'.base == "'"$(rev main HEAD~2)"'" and .chosen_by == "blobs" and .patches[0].how == "exact"
	and ([.candidates[] | select(.tree == "main")] | length) == 1
	and ([.candidates[] | select(.tree == "main")][0].why | test("patch 1 of 1 does not apply"))'

# A file that moved on below the change: the newest state that it goes onto is the tip.
lines g 1 30 | sed 's/g 29/G/' >"$tmp/main/dir/g" && commit main five
g author fetch -q
g author checkout -q -B near "$(rev main HEAD~1)" && sed -i 's/g 3$/changed/' "$tmp/author/dir/g" && commit author "near the tip"
mail author HEAD~..HEAD >"$tmp/near.mbox"
job mbox="$tmp/near.mbox" trees="main"
holds "of the states it goes onto, the newest" "$result" \
	'.base == "'"$(rev main HEAD)"'" and .chosen_by == "blobs" and (.base_why | test("newest state"))'

# --- a series: what an earlier patch of it made is not looked for in the tree
g author checkout -q -B two "$(rev main HEAD)" && sed -i 's/c 30/1/' "$tmp/author/f" && commit author "1"
sed -i 's/c 31/2/' "$tmp/author/f" && echo new >"$tmp/author/new" && commit author "2"
sed -i 's/new/newer/' "$tmp/author/new" && commit author "3"
mail author HEAD~3..HEAD >"$tmp/two.mbox"
job mbox="$tmp/two.mbox" trees="main"
holds "only the first version of each file counts" "$result" \
	'.chosen_by == "blobs" and .base == "'"$(rev main HEAD)"'" and ([.patches[].how] == ["exact", "exact", "exact"])'

# --- no index lines, or of no state
sed '/^index /d' "$tmp/old.mbox" >"$tmp/plain.mbox"
job mbox="$tmp/plain.mbox" trees="other main"
holds "without index lines: the first tree that it goes onto" "$result" \
	'.chosen_by == "tip" and .status == "conflict" and (.base_why | test("do not say"))'
sed '/^index /d' "$tmp/tip.mbox" >"$tmp/plain.mbox"
job mbox="$tmp/plain.mbox" trees="other main"
holds "and if that is the second one, the first is told of" "$result" \
	'.chosen_by == "tip" and .tree == "main" and .base == "'"$(rev main HEAD)"'"
	and .candidates[0].tree == "other" and (.candidates[0].why | test("does not apply"))'

# --- base-commit, and the option before it
g author checkout -q old && mail author HEAD~..HEAD --base="$(rev main HEAD~3)" >"$tmp/based.mbox" || exit 1
job mbox="$tmp/based.mbox" trees="other main"
holds "the base-commit that the mails name, where a tree has it" "$result" \
	'.chosen_by == "base-commit" and .base == "'"$(rev main HEAD~3)"'" and .tree == "main"
	and .candidates[0].tree == "other" and (.candidates[0].why | test("does not have the base-commit"))'
sed -E 's/^base-commit: .*/base-commit: 1111111111111111111111111111111111111111/' "$tmp/based.mbox" >"$tmp/lost.mbox"
job mbox="$tmp/lost.mbox" trees="main"
holds "a base-commit that no tree has is passed over" "$result" \
	'.chosen_by == "blobs" and (.candidates[0].why | test("base-commit 111111111111"))'
job mbox="$tmp/based.mbox" trees="other main" base=main~1
holds "--base goes before all" "$result" \
	'.chosen_by == "option" and .base == "'"$(rev main HEAD~1)"'" and .status == "conflict" and .end == "fail"'
job mbox="$tmp/based.mbox" trees="other main" base=nonsense
holds "an unknown --base holds the series" "$result" '.status == "base" and (.why | test("no commit .nonsense"))'

# --- needs belong to what the blobs are compared with
g author checkout -q -B dep "$(rev main HEAD)" && sed -i 's/c 10/need/' "$tmp/author/f" && commit author "the need"
mail author HEAD~..HEAD >"$tmp/need.mbox"
sed -i 's/c 11/more/' "$tmp/author/f" && commit author "on top of it"
mail author HEAD~..HEAD >"$tmp/on.mbox"
job mbox="$tmp/on.mbox" trees="other main" needs="3=$tmp/need.mbox"
holds "with its need, the base is the need's" "$result" \
	'.chosen_by == "blobs" and .tree == "main" and .needs[0].id == 3 and (.needs[0].commits | length) == 1 and .patches[0].how == "exact"'
sed '/^index /d; s/^ b /  b/' "$tmp/old.mbox" >"$tmp/nowhere.mbox"
job mbox="$tmp/tip.mbox" trees="main" needs="3=$tmp/nowhere.mbox"
holds "a need that goes nowhere holds the series" "$result" '.status == "base" and (.why | test("series 3, which it needs, does not apply"))'

# --- prerequisites in the history
named() { jq -nc --arg k "$1" --arg v "$2" '[{n: 1, kind: $k, value: $v, held: null}]'; }
g author format-patch -q --stdout HEAD~2..HEAD~ >"$tmp/n.patch"
id=$(git patch-id --stable <"$tmp/n.patch" | cut -d' ' -f1)
job mbox="$tmp/tip.mbox" trees="main" named="$(named patch-id "$id")"
holds "a patch id that nothing has holds the series, and says what to do" "$result" \
	'.status == "base" and (.why | test("prerequisite patch-id '"$id"'.*submit it.*--needs"))'
job mbox="$tmp/tip.mbox" trees="main" named="$(jq -c '.[0].held = 5' <<<"$(named patch-id "$id")")"
holds "one that a held series has names that series" "$result" '.status == "base" and (.why | test("series 5 has it but is held"))'
g main fetch -q "$tmp/author" dep && g main cherry-pick FETCH_HEAD~ >/dev/null
lines u 1 3 >"$tmp/main/unrelated" && commit main $'six\n\nLink: https://lore.kernel.org/r/20260101.1@example.org'
merged=$(rev main HEAD~1)
job mbox="$tmp/tip.mbox" trees="other main" named="$(named patch-id "$id")"
holds "one that is in the tree is found there" "$result" \
	'.status == "applied" and .prerequisites == [{n: 1, commit: "'"$merged"'"}] and .tree == "main"'
old=$(git patch-id --unstable <"$tmp/n.patch" | cut -d' ' -f1)
job mbox="$tmp/tip.mbox" trees="main" named="$(named patch-id "$old")"
holds "so is the id of the old kind" "$result" '.status == "applied" and .prerequisites[0].commit == "'"$merged"'"'
job mbox="$tmp/based.mbox" trees="main" named="$(named patch-id "$id")"
holds "a base-commit without it is passed over" "$result" \
	'(.candidates[0].why | test("does not have the prerequisite patch-id")) and .status == "conflict"'
job mbox="$tmp/tip.mbox" trees="main" named="$(named message-id 20260101.1@example.org)"
holds "a message id that a Link: names is in the tree" "$result" '.prerequisites[0].commit == "'"$(rev main HEAD)"'"'
job mbox="$tmp/tip.mbox" trees="main" named="$(named message-id 1@example.org)"
holds "a part of one is not" "$result" '.status == "base"'

# --- what git has is left alone by an attempt that failed, and kept by one that did not
job mbox="$tmp/tip.mbox" trees="main"
truth "the commit is kept by a reference" [ "$(rev main refs/patchbay/series/7/tip)" = "$(jq -r '.patches[0].commit' <<<"$result")" ]
truth "and the base with it" [ "$(rev main refs/patchbay/series/7/tip~)" = "$(jq -r .base <<<"$result")" ]
truth "what is kept is whole" g main fsck --full --strict
git clone -q --depth 2 "file://$tmp/main" "$tmp/shallow"
job mbox="$tmp/old.mbox" trees="shallow"
holds "a shallow history ends, and that is no error" "$result" '.status == "conflict" and .chosen_by == "tip"'
finish
