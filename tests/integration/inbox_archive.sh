#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# inbox_archive.sh BIN SOURCE: patchbayd follows an archive that public-inbox makes and serves,
# while it grows, rolls over and is purged.
set -uo pipefail
bin=$1 source=$2
. "$source/tests/lib.sh"
if ! command -v public-inbox-httpd >/dev/null; then
	not_ok "public-inbox is installed: \`./lab test\` installs it"
	finish
fi
tmp=$(mktemp -d "${TMPDIR:-/tmp}/patchbay-inbox.XXXXXX")
state=$tmp/state
export LSAN_OPTIONS=suppressions=$source/tests/lsan.supp:print_suppressions=0
export HOME=$tmp/home PI_DIR=$tmp/pi XDG_CACHE_HOME=$tmp/cache GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME="A Developer" GIT_AUTHOR_EMAIL=dev@example.org
export GIT_COMMITTER_NAME="A Developer" GIT_COMMITTER_EMAIL=dev@example.org
mkdir -p "$HOME" "$PI_DIR" "$tmp/mails" "$state"
pids=() all=null visited=null
bye() {
	[ ${#pids[@]} = 0 ] || kill "${pids[@]}" 2>/dev/null
	wait
	rm -rf "$tmp"
}
trap bye EXIT

# --- a tree, and mails about it
repo=$tmp/repo
g() { git -C "$repo" "$@"; }
git init -q -b main "$repo"
mkdir -p "$repo/drivers/vfio" "$repo/Documentation"
for f in drivers/vfio/a.c drivers/vfio/b.c Documentation/c.rst; do seq 1 40 >"$repo/$f"; done
g add -A
g commit -qm "The tree"

# series NAME FILE...: a branch with one commit for each file, as mails NAME-0.mail (the cover letter),
# NAME-1.mail, …
series() {
	local name=$1 n=0 f
	g checkout -q -B "$name" main
	for f in "${@:2}"; do
		n=$((n + 1))
		sed -i "$((n * 7))s/.*/$name $n/" "$repo/$f"
		g commit -qam "$f: change $name $n"
	done
	g format-patch -q --cover-letter --thread -o "$tmp/out" main
	n=0
	for f in "$tmp"/out/*; do
		sed -i "s/\*\*\* SUBJECT HERE \*\*\*/Series $name/; s/\*\*\* BLURB HERE \*\*\*/What it is for./
			s/^Message-I[dD]: <.*>/Message-ID: <$name-$n@example.org>/
			s/^\(References\|In-Reply-To\): .*/\1: <$name-0@example.org>/
			s/^To: .*//" "$f"
		sed -i "1,/^$/{s/^Subject:/To: list@example.org\nSubject:/}" "$f"
		mv "$f" "$tmp/mails/$name-$n.mail"
		n=$((n + 1))
	done
	g checkout -q main
}
mail() { printf '%s\n' "${@/#/$tmp/mails/}" | sed 's/$/.mail/'; }
# add [-r BYTES] NAME-N...
add() {
	local rotate=0
	if [ "$1" = -r ]; then rotate=$2 && shift 2; fi
	mapfile -t files < <(mail "$@")
	timeout 60 perl "$source/tests/integration/archive_add.pl" list "$rotate" "${files[@]}"
}

# --- the archive, served
timeout 60 public-inbox-init -V2 -L basic list "$tmp/list" http://127.0.0.1/list list@example.org \
	>"$tmp/init.log" 2>&1
printf '[publicinboxmda]\n\tspamcheck = none\n' >>"$PI_DIR/config"
port=$(perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(Listen => 1,
	LocalAddr => "127.0.0.1:0")->sockport')
cat >"$tmp/web.psgi" <<'END'
use PublicInbox::WWW;
use Plack::Builder;
my $www = PublicInbox::WWW->new;
STDOUT->autoflush(1);
builder {
	enable 'AccessLog', format => '%r', logger => sub { print STDOUT @_ };
	sub {
		my $env = shift;
		# An archive that moved: on this host, to another one.
		return [301, [Location => "http://127.0.0.1:$ENV{PORT}/list$1"], []]
			if $env->{REQUEST_URI} =~ m{^/moved(/.*)};
		return [301, [Location => "http://localhost:$ENV{PORT}/list$1"], []]
			if $env->{REQUEST_URI} =~ m{^/away(/.*)};
		$www->call($env);
	};
};
END
PORT=$port public-inbox-httpd -W0 -l "127.0.0.1:$port" "$tmp/web.psgi" >"$tmp/access.log" 2>"$tmp/httpd.log" &
pids+=($!)
web=http://127.0.0.1:$port/list
truth "public-inbox serves the archive" eventually 20 curl -s -o "$tmp/page" "$web/"

cat >"$state/archives.yaml" <<END
fetch: $web/
archives:
  - name: list
    url: $web/
    until: apply
    every: 1h
    history: 1h
    paths: [drivers/vfio]
    lists: [list@example.org]
    allow: [known@example.org]
    trust: [mx.example.net]
END
token=$("$bin/patchbayd" --state "$state" --share "$source" --print-admin-token)
(umask 077 && printf '%s\n' "$token" >"$tmp/token")
lab_up() {
	rm -f "$tmp/port"
	"$bin/patchbayd" --state "$state" --share "$source" --port-file "$tmp/port" 2>>"$tmp/log" &
	daemon=$!
	pids+=("$daemon")
	eventually 20 test -s "$tmp/port"
	server=http://127.0.0.1:$(cat "$tmp/port")
}
pb() { timeout 120 "$bin/patchbay" --server "$server" --token-file "$tmp/token" --json "$@"; }
truth "patchbayd runs" lab_up
pb tree add t --git "$repo" >"$tmp/tree.json" 2>>"$tmp/cli.log"

visit() { visited=$(pb archive visit list 2>>"$tmp/cli.log"); }
# Every series of the lab, oldest first, once its runs have ended.
ended() { all=$(pb series ls | jq -c '.items | sort_by(.id)') && jq -e 'all(.finished != null)' >/dev/null <<<"$all"; }
visit_and_wait() { visit && eventually 60 ended; }

# --- it grows
visit_and_wait
holds "an empty archive has no mail" "$visited" '.mails == 0 and .reason == null'

series one drivers/vfio/a.c drivers/vfio/b.c
series docs Documentation/c.rst
add one-0 one-1 one-2 docs-0 docs-1
visit_and_wait
holds "five mails were looked at" "$visited" '.mails == 5'
holds "one series is wanted, whole, and waits to be approved" "$all" \
	'length == 1 and (.[0] | .title == "Series one" and .patches == 2 and .state == "held"
	and .waits and .archive == "list" and (.held | test("forged") and test("dev@example.org")))'

before=$(wc -l <"$tmp/access.log")
visit_and_wait
holds "nothing new is nothing seen" "$visited" '.mails == 5'
mapfile -t asked < <(tail -n "+$((before + 1))" "$tmp/access.log" | cut -d' ' -f1,2)
truth "which costs one look and one fetch, of references only: ${asked[*]}" \
	test "${#asked[@]}" = 2 -a "${asked[*]}" = "GET /list/1/info/refs?service=git-upload-pack GET /list/0/info/refs?service=git-upload-pack"

# --- a series whose mails come one by one
series two drivers/vfio/a.c drivers/vfio/b.c
add two-1
visit_and_wait
holds "half a series is held, and says what is missing" "$all" \
	'length == 2 and (.[1] | .state == "held" and (.held | test("2/2 is missing") and test("archive has more")))'
run_approve_early() { ! pb series approve 2 >"$tmp/early.json" 2>&1; }
truth "nobody approves of half a series" run_approve_early
add two-2
visit_and_wait
add two-0
visit_and_wait
holds "the missing mails complete it, as the same series" "$all" \
	'length == 2 and (.[1] | .title == "Series two" and .patches == 2 and (.held | test("forged")))'

# --- approval
pb series approve 1 >"$tmp/approved.json" 2>>"$tmp/cli.log"
eventually 60 ended
holds "what is approved runs" "$all" '.[0] | .state == "done" and .verdict == "pass"'
run_approve_again() { ! pb series approve 1 >"$tmp/again.json" 2>&1; }
truth "and does not wait any more" run_approve_again

# --- bad mail, then good mail
series three drivers/vfio/b.c
cat >"$tmp/mails/bad-0.mail" <<END
From: x@example.org
To: list@example.org
Subject: [PATCH] =?no-such-charset?q?=ff?=
Message-ID: <bad-0@example.org>
Date: Mon, 30 Nov 2026 12:00:00 +0000
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain; charset=no-such-charset
Content-Transfer-Encoding: base64

/////w==
END
add bad-0 three-0 three-1
visit_and_wait
holds "a bad mail does not stop the next" "$all" 'length == 3 and .[2].title == "Series three"'
job=$(jq .job <<<"$visited")
pb job log "$job" >"$tmp/visit.log" 2>>"$tmp/cli.log"
truth "and is named in the log of the visit" grep -q 'bad-0@example.org' "$tmp/visit.log"

# --- senders
series four drivers/vfio/a.c
sed -i 's/^From: .*/From: Known <known@example.org>/' "$tmp"/mails/four-*.mail
add four-0 four-1
visit_and_wait
holds "an allowed name is not enough" "$all" \
	'.[3] | .state == "held" and (.held | test("no word about it from a trusted server"))'
series five drivers/vfio/b.c
sed -i 's/^From: .*/From: Known <known@example.org>/
	1,/^$/{s/^To:/Authentication-Results: mx.example.net; dmarc=pass (p=reject) header.from=example.org\nTo:/}' \
	"$tmp"/mails/five-*.mail
add five-0 five-1
visit_and_wait
holds "with a trusted server's word it runs" "$all" '.[4] | .state == "done" and .verdict == "pass" and (.waits | not)'

# --- it rolls over
series six drivers/vfio/a.c drivers/vfio/b.c
add six-0 six-1
visit_and_wait
git --git-dir="$tmp/list/git/0.git" repack -adq # only packs count
add -r 1 six-2
truth "the archive has a second epoch" test -d "$tmp/list/git/1.git"
visit_and_wait
holds "a series across two epochs is one" "$all" 'length == 6 and (.[5] | .patches == 2 and (.held | test("forged")))'
holds "the new epoch is where the next visit begins" "$visited" '[.positions[].epoch] == [0, 1]'
truth "the epoch that is over is not kept" test ! -e "$state/archives/list/0.git"

# --- it is purged and edited while it is followed
series seven drivers/vfio/b.c
add seven-0 seven-1
visit_and_wait
kept=$(jq -c 'map({id, run, title})' <<<"$all")
series eight drivers/vfio/a.c
add eight-0 eight-1
epoch() { git --git-dir="$tmp/list/git/1.git" "$@"; }
# Is the commit that was the tip no part of the history any more?
rewritten() { ! epoch merge-base --is-ancestor "$1" master 2>/dev/null; }
said_so() { pb job show "$(jq .job <<<"$visited")" | jq -e '.result.rewritten' >/dev/null; }
tip=$(epoch rev-parse master)
timeout 120 public-inbox-purge "$tmp/list" <"$tmp/mails/seven-1.mail" >"$tmp/purge.log" 2>&1
truth "public-inbox has purged a mail" rewritten "$tip"
visit_and_wait
truth "the visit saw that history was rewritten" said_so
holds "after a purge every series is there once" "$all" 'length == 8 and .[7].title == "Series eight"'
truth "and those that were there are as they were" test "$(jq -c 'map({id, run, title})[:7]' <<<"$all")" = "$kept"
tip=$(epoch rev-parse master)
MAIL_EDITOR="sed -i s/What.it.is.for/Edited/" timeout 120 public-inbox-edit \
	-m eight-0@example.org "$tmp/list" >"$tmp/edit.log" 2>&1
visit_and_wait
truth "public-inbox has edited a mail" rewritten "$tip"
holds "nor does an edit make anything new" "$all" 'length == 8 and all(.run <= 4)'

# --- a series that is over is answered
one() { jq -c --arg t "$1" --argjson v "$2" '[.[] | select(.title == $t and .version == $v)][0]' <<<"$all"; }
before=$(one "Series one" 1)
cat >"$tmp/mails/review-0.mail" <<END
From: A Reviewer <rev@example.org>
To: list@example.org
Subject: Re: [PATCH 2/2] drivers/vfio/b.c: change one 2
Message-ID: <review-0@example.org>
In-Reply-To: <one-2@example.org>
References: <one-0@example.org> <one-2@example.org>
Date: Mon, 30 Nov 2026 12:00:00 +0000

Fine.

Reviewed-by: A Reviewer <rev@example.org>
END
add review-0
visit_and_wait
# What it asked for comes with the next visit, which follows at once.
reviewed() { pb series report 1 2>/dev/null | jq -e '.trailers | any(.reply and .name == "Reviewed-by" and .patch == 2)' >/dev/null; }
truth "a reply to a series that is over is there" eventually 60 reviewed
ended
truth "and the series does not run again for it" test "$(one "Series one" 1 | jq -c '{run, state, verdict}')" = \
	"$(jq -c '{run, state, verdict}' <<<"$before")"
reroll() { # NAME N: version 2 of one patch of a series, in reply to it
	sed "s/^Subject: \[PATCH \([0-9]*\/[0-9]*\)\]/Subject: [PATCH v2 \1]/
		s/^Message-I[dD]: .*/Message-ID: <$1-v2-$2@example.org>/
		s/^In-Reply-To: .*/In-Reply-To: <$1-$2@example.org>/
		s/^+$1 $2\$/+$1 $2 again/" "$tmp/mails/$1-$2.mail" >"$tmp/mails/$1-v2-$2.mail"
	add "$1-v2-$2"
	visit_and_wait
}
rerolled() { ended && one "$1" 2 | jq -e '.patches == 2 and .state == "held" and (.held | test("forged"))' >/dev/null; }
reroll one 2
truth "one patch of it sent again is a version with all patches" eventually 60 rerolled "Series one"
holds "beside the first, which is as it was" "$(one "Series one" 1)" ".run == $(jq .run <<<"$before")"
pb series approve "$(one "Series one" 2 | jq .id)" >"$tmp/approved.json" 2>>"$tmp/cli.log"
eventually 60 ended
holds "and runs when it is approved of" "$(one "Series one" 2)" '.state == "done" and .verdict == "pass"'

# --- what is named is fetched
# named WANTED-EXIT FILTER ARGUMENT...: submit it and look at the series
named() {
	local wanted=$1 filter=$2 out rc=0
	shift 2
	out=$(pb submit --until apply --wait "$@" 2>"$tmp/named.err") || rc=$?
	exits "submit $* exits by what came of it" "$wanted" "$rc"
	out=$(pb series ls | jq -c '.items | max_by(.id)')
	holds "submit $*" "$out" "$filter"
}
named 0 '.title == "Series one" and .patches == 2 and .verdict == "pass" and .source.message_id == "one-2@example.org"' \
	'<one-2@example.org>'
named 0 '.title == "Series two" and .patches == 2 and .source.url' "$web/two-0@example.org/"
named 2 '.state == "held" and (.held | test("no mail nobody@example.org"))' nobody@example.org
named 2 '.state == "held" and (.held | test("names no mail"))' "$web/new.html"
named 2 '.state == "held" and (.held | test("on no host"))' "http://localhost:$port/list/one-0@example.org/"
named 2 '.state == "held" and (.held | test("belongs to no patch series"))' bad-0@example.org
pb tree fetch t >"$tmp/tree.json" 2>>"$tmp/cli.log"
named 0 '.patches == 2 and .verdict == "pass" and .source.git == "two"' --git two
named 0 '.patches == 1 and .verdict == "pass"' --git two~1..two
named 2 '.held | test("no commit")' --git main..main
named 2 '.held | test("nowhere")' --git nowhere
# What was exported makes the same trees again.
got=$(pb series ls | jq -c '[.items[] | select(.source.git == "two")][0].id')
truth "a range of commits becomes the same commits" test \
	"$(git --git-dir="$state/trees/t.git" log -2 --format='%T %an %ae %ad %B' "refs/patchbay/series/$got/tip")" = \
	"$(g log -2 --format='%T %an %ae %ad %B' two)"

# --- the lab is killed; the mirror is lost
kill -KILL "$daemon"
wait "$daemon" 2>/dev/null
rm -rf "$state/archives"
truth "patchbayd runs again" lab_up
series nine drivers/vfio/b.c
add nine-0 nine-1
visit_and_wait
holds "nothing is seen twice, and what is new is seen" "$all" \
	'map(select(.archive)) | length == 10 and .[9].title == "Series nine"'
reroll two 1
truth "what is answered is known after that, too" eventually 60 rerolled "Series two"

# --- an archive that has moved, visited by itself; one that leads to another host
cat >>"$state/archives.yaml" <<END
  - { name: moved, url: http://127.0.0.1:$port/moved/, until: apply, every: 5s, history: 1h, paths: [drivers/vfio] }
  - { name: away, url: http://127.0.0.1:$port/away/, until: apply, every: 1h, history: 1h }
END
archive() { archives=$(pb archive ls) && jq -e ".items[] | select(.name == \"$1\") | $2" >/dev/null <<<"$archives"; }
truth "an archive that has moved on its host is followed" eventually 60 archive moved '.visited != null and .mails > 5'
truth "one that leads to another host is not, and says why" eventually 60 archive away '.reason != null and (.reason | test("another host"))'
ended
holds "what both archives have is seen once" "$all" 'map(select(.archive)) | length == 11'
series ten drivers/vfio/a.c
add ten-0 ten-1
came() { ended && jq -e 'any(.title == "Series ten" and .archive == "moved")' >/dev/null <<<"$all"; }
truth "and what is new comes without being asked for" eventually 60 came

finish
