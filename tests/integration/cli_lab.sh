#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cli_lab.sh BIN SOURCE: the command line against a real patchbayd and a real sshd. No kernel.
set -uo pipefail
bin=$1 source=$2
. "$source/tests/lib.sh"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/patchbay-cli.XXXXXX")
# A path that sshd and shells want quoted.
export PATCHBAY_STATE="$tmp/a state 100%h" XDG_CACHE_HOME=$tmp/cache
pb() { "$bin/patchbay" "$@"; }
bye() {
	pb down >/dev/null 2>&1
	rm -rf "$tmp"
}
trap bye EXIT

# run COMMAND...: sets rc, out and err
run() {
	rc=0
	out=$("$@" 2>"$tmp/err") || rc=$?
	err=$(cat "$tmp/err")
}
one_document() { jq -es 'length == 1' >/dev/null 2>&1 <<<"$out"; }
lab() { jq -r ".$1" "$PATCHBAY_STATE/lab.json"; }
# A zombie has ended too: who collects it is not our business.
gone() { case $(ps -o stat= -p "$1") in '' | Z*) ;; *) return 1 ;; esac; }
daemon_pid() { cat "$PATCHBAY_STATE/patchbayd.lock"; }
answers() { pb job ls >/dev/null 2>&1; }
children_of() { pgrep -P "$1"; }

# --- usage, before there is a lab
run pb
exits "no command is bad usage" 2 "$rc"
run pb help
exits "help is good" 0 "$rc"
truth "help goes to standard output" grep -q 'series report' <<<"$out"
run pb help submit
truth "help COMMAND tells its options" grep -q -- '--needs FILE|ID' <<<"$out"
run pb submt x
exits "an unknown command is bad usage" 2 "$rc"
truth "and the nearest one is named" grep -q 'did you mean `patchbay submit`' <<<"$err"
run pb submit --wiat x
truth "so is the nearest option" grep -q 'did you mean `--wait`' <<<"$err"
run pb job show
exits "a missing argument is bad usage" 2 "$rc"
run pb job show 0 --json
exits "0 is no id" 2 "$rc"
run pb submit --json
exits "nothing to submit is bad usage" 2 "$rc"
truth "and what there could be is said" grep -q 'a message id, an address, or --git' <<<"$out"
run pb submit --git a..b a@example.org
exits "two things to submit are bad usage" 2 "$rc"
# mail BYTES: a patch whose message is about so long
mail() {
	printf 'From: A <a@example.org>\nSubject: [PATCH] x\nDate: Mon, 30 Nov 2026 10:00:00 +0000\n\n'
	yes 'a line of a message' | head -c "$1"
	printf '\n---\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+1\n'
}
mail 7000000 >"$tmp/long.eml"
run pb parse "$tmp/long.eml" --json
exits "a message of 7 MB is read" 0 "$rc"
mail 9000000 >"$tmp/long.eml"
run pb parse "$tmp/long.eml" --json
exits "one of 9 MB is refused" 2 "$rc"
truth "and the limit is named" grep -q 'more than 8 MiB of text' <<<"$out"
run pb series report 1 --format html
exits "a format that there is not is bad usage" 2 "$rc"
run pb series ls --json
exits "without a lab there is nothing to list" 2 "$rc"
truth "which is said as one document" one_document
truth "and in a sentence that says what to do" grep -q 'patchbay up' <<<"$err"
run pb nonsense --json
truth "a usage error is one document too" one_document
run pb series ls --server http://127.0.0.1:1 --json
exits "a lab that is not there is trouble of the lab" 3 "$rc"
truth "in one document" one_document
run pb series ls --server ftp://127.0.0.1/
exits "an address that is none is bad usage" 2 "$rc"
run pb down --json
exits "down where nothing is up is good" 0 "$rc"
holds "and says so" "$out" '.was_up == false'

# --- up
run pb up --detach --share "$source" --json
exits "up" 0 "$rc"
holds "it names its address and the dashboard's" "$out" \
	'(.server | startswith("http://127.0.0.1:")) and (.dashboard | contains("?token="))'
truth "the state folder is ours alone" test "$(stat -c %a "$PATCHBAY_STATE")" = 700
truth "so is the token" test "$(stat -c %a "$PATCHBAY_STATE/token")" = 600
truth "so are the keys" test "$(stat -c %a "$PATCHBAY_STATE/ssh/lab_key" \
	"$PATCHBAY_STATE/ssh/host_key" | sort -u)" = 600
run pb up
exits "up where it is up is good" 0 "$rc"
truth "and says so" grep -q 'already' <<<"$out"
run pb host ls --json
holds "the local host is known, its key pinned" "$out" \
	'.items[] | select(.name == "local") | .address == "127.0.0.1" and (.host_key | startswith("ssh-ed25519 "))'
run pb machine ls --json
holds "and a machine on it" "$out" '.items[] | .name == "q35-vtd" and .host == "local" and .tags == ["vtd"]'
run pb doctor --json
truth "doctor says one document" one_document
truth "with the server, no slash at its end" test "$(jq -r .server <<<"$out")" = "$(lab server)"

ssh_to_lab() {
	install -m 600 "$1" "$tmp/identity" # ssh would expand a percent sign
	ssh -F none -i "$tmp/identity" -p "$(lab ssh_port)" -o IdentitiesOnly=yes -o BatchMode=yes \
		-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "$(id -un)@127.0.0.1" true \
		2>/dev/null
}
ssh-keygen -q -t ed25519 -N '' -f "$tmp/other"
truth "the lab's key opens the private sshd" ssh_to_lab "$PATCHBAY_STATE/ssh/lab_key"
other_key_fails() { ! ssh_to_lab "$tmp/other"; }
truth "another key does not" other_key_fails

# --- bad input, good sentences
printf 'hello\n' >"$tmp/mail"
run pb submit --tree nothing "$tmp/mail" --json
exits "an unknown tree is bad input" 2 "$rc"
holds "the problem is the document" "$out" '.status == 404 and (.detail | contains("nothing"))'
run pb submit "$tmp/no-such-file"
exits "a file that is not there is bad input" 2 "$rc"
truth "and is named" grep -q no-such-file <<<"$err"
run pb submit "$tmp"
exits "a folder is bad input" 2 "$rc"
run pb job show 4711
exits "an unknown job is bad input" 2 "$rc"
run pb series report 4711 --format html
exits "an unknown format is bad usage" 2 "$rc"
run pb tree add x
exits "a tree from nowhere is bad usage" 2 "$rc"
run pb tree add ../x --git /nowhere --json
exits "a tree with a path for a name is refused" 2 "$rc"
truth "in one document" one_document
run pb tree fetch a/b
exits "and so is fetching one" 2 "$rc"

# --- two commits
git init -q -b main "$tmp/upstream"
for i in 1 2; do
	git -C "$tmp/upstream" -c user.name=A -c user.email=a@example.org commit -q --allow-empty -m "commit $i"
done
head=$(git -C "$tmp/upstream" rev-parse HEAD)
run pb compare main
exits "one revision is bad usage" 2 "$rc"
run pb compare main main --tree nothing --json
exits "comparing in an unknown tree is bad input" 2 "$rc"
holds "which is named" "$out" '.status == 404 and (.detail | contains("nothing"))'
run pb tree add up --git "$tmp/upstream"
exits "a tree to compare in" 0 "$rc"
run pb compare main main --profile nothing --json
exits "an unknown profile is bad input" 2 "$rc"
run pb compare main nope --tree up --wait --json
exits "so is a revision that the tree does not have" 2 "$rc"
truth "which is said in one document" one_document
holds "as held, with the way to get it" "$out" \
	'.verdict == "held" and (.reasons[0] | contains("\"nope\"") and contains("patchbay tree fetch up"))'
run pb compare main "$head" --tree up --wait --json
exits "a commit against itself is not worse" 0 "$rc"
truth "in one document" one_document
holds "is a report without series and patches" "$out" \
	'.verdict == "pass" and .performance == "no-change" and (has("series") or has("apply") | not)
	and .base.commit == "'"$head"'" and .comparison.patched.commit == "'"$head"'" and .boots == []'
holds "that says why nothing was booted" "$out" '.reasons[0] | contains("same commit")'
id=$(jq .comparison.id <<<"$out")
run pb compare main "$head" --tree up --json
holds "the same again is the same comparison" "$out" '.id == '"$id"' and .patched == "'"$head"'"'
truth "and says so, with what does it again" grep -q "patchbay comparison rerun $id" <<<"$err"
run pb comparison ls --json
holds "it is listed" "$out" '[.items[].id] | index('"$id"') != null'
run pb comparison show "$id"
truth "and shown" grep -q '"commit 2"' <<<"$out"
run pb comparison report "$id"
truth "its report is text for people" grep -q "^Comparison $id: ${head:0:12} (\"commit 2\") against" <<<"$out"
run pb comparison rerun "$id" --wait --json
holds "a rerun answers anew" "$out" '.run == 2 and .performance == "no-change"'
run pb job ls --comparison "$id" --json
holds "its jobs are its own" "$out" '.items | length == 1 and .[0].kind == "resolve" and .[0].series == null'
run pb series ls --json
holds "it is no series" "$out" '.items == []'
run pb series show "$id"
exits "and cannot be asked for as one" 2 "$rc"
truth "which is said with the right command" grep -q "patchbay comparison show $id" <<<"$err"

# --- tokens
run pb token create --scope read --json
reader=$(jq -r .token <<<"$out")
reader_id=$(jq -r .id <<<"$out")
printf '%s\n' "$reader" >"$tmp/reader"
run pb series ls --token-file "$tmp/reader"
truth "a token that others can read is refused" grep -q 'chmod 600' <<<"$err"
chmod 600 "$tmp/reader"
run pb series ls --token-file "$tmp/reader" --json
holds "a reader may read" "$out" '.items == [] and .next == null'
run pb token ls --token-file "$tmp/reader" --json
exits "but not list tokens" 2 "$rc"
holds "which is said as problem JSON" "$out" '.status == 403 and (.detail | length) > 0'
run pb series ls --server "$(lab server)" --token-file "$tmp/reader"
exits "--server and --token-file reach the same lab" 0 "$rc"
run pb token revoke "$reader_id"
exits "revoke" 0 "$rc"
run pb series ls --token-file "$tmp/reader" --json
holds "a revoked token is unauthorized" "$out" '.status == 401'

# --- what dies is started again
supervisor=$(lab pid)
before=$(lab server)
kill -KILL "$(daemon_pid)"
truth "patchbayd is started again" eventually 20 answers
truth "on the same port" test "$(lab server)" = "$before"
old=$(cat "$PATCHBAY_STATE/ssh/sshd.pid")
kill -KILL "$old"
sshd_is_back() { [ -s "$PATCHBAY_STATE/ssh/sshd.pid" ] && [ "$(cat "$PATCHBAY_STATE/ssh/sshd.pid" 2>/dev/null)" != "$old" ] &&
	ssh_to_lab "$PATCHBAY_STATE/ssh/lab_key"; }
truth "sshd is started again, on the same port" eventually 20 sshd_is_back
mapfile -t children < <(children_of "$supervisor")
kill -KILL "$supervisor"
for pid in "${children[@]}"; do
	truth "what the supervisor started dies with it" eventually 10 gone "$pid"
done
run pb up --detach --share "$source"
exits "and up starts it again" 0 "$rc"
truth "on the same port" test "$(lab server)" = "$before"
mapfile -t all < <(lab pid; children_of "$(lab pid)")
kill -KILL "${all[@]}"
run pb up --detach --share "$source"
exits "nothing that SIGKILL leaves behind is in the way" 0 "$rc"

# --- down
supervisor=$(lab pid)
daemon=$(daemon_pid)
run pb down
exits "down" 0 "$rc"
truth "has waited for the supervisor" gone "$supervisor"
truth "and for patchbayd" gone "$daemon"
run pb series ls --json
exits "then the lab does not answer" 3 "$rc"
truth "which is one document" one_document

# --- down while another up has only begun: lab.json is of the lab before
sleep 300 &
stranger=$!
flock "$PATCHBAY_STATE/up.lock" sleep 300 &
beginner=$!
jq ".pid = $stranger" "$PATCHBAY_STATE/lab.json" >"$tmp/lab.json" &&
	cp "$tmp/lab.json" "$PATCHBAY_STATE/lab.json"
held() { ! flock -n "$PATCHBAY_STATE/up.lock" true; }
truth "somebody holds the lock" eventually 5 held
run pb down
exits "down does not guess whom to stop" 3 "$rc"
truth "and says that the lab is only starting" grep -q 'only starting' <<<"$err"
truth "and leaves a stranger alone" kill -0 "$stranger"
kill "$stranger" $(children_of "$beginner") "$beginner"
wait "$stranger" "$beginner" 2>/dev/null
truth "the lock is free again" flock -w 5 "$PATCHBAY_STATE/up.lock" true

# --- in the foreground
"$bin/patchbay" up --share "$source" >"$tmp/up" 2>/dev/null &
foreground=$!
said_so() { grep -q Dashboard "$tmp/up"; }
truth "up in the foreground says where the dashboard is" eventually 30 said_so
kill -TERM "$foreground"
rc=0
wait "$foreground" || rc=$?
exits "and ends on SIGTERM" 0 "$rc"

# --- a lab that cannot come up
mkdir -p "$tmp/broken/patchbay.db"
run env PATCHBAY_STATE="$tmp/broken" "$bin/patchbay" up --detach --share "$source" --json
exits "a lab that cannot come up is trouble of the lab" 3 "$rc"
holds "with the reason" "$out" '.detail | contains("patchbay.db")'
finish
