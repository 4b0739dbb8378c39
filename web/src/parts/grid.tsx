// SPDX-License-Identifier: GPL-3.0-or-later
// Patches x checks: what each patch came to, each cell a way to its log.
import type { ComponentChildren } from "preact";
import type { Boot, Build, Finding, Job, Patch, Report, Tested } from "../api";
import { duration, plural, shortCommit } from "../format";
import { Link } from "../router";
import { Columns } from "./columns";
import { Mark, type Tone } from "./mark";

interface CellProps {
	tone: Tone;
	to?: string | undefined;
	label: string;
	children: ComponentChildren;
}

function Cell({ tone, to, label, children }: CellProps) {
	const inside = (
		<>
			<Mark tone={tone} />
			<span>{children}</span>
		</>
	);
	return (
		<td class={`cell ${tone}`}>
			{to ? (
				<Link to={to}>
					<span class="hidden">{label}: </span>
					{inside}
				</Link>
			) : (
				<span class="in">{inside}</span>
			)}
		</td>
	);
}

const empty = <td class="cell none" />;

/** Where in a job's log a finding is: the viewer looks for these words. */
export function logLink(job: number, finding?: Finding | null): string {
	if (!finding) return `/jobs/${job}`;
	// A linker knows no line.
	const words =
		finding.file && finding.line
			? `${finding.file}:${finding.line}`
			: (finding.message ?? finding.signature ?? "");
	return `/jobs/${job}#find=${encodeURIComponent(words)}`;
}

const applyWords: Record<string, string> = {
	exact: "exact",
	offset: "at an offset",
	merge: "merged",
	"already-in": "already in",
};

function ApplyCell({ patch, job }: { patch: Patch; job: Job | undefined }) {
	if (patch.conflict) {
		return (
			<Cell
				tone="fail"
				to={`#conflict-${patch.n}`}
				label={`Applying patch ${patch.n}`}
			>
				conflict
			</Cell>
		);
	}
	if (!patch.how) return job?.status === "running" ? <Waiting job={job} what="Applying" /> : empty;
	return (
		<Cell tone="pass" to={job && `/jobs/${job.id}`} label={`Applying patch ${patch.n}`}>
			{applyWords[patch.how] ?? patch.how}
		</Cell>
	);
}

function Waiting({ job, what }: { job: Job | undefined; what: string }) {
	if (job?.status === "running") {
		return (
			<Cell tone="run" to={`/jobs/${job.id}`} label={what}>
				running
			</Cell>
		);
	}
	if (job?.status === "queued") return <td class="cell none wait">queued</td>;
	if (job?.status === "cancelled") return <td class="cell none wait">cancelled</td>;
	return empty;
}

function buildWords(build: Build): string {
	const fresh = build.findings.filter((f) => f.new);
	const errors = fresh.filter((f) => f.kind === "error").length;
	const warnings = fresh.length - errors;
	if (build.status === "fail") return errors ? plural(errors, "error") : "fails";
	if (build.status === "error") return "lab error";
	if (warnings) return `${plural(warnings, "new warning")}`;
	if (build.same_code_as) return "same code";
	return duration(build.seconds);
}

function buildTone(build: Build): Tone {
	if (build.status === "fail") return "fail";
	if (build.status === "error") return "lab";
	if (build.status !== "pass") return "none";
	return build.findings.some((f) => f.new) ? "held" : "pass";
}

function BuildCell({ build, job, of }: { build: Build | undefined; job: Job | undefined; of: string }) {
	if (!build || build.status === "queued" || build.status === "running")
		return <Waiting job={job} what={`Build of ${of}`} />;
	const worst =
		build.findings.find((f) => f.kind === "error" && f.new) ??
		build.findings.find((f) => f.kind === "error") ??
		build.findings.find((f) => f.new);
	return (
		<Cell
			tone={buildTone(build)}
			to={logLink(build.job, worst)}
			label={`Build of ${of}`}
		>
			{buildWords(build)}
		</Cell>
	);
}

/** How a revision is called within a sentence. */
export function revisionName(report: Report, n: number): string {
	if (n === 0) return "the base";
	return report.comparison ? "the commit against it" : `patch ${n}`;
}

/** Which boots those are that are not the base's. */
export function patchedWords(report: Report): string {
	return report.comparison ? "of the commit against it" : "with the patches";
}

// A boot that reached its end may still hold a complaint that the base does not have.
function complains(boot: Boot): boolean {
	return boot.findings.some((f) => f.new);
}

function bootTone(boots: Boot[]): Tone {
	if (boots.some((b) => b.status === "fail" || complains(b))) return "fail";
	if (boots.some((b) => b.status === "error")) return "lab";
	return boots.some((b) => b.status === "pass") ? "pass" : "run";
}

function BootCell({ boots, jobs, of }: { boots: Boot[]; jobs: Job[]; of: string }) {
	const ended = boots.filter((b) => ["pass", "fail", "error"].includes(b.status));
	if (ended.length === 0)
		return (
			<Waiting
				job={jobs.find((j) => j.status === "running") ?? jobs[0]}
				what={`Boot of ${of}`}
			/>
		);
	const bad =
		ended.find((b) => b.status === "fail") ??
		ended.find(complains) ??
		ended.find((b) => b.status === "error");
	const shown = bad ?? ended[ended.length - 1];
	const passed = ended.filter((b) => b.status === "pass").length;
	const finding = bad?.findings.find((f) => f.new) ?? bad?.findings[0];
	return (
		<Cell
			tone={bootTone(ended)}
			to={shown && logLink(shown.job, finding)}
			label={`Boots of ${of}`}
		>
			{passed === ended.length ? plural(passed, "boot") : `${passed} of ${ended.length} passed`}
		</Cell>
	);
}

function jobsOf(series: Tested, kind: string, patch?: number): Job[] {
	return (series.jobs ?? []).filter(
		(j) => j.kind === kind && (patch === undefined || j.patch === patch),
	);
}

interface RowProps {
	n: number;
	title: ComponentChildren;
	commit: string | null;
	patch: Patch | undefined;
	series: Tested;
	report: Report;
}

function Row({ n, title, commit, patch, series, report }: RowProps) {
	const boots = [...report.boots, ...report.extra_boots].filter((b) => b.patch === n);
	const bootJobs = jobsOf(series, "boot", n);
	const of = revisionName(report, n);
	return (
		<tr>
			<th scope="row">
				<span class="n num">{n === 0 ? "base" : report.comparison ? "new" : n}</span>
				<span class="t">{title}</span>
				<code title={commit ?? ""}>{shortCommit(commit)}</code>
			</th>
			{report.apply &&
				(patch ? <ApplyCell patch={patch} job={jobsOf(series, "apply")[0]} /> : empty)}
			<BuildCell
				build={report.builds.find((b) => b.patch === n)}
				job={jobsOf(series, "build", n).at(-1)}
				of={of}
			/>
			{boots.length > 0 || bootJobs.length > 0 ? (
				<BootCell boots={boots} jobs={bootJobs} of={of} />
			) : (
				empty
			)}
		</tr>
	);
}

export function Grid({ series, report }: { series: Tested; report: Report }) {
	const needs = report.base.needs.length;
	const patched = report.comparison?.patched;
	return (
		<div class="scroll" role="region" aria-label={patched ? "Commits and checks" : "Patches and checks"} tabIndex={0}>
			<table class="grid">
				<Columns
					names={[
						patched ? "Commit" : "Patch",
						...(report.apply ? ["Apply"] : []),
						"Build",
						"Boot",
					]}
				/>
				<tbody>
					<Row
						n={0}
						title={`${report.base.tree}${needs ? ` with ${plural(needs, "series", "series")} it needs` : ""}`}
						commit={report.base.needs.at(-1)?.commits.at(-1) ?? report.base.commit}
						patch={undefined}
						series={series}
						report={report}
					/>
					{patched && (
						<Row
							n={1}
							title={patched.subject ?? patched.asked}
							commit={patched.commit}
							patch={undefined}
							series={series}
							report={report}
						/>
					)}
					{report.apply?.patches.map((p) => (
						<Row
							key={p.n}
							n={p.n}
							title={p.subject ?? `patch ${p.n}`}
							commit={p.commit}
							patch={p}
							series={series}
							report={report}
						/>
					))}
				</tbody>
			</table>
		</div>
	);
}
