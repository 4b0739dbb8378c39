# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by run: what a series gets to hear.

# --- one that measures faster
submit --profile e2e-measure "$cases/vfio-unpin-folios-6.12.mbox"
exits "a good series passes" 0 "$rc"
holds "and is an improvement" "$report" '.verdict == "pass" and .performance == "improvement"'
holds "base and both patches were built" "$report" \
	'[.builds[] | select(.status == "pass") | .patch] | unique == [0, 1, 2]'
holds "patch 1 brings a warning and patch 2 takes it away" "$report" '
	(.builds[] | select(.patch == 1) | any(.findings[]; .new and .since_patch == 1 and (.message | test("defined but not used")))),
	(.builds[] | select(.patch == 2) | .findings | map(select(.new)) == [])'
holds "unmapping large folios is at least twice as fast" "$report" '
	.comparisons[] | select(.metric | test("(madv_hugepage|hugetlbfs).unmap_seconds$"))
	| .verdict == "improvement" and .change < -0.5 and .interval[1] < 0 and .base.n >= 5'
holds "every boot is one of its own" "$report" \
	'[.boots[].boot_id] | length >= 10 and (unique | length) == length'
holds "the lab's own share is told" "$report" '[.timeline[].lab_seconds] | add > 0'
text=$(pb series report "$id")
truth "the text report names the metric" grep -q 'hugetlbfs.unmap_seconds' <<<"$text"

# --- one that does not build: a patch without the ones it stands on
awk '/^From [0-9a-f]/ { n++ } n == 0 || n == 2' "$cases/vfio-unpin-folios-6.12.mbox" |
	sed 's/\[PATCH 2\/2\]/[PATCH]/' >"$tmp/half.mbox"
cat >"$tmp/unbuildable.mbox" <<'MAIL'
From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
From: A Tester <tester@example.org>
Date: Mon, 2 Nov 2026 10:00:00 +0000
Subject: [PATCH] vfio/type1: call what is not there

---
 drivers/vfio/vfio_iommu_type1.c | 6 ++++++
 1 file changed, 6 insertions(+)

diff --git a/drivers/vfio/vfio_iommu_type1.c b/drivers/vfio/vfio_iommu_type1.c
--- a/drivers/vfio/vfio_iommu_type1.c
+++ b/drivers/vfio/vfio_iommu_type1.c
MAIL
tail_of_driver() { git --git-dir "$(pb tree ls --json | jq -r '.items[0].path')" show "$(pb tree ls --json | jq -r '.items[0].tip')":drivers/vfio/vfio_iommu_type1.c; }
tail_of_driver >"$tmp/driver.c"
lines=$(wc -l <"$tmp/driver.c")
{
	printf '@@ -%d,3 +%d,9 @@\n' "$((lines - 2))" "$((lines - 2))"
	tail -n 3 "$tmp/driver.c" | sed 's/^/ /'
	printf '+\n+int patchbay_e2e(void);\n+int patchbay_e2e(void)\n+{\n+\treturn no_such_function();\n+}\n-- \n2.39.5\n\n'
} >>"$tmp/unbuildable.mbox"
submit --profile e2e "$tmp/unbuildable.mbox"
exits "a series that does not build fails" 1 "$rc"
holds "in the compiler's words, on patch 1" "$report" '
	.builds[] | select(.patch == 1) | .status == "fail" and any(.findings[];
	.kind == "error" and .new and .since_patch == 1 and (.message | test("implicit declaration of function .no_such_function")))'
holds "and nothing was booted" "$report" '.boots == []'
text=$(pb series report "$id")
truth "new errors are marked" grep -Eq '^>> .*no_such_function' <<<"$text"

# --- one that does not apply
sed 's/^ MODULE_AUTHOR(.*/ MODULE_AUTHOR("Nobody");/' "$tmp/unbuildable.mbox" >"$tmp/conflict.mbox"
submit --profile e2e "$tmp/conflict.mbox"
exits "a series whose context is not there fails" 1 "$rc"
holds "with both sides of the conflict" "$report" '
	.apply.status == "conflict" and (.apply.patches[0].conflict | .file == "drivers/vfio/vfio_iommu_type1.c"
	and .hunk == 1 and (.expected | contains("Nobody")) and .expected != .found)'
holds "nothing was built for it" "$report" '[.builds[] | select(.patch > 0)] == []'
submit --profile e2e --until build "$cases/viommu-batch-replay-6.12.mbox" \
	--needs "$cases/viommu-alloc-paging-6.12.mbox"
exits "with what it needs, it builds" 0 "$rc"
holds "what it needs is on both sides" "$report" '.base.needs | length == 1 and (.[0].commits | length) == 1'

# --- one that panics
submit --profile e2e "$cases/fault-boot-panic-6.12.mbox"
exits "a panic fails the series" 1 "$rc"
holds "it is named" "$report" \
	'any(.boots[] | select(.side == "patched") | .findings[]; .new and (.signature | test("mutex|init")))'
holds "and ends the boot at once" "$report" \
	'[.boots[] | select(.side == "patched") | .seconds] | length > 0 and all(. < 30)'

# --- one that is none
printf 'To whom it may concern\n' >"$tmp/letter"
submit "$tmp/letter"
exits "what is no series is bad input" 2 "$rc"
truth "in a sentence" test -s "$tmp/err"
