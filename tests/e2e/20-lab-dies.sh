# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by run: what dies in the middle, and what comes of it.
probe=$cases/vfio-vpfn-pages-6.12.mbox

# ours PATTERN: processes that came in through this lab's sshd. Other labs of this machine have others.
ours() {
	local pid port found=1
	port=$(jq -r .ssh_port "$PATCHBAY_STATE/lab.json")
	for pid in $(pgrep -f -- "$1"); do
		tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -q "^SSH_CONNECTION=.* $port\$" || continue
		echo "$pid"
		found=0
	done
	return $found
}
agent_works() { ours patchbay-agent- >/dev/null; }
wait_for() {
	rc=0
	report=$(pb series report "$1" --wait --json 2>"$tmp/err") || rc=$?
	sed 's/^/    /' "$tmp/err"
}

# --- undisturbed, to compare with
submit --no-inherit --profile e2e "$probe"
exits "undisturbed, the series passes" 0 "$rc"
calm=$(essence "$report")
calm_id=$id

# --- patchbayd killed in the middle of a build
pb series rerun "$calm_id" --json >/dev/null
id=$calm_id
truth "a build is under way" eventually 120 runs build
kill -KILL "$(daemon_pid)"
wait_for "$id"
exits "patchbayd killed in a build: the series still passes" 0 "$rc"
truth "with the same report" test "$(essence "$report")" = "$calm"

# --- and in the middle of a boot
pb series rerun "$calm_id" --json >/dev/null
truth "a boot is under way" eventually 300 runs boot
kill -KILL "$(daemon_pid)"
wait_for "$id"
exits "patchbayd killed in a boot: the series still passes" 0 "$rc"
truth "with the same report" test "$(essence "$report")" = "$calm"

# --- everything killed in the middle of a boot, and started again
pb series rerun "$calm_id" --json >/dev/null
truth "a boot is under way" eventually 300 runs boot
kill -KILL "$(lab_pid)"
pb up --detach --share "$source" >/dev/null
wait_for "$id"
exits "the whole lab killed in a boot: the series still passes" 0 "$rc"
truth "with the same report" test "$(essence "$report")" = "$calm"

# --- the link to the host cut in the middle of a boot
pb series rerun "$calm_id" --json >/dev/null
truth "a boot is under way" eventually 300 runs boot
listener=$(cat "$PATCHBAY_STATE/ssh/sshd.pid")
mapfile -t sessions < <(pgrep -P "$listener")
kill -KILL "$listener" "${sessions[@]}"
wait_for "$id"
exits "a link that breaks in a boot is trouble of the lab" 3 "$rc"
holds "and no fault of the patch" "$report" '.verdict == "error" and (.reasons | length) > 0'
rerun "$calm_id"
exits "run again, it passes" 0 "$rc"
truth "with the same report" test "$(essence "$report")" = "$calm"

# --- a build killed half-way does not make the next one fail
pb series rerun "$calm_id" --json >/dev/null
truth "a build is under way" eventually 120 runs build
truth "an agent is at work" eventually 60 agent_works
mapfile -t victims < <(ours patchbay-agent-)
kill -KILL "${victims[@]}"
wait_for "$id"
exits "an agent that is killed is trouble of the lab" 3 "$rc"
rerun "$calm_id"
exits "and the next build is none the worse" 0 "$rc"
truth "with the same report" test "$(essence "$report")" = "$calm"

no_guest() { ! ours qemu-system >/dev/null; }
truth "no guest is left over" eventually 30 no_guest
