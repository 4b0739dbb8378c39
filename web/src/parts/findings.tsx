// SPDX-License-Identifier: GPL-3.0-or-later
// What the compiler and the kernel said that the base did not, and patches that do not apply.
import type { Finding, Patch, Report } from "../api";
import { plural } from "../format";
import { Link } from "../router";
import { logLink, patchedWords, revisionName } from "./grid";
import { Mark } from "./mark";

interface Found {
	finding: Finding;
	job: number;
	where: string;
	times: number;
}

function fresh(report: Report): Found[] {
	const all: Found[] = [];
	for (const build of report.builds) {
		for (const finding of build.findings) {
			// Each once, at the patch that brought it.
			if (finding.new && (finding.since_patch ?? build.patch) === build.patch)
				all.push({ finding, job: build.job, where: `build of ${revisionName(report, build.patch)}`, times: 1 });
		}
	}
	const seen = new Map<string, Found>();
	for (const boot of [...report.boots, ...report.extra_boots]) {
		if (boot.side !== "patched") continue;
		for (const finding of boot.findings) {
			const key = finding.signature ?? finding.message ?? "";
			const known = seen.get(key);
			if (known) {
				known.times++;
				known.finding = finding.new ? finding : known.finding;
			} else if (finding.new || !finding.confirmed) {
				const where = `boots ${patchedWords(report)}`;
				const found = { finding, job: boot.job, where, times: 1 };
				seen.set(key, found);
				all.push(found);
			}
		}
	}
	return all;
}

function Item({ found }: { found: Found }) {
	const { finding, job, where, times } = found;
	const bad = finding.kind !== "warning" && finding.new;
	return (
		<li class={`finding ${bad ? "fail" : "held"}`}>
			<p class="said">
				<Mark tone={bad ? "fail" : "held"} />
				{finding.file && (
					<code class="place">
						{finding.line ? `${finding.file}:${finding.line}` : finding.file}
					</code>
				)}
				<span>{finding.message ?? finding.signature}</span>
				{finding.option && <code class="option">{finding.option}</code>}
			</p>
			<p class="sub">
				<span>{where}</span>
				{finding.function && (
					<span>
						in <code>{finding.function}</code>
					</span>
				)}
				{times > 1 && <span>{plural(times, "boot")}</span>}
				{!finding.new && <span>not confirmed</span>}
				<Link to={logLink(job, finding)}>in the log</Link>
			</p>
			{finding.excerpt && (
				<pre tabIndex={0} aria-label="Excerpt">
					{finding.excerpt}
				</pre>
			)}
		</li>
	);
}

export function Findings({ report }: { report: Report }) {
	const found = fresh(report);
	if (found.length === 0) return null;
	return (
		<section aria-labelledby="findings">
			<h2 id="findings">{report.comparison ? "New against the base" : "New with these patches"}</h2>
			<ul class="findings">
				{found.map((f, i) => (
					<Item key={i} found={f} />
				))}
			</ul>
		</section>
	);
}

interface Line {
	text: string;
	differs: boolean;
}

/** Lines that have no equal on the other side stand out: a longest common subsequence tells. */
function mark(a: string[], b: string[]): [Line[], Line[]] {
	const length: number[][] = Array.from({ length: a.length + 1 }, () =>
		new Array<number>(b.length + 1).fill(0),
	);
	const at = (i: number, j: number) => length[i]?.[j] ?? 0;
	for (let i = a.length - 1; i >= 0; i--) {
		for (let j = b.length - 1; j >= 0; j--) {
			const row = length[i];
			if (row) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
		}
	}
	const left = a.map((text) => ({ text, differs: true }));
	const right = b.map((text) => ({ text, differs: true }));
	for (let i = 0, j = 0; i < a.length && j < b.length; ) {
		const l = left[i];
		const r = right[j];
		if (a[i] === b[j] && l && r) {
			l.differs = r.differs = false;
			i++;
			j++;
		} else if (at(i + 1, j) >= at(i, j + 1)) i++;
		else j++;
	}
	return [left, right];
}

const mostLines = 400;

function Side({ title, lines }: { title: string; lines: Line[] }) {
	return (
		<div class="side">
			<h4>{title}</h4>
			<pre tabIndex={0} aria-label={title}>
				{lines.map((l, i) => (
					<span key={i} class={l.differs ? "differs" : undefined}>
						{`${l.text}\n`}
					</span>
				))}
			</pre>
		</div>
	);
}

function OneConflict({ patch }: { patch: Patch }) {
	const c = patch.conflict;
	if (!c) return null;
	const lines = (text: string) => text.replace(/\n$/, "").split("\n").slice(0, mostLines);
	const [expected, found] = mark(lines(c.expected), lines(c.found));
	return (
		<article class="conflict" id={`conflict-${patch.n}`} tabIndex={-1}>
			<h3>
				Patch {patch.n}: <code>{c.file}</code>, hunk {c.hunk}
				{c.line > 0 && `, line ${c.line}`}
			</h3>
			{c.why && <p>{c.why}</p>}
			<div class="sides">
				<Side title="The patch expects" lines={expected} />
				<Side title="The tree has" lines={found} />
			</div>
		</article>
	);
}

export function Conflicts({ report }: { report: Report }) {
	const bad = (report.apply?.patches ?? []).filter((p) => p.conflict);
	if (bad.length === 0) return null;
	return (
		<section aria-labelledby="conflicts">
			<h2 id="conflicts">Where it does not apply</h2>
			{bad.map((p) => (
				<OneConflict key={p.n} patch={p} />
			))}
		</section>
	);
}
