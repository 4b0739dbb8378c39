#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# parse_hostile.sh BIN SOURCE: what no honest sender would send, through `patchbay parse`: each ends
# in seconds, in little memory, and in a sentence that names the message and the limit.
set -uo pipefail
bin=$1 source=$2
. "$source/tests/lib.sh"
scratch hostile
export LSAN_OPTIONS=suppressions=$source/tests/lsan.supp:print_suppressions=0
# Of the sanitized build, which the tests are: past it the process ends, and the check fails.
export ASAN_OPTIONS=hard_rss_limit_mb=900:quarantine_size_mb=32
from='From x Mon Sep 17 00:00:00 2001'
head='From: A <a@example.org>
Date: Mon, 30 Nov 2026 10:00:00 +0000
Message-ID: <1@example.org>'
diff='---
diff --git a/f b/f
--- a/f
+++ b/f
@@ -1 +1 @@
-a
+b'
fine="$from
From: A <a@example.org>
Subject: [PATCH] the good one
Date: Mon, 30 Nov 2026 11:00:00 +0000
Message-ID: <good@example.org>

$diff"

# parses DESCRIPTION WANTED-EXIT FILTER: $tmp/mbox; the filter is for the JSON, or for {"error"} where
# there is none.
parses() {
	local out rc=0
	out=$(timeout 60 "$bin/patchbay" parse --json "$tmp/mbox" 2>"$tmp/err") || rc=$?
	[ -n "$out" ] || out=$(jq -Rs '{error: .}' <"$tmp/err")
	exits "$1: exit" "$2" "$rc"
	holds "$1" "$out" "$3"
}
box() { cat >"$tmp/mbox"; }
times() { # N TEXT
	head -c "$1" /dev/zero | sed "s/\\x0/$2/g"
}

truncate -s 2G "$tmp/mbox"
parses "a header of 2 GB" 2 '[.. | strings] | any(test("67108864"))'
{ printf '%s\nSubject: ' "$from" && times 60M x && printf '\n%s\n\n%s\n\n' "$head" "$diff" && echo "$fine"; } | box
parses "a header of 60 MB, and a good mail behind it" 0 '(.series | length) == 1 and .series[0].title == "the good one"
	and (.ignored | length) == 1 and (.ignored[0].why | test("message 1 .*\"Subject.*longer than 262144 bytes"))'
{ printf '%s\nSubject: x\n' "$from" && times 5M ' x\n' && printf '%s\n\n%s\n' "$head" "$diff" && echo "$fine"; } | box
parses "five million continuation lines" 0 '(.series | length) == 1 and (.ignored[0].why | test("262144"))'
{ printf '%s\n' "$from" && times 300K 'X-A: b\n' && printf '%s\n\n%s\n' "$head" "$diff" && echo "$fine"; } | box
parses "300,000 headers" 0 '(.series | length) == 1 and (.ignored[0].why | test("message 1 .*headers are longer than 1048576"))'
{ printf '%s\n%s\nReferences:' "$from" "$head" && times 10K ' <r@example.org>' && printf '\nSubject: [PATCH] r\n\n%s\n' "$diff"; } | box
parses "ten thousand references" 0 '.series[0].complete'
{ printf '%s\n%s\nSubject: [PATCH] ' "$from" "$head" && times 9K '=?iso-8859-1?q?=e4?= ' && printf '\n\n%s\n' "$diff"; } | box
parses "nine thousand encoded words" 0 '.series[0].complete'

{
	printf '%s\n%s\nSubject: [PATCH] parts\nContent-Type: multipart/mixed; boundary=b\n\n' "$from" "$head"
	times 10K '--b\nContent-Type: text\/plain\n\nx\n' && printf -- '--b--\n' && echo "$fine"
} | box
parses "ten thousand parts" 0 '(.series | length) == 1 and (.ignored[0].why | test("message 1 .*1000"))'
{
	printf '%s\n%s\nSubject: [PATCH] nested\n' "$from" "$head"
	times 10K 'Content-Type: multipart\/mixed; boundary=b\n' && printf '\n--b\n\n%s\n' "$diff" && echo "$fine"
} | box
parses "ten thousand levels of parts" 0 '.ignored[0].why | test("message 1 .*nested more than 5 deep")'
{ printf '%s\n%s\nSubject: [PATCH] cut\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Transfer-Encoding: base64\n\n' \
	"$from" "$head" && base64 <<<"$diff" | head -c 30; } | box
parses "parts and base64 that end too soon" 0 '[.. | strings] | length > 0'

times 1M 'From x Mon Sep 17 00:00:00 2001\n' | box
parses "a million empty messages" 2 '[.. | strings] | any(test("more than 20000 messages"))'
{ printf '%s\n%s\nSubject: [PATCH] nul\n\n' "$from" "$head" && head -c 1M /dev/zero && printf '\n%s\n' "$diff"; } | box
parses "a million NUL bytes in a body" 0 '.series[0].complete'
{ printf '%s\n%s\nSubject: [PATCH] a\0b\n\n%s\n' "$from" "$head" "$diff" && echo "$fine"; } | box
parses "a NUL byte in a header" 0 '(.series | length) == 1 and (.ignored[0].why | test("message 1 .*NUL"))'
{ printf '%s\n%s\nSubject: [PATCH] lines\nContent-Type: text/plain; charset=iso-8859-1\n\n' "$from" "$head" && times 8M 'x\n' && echo "$diff"; } | box
parses "eight million lines of another charset" 2 '[.. | strings] | any(test("8 MiB"))'

# --- paths
for path in ../../etc/passwd /etc/passwd .git/hooks/post-checkout a/.GIT/config 'a/.git /config' a//b; do
	printf '%s\n%s\nSubject: [PATCH] path\n\n---\ndiff --git a/%s b/%s\nnew file mode 100644\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1 @@\n+x\n' \
		"$from" "$head" "$path" "$path" "$path" | box
	parses "the path $path" 0 '.series[0].held | test("patch 1/1 cannot be used")'
done
printf '%s\n%s\nSubject: [PATCH] module\n\n---\ndiff --git a/m b/m\nnew file mode 160000\n--- /dev/null\n+++ b/m\n@@ -0,0 +1 @@\n+Subproject commit %040d\n' \
	"$from" "$head" 1 | box
parses "a submodule" 0 '.series[0].held | test("submodule")'
{ printf '%s\n%s\nSubject: [PATCH] files\n\n---\n' "$from" "$head" && times 30K 'diff --git a\/f b\/f\nold mode 100644\nnew mode 100755\n'; } | box
parses "thirty thousand files" 0 '.series[0].held | test("more than 20000 files")'

# --- what would unpack without end
binary() { printf '%s\n%s\nSubject: [PATCH] binary\n\n---\ndiff --git a/f b/f\nindex %040d..%040d 100644\nGIT binary patch\n%s\nzcmZ?wbhEHbRA\n\n' "$from" "$head" 1 2 "$1"; }
binary 'delta 99999999999999999999' | box
parses "a binary delta that says it is very large" 0 '.series[0].held | test("patch 1/1 .*more than 67108864 bytes")'
binary 'literal 67108865' | box
parses "a literal one byte over the limit" 0 '.series[0].held | test("more than 67108864 bytes")'
finish
