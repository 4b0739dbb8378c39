// SPDX-License-Identifier: GPL-3.0-or-later
// One series, or one comparison of two commits: the verdict and why, patches x checks, what is new, what was measured.
import { useEffect, useState } from "preact/hooks";
import {
	places,
	post,
	Problem,
	type Kind,
	type Prerequisite,
	type Report,
	type Tested,
} from "../api";
import { clockTime, duration, plural, shortCommit } from "../format";
import { useLive, useResource, type LiveEvent } from "../live";
import { Boots } from "../parts/boots";
import { Comparisons } from "../parts/comparisons";
import { Conflicts, Findings } from "../parts/findings";
import { Grid } from "../parts/grid";
import { Chip, toneOf, VerdictChip } from "../parts/mark";
import { ProgressBar, progressWords, withText } from "../parts/progress";
import { Ago, Elapsed } from "../parts/time";
import { Trouble } from "../parts/trouble";
import { Previous, Trailers } from "../parts/versions";
import { Link } from "../router";
import { useMayApprove, useMaySubmit } from "../session";

function Actions({ path, series, reload }: { path: string; series: Tested; reload: () => void }) {
	const may = useMaySubmit();
	const mayApprove = useMayApprove();
	const [busy, setBusy] = useState(false);
	const [trouble, setTrouble] = useState<Problem | null>(null);
	const act = (verb: string) => {
		setBusy(true);
		post(`${path}/${verb}`)
			.then(() => setTrouble(null))
			.catch((e: unknown) => setTrouble(e instanceof Problem ? e : null))
			.finally(() => {
				setBusy(false);
				reload();
			});
	};
	return (
		<div class="actions">
			<a href={`/api/v1${path}/report?format=text`}>Report</a>
			<a href={`/api/v1${path}/report?format=mail`}>Mail</a>
			<a href={`/api/v1${path}/report?format=junit`}>JUnit</a>
			<a href={`/api/v1${path}/report?format=json`}>JSON</a>
			{mayApprove && series.waits && (
				<button type="button" disabled={busy} onClick={() => act("approve")}>
					Approve
				</button>
			)}
			{may && series.finished && (
				<button type="button" disabled={busy} onClick={() => act("rerun")}>
					Run again
				</button>
			)}
			{may && !series.finished && (
				<button type="button" disabled={busy} onClick={() => act("cancel")}>
					Cancel
				</button>
			)}
			{trouble && <Trouble problem={trouble} />}
		</div>
	);
}

/** A reason, with a way to the series it names. */
function Reason({ text }: { text: string }) {
	return (
		<>
			{text.split(/\b(series \d+)\b/).map((piece, i) =>
				i % 2 ? (
					<Link key={i} to={`/series/${piece.slice(7)}`}>
						{piece}
					</Link>
				) : (
					piece
				),
			)}
		</>
	);
}

function Verdict({ series, report }: { series: Tested; report: Report }) {
	const tone = series.verdict ? toneOf(series.verdict) : "run";
	const reasons = report.reasons.length > 0 ? report.reasons : series.held ? [series.held] : [];
	return (
		<section class={`verdict ${tone}`} aria-label="Verdict" aria-live="polite">
			<p class="word">
				<VerdictChip verdict={series.verdict} state={series.state} />
				{series.verdict && report.performance && report.performance !== "none" && (
					<Chip word={report.performance} />
				)}
			</p>
			{series.progress && (
				<div class="now">
					<ProgressBar of={series} />
					<p class="sub">
						<span>{progressWords(series)}</span>
						<Elapsed since={series.run_created} />
						{series.progress.job && (
							<Link to={`/jobs/${series.progress.job}`}>follow its log</Link>
						)}
					</p>
					<p class="text">{series.progress.text ?? "\u00a0"}</p>
				</div>
			)}
			{reasons.length > 0 && (
				<ul class="reasons">
					{reasons.map((r) => (
						<li key={r}>
							<Reason text={r} />
						</li>
					))}
				</ul>
			)}
			{series.waits && (
				<p class="waits">
					It waits for approval: <code>patchbay series approve {series.id}</code>
				</p>
			)}
		</section>
	);
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
	return (
		<>
			<dt>{name}</dt>
			<dd>{children}</dd>
		</>
	);
}

const foundWords: Record<string, string> = {
	series: "in the lab",
	tree: "in the tree",
	needs: "among what was asked for",
};

function Needed({ what }: { what: Prerequisite }) {
	return (
		<li>
			{what.kind} <code class="wrap">{what.value}</code>:{" "}
			{what.series ? (
				<Link to={`/series/${what.series}`}>series {what.series}</Link>
			) : (
				(what.found && foundWords[what.found]) ?? "not found"
			)}
			{what.commit && (
				<>
					{" "}
					<code>{shortCommit(what.commit)}</code>
				</>
			)}
		</li>
	);
}

function Facts({ series, report }: { series: Tested; report: Report }) {
	const build = report.builds.find((b) => b.status === "pass");
	const boot = report.boots.find((b) => b.accel);
	return (
		<section aria-labelledby="facts">
			<h2 id="facts">What was tested</h2>
			<dl class="facts">
				<Fact name="Tree">{series.tree}</Fact>
				<Fact name="Base">
					<code>{shortCommit(report.base.commit)}</code>
					{report.comparison
						? ` (${report.base.asked})`
						: report.base.chosen_by && ` (${report.base.chosen_by})`}
					{report.base.why && <p>{report.base.why}</p>}
				</Fact>
				{report.comparison && (
					<Fact name="Against it">
						<code>{shortCommit(report.comparison.patched.commit)}</code> (
						{report.comparison.patched.asked})
					</Fact>
				)}
				{report.base.candidates.length > 0 && (
					<Fact name="Not the base">
						<ul>
							{report.base.candidates.map((c, i) => (
								<li key={i}>
									{c.tree} <code>{shortCommit(c.commit)}</code>: {c.why}
								</li>
							))}
						</ul>
					</Fact>
				)}
				{report.base.needs.length > 0 && (
					<Fact name="Needs">
						{report.base.needs.map((need) => (
							<p key={need.id}>
								<Link to={`/series/${need.id}`}>#{need.id}</Link>
								{need.because && ` ${need.because}`}
							</p>
						))}
					</Fact>
				)}
				{report.base.prerequisites.length > 0 && (
					<Fact name="Stands on">
						<ul>
							{report.base.prerequisites.map((p, i) => (
								<Needed key={i} what={p} />
							))}
						</ul>
					</Fact>
				)}
				<Fact name="Profile">
					{series.profile}
					{series.until && `, until ${series.until}`}
				</Fact>
				<Fact name="Run">
					{series.run}, {clockTime(series.run_created)}
				</Fact>
				{build?.compiler && <Fact name="Compiler">{build.compiler}</Fact>}
				{build?.config_sha256 && (
					<Fact name="Config">
						<code>{build.config_sha256.slice(0, 12)}</code>
					</Fact>
				)}
				{boot && (
					<>
						<Fact name="Machine">
							{boot.machine}, {boot.accel}
						</Fact>
						<Fact name="Command line">
							<code class="wrap">{boot.cmdline}</code>
						</Fact>
					</>
				)}
				{series.archive && <Fact name="Found in">{series.archive}</Fact>}
				{series.message_id && (
					<Fact name="Message">
						<code class="wrap">{series.message_id}</code>
					</Fact>
				)}
			</dl>
		</section>
	);
}

function Timeline({ report }: { report: Report }) {
	const stages = report.timeline.filter((t) => t.seconds > 0);
	const all = stages.reduce((sum, t) => sum + t.seconds, 0);
	const lab = stages.reduce((sum, t) => sum + t.lab_seconds, 0);
	if (all === 0) return null;
	return (
		<section aria-labelledby="timeline">
			<h2 id="timeline">Where the time went</h2>
			<table class="timeline">
				<tbody>
					{stages.map((t) => (
						<tr key={t.stage}>
							<th scope="row">{t.stage}</th>
							<td>
								<span class="part" style={{ width: `${(100 * t.seconds) / all}%` }} />
							</td>
							<td class="num">{duration(t.seconds)}</td>
						</tr>
					))}
				</tbody>
			</table>
			<p class="sub">
				<span>{duration(all)} in all</span>
				<span>{duration(lab)} of it Patchbay's own</span>
			</p>
		</section>
	);
}

export function SeriesPage({ kind, id }: { kind: Kind; id: number }) {
	const path = `${places[kind]}/${id}`;
	const name = kind === "series" ? `Series ${id}` : `Comparison ${id}`;
	const concerns = ({ type, data }: LiveEvent) =>
		(type === kind || type === "job") && data[kind] === id;
	const series = useResource<Tested>(path, concerns);
	const report = useResource<Report>(`${path}/report`, concerns);

	useLive(({ type, data }) => {
		if (type !== "progress" || data[kind] !== id) return;
		series.patch((s) => withText(s, data));
	});
	useEffect(() => {
		document.title = `${series.data?.title ?? name} · Patchbay`;
	}, [series.data?.title]);

	const error = series.error ?? report.error;
	const s = series.data;
	const r = report.data;
	return (
		<main class="page series" id="main">
			{error && (
				<Trouble
					problem={error}
					retry={() => {
						series.reload();
						report.reload();
					}}
				/>
			)}
			{s && (
				<div class="head">
					<div>
						<h1>{s.title ?? name}</h1>
						<p class="sub">
							<span class="num">#{s.id}</span>
							{(s.version ?? 0) > 1 && <span>v{s.version}</span>}
							{!!s.patches && <span>{plural(s.patches, "patch", "patches")}</span>}
							<span>
								<Ago at={s.run_created} />
							</span>
							{s.run > 1 && <span>run {s.run}</span>}
						</p>
					</div>
					<Actions path={path} series={s} reload={series.reload} />
				</div>
			)}
			{s && r && (
				<div class="columns">
					<div class="wide">
						<Verdict series={s} report={r} />
						{(!r.apply || r.apply.patches.length > 0) && <Grid series={s} report={r} />}
						<Conflicts report={r} />
						<Findings report={r} />
						<Comparisons report={r} />
						<Boots report={r} />
						<Previous report={r} />
						<Trailers report={r} />
					</div>
					<aside aria-label="Facts">
						<Facts series={s} report={r} />
						<Timeline report={r} />
					</aside>
				</div>
			)}
		</main>
	);
}
