// SPDX-License-Identifier: GPL-3.0-or-later
// The version before and what became of its patches; what was said of the patches.
import type { Change, Report, Trailer } from "../api";
import { Link } from "../router";

function OneChange({ change }: { change: Change }) {
	if (!change.interdiff) return <li>{change.text}</li>;
	return (
		<li>
			<details>
				<summary>{change.text}</summary>
				<pre tabIndex={0} aria-label="How the two patches differ">
					{change.interdiff}
				</pre>
			</details>
		</li>
	);
}

export function Previous({ report }: { report: Report }) {
	const previous = report.previous;
	if (!previous) return null;
	return (
		<section class="previous" aria-labelledby="previous">
			<h2 id="previous">Since version {previous.version}</h2>
			<p class="sub">
				{previous.id ? (
					<Link to={`/series/${previous.id}`}>series {previous.id}</Link>
				) : (
					<span>it came in the same file</span>
				)}
				<span>{previous.title}</span>
				{previous.partial && <span>what was not sent again is that version's</span>}
				{previous.rough && <span>too many patches to look for those that are alike</span>}
			</p>
			<ul class="changes">
				{previous.changes.map((c, i) => (
					<OneChange key={i} change={c} />
				))}
			</ul>
		</section>
	);
}

function OneTrailer({ trailer }: { trailer: Trailer }) {
	return (
		<li>
			<span class="t">
				{trailer.name}: {trailer.value}
			</span>
			<span class="sub">
				<span>{trailer.patch ? `patch ${trailer.patch}` : "the series"}</span>
				{trailer.reply && <span>in a reply</span>}
				{trailer.refused && <span>does not count: {trailer.refused}</span>}
			</span>
		</li>
	);
}

export function Trailers({ report }: { report: Report }) {
	// Every patch has its author's own.
	const said = (report.trailers ?? []).filter((t) => t.name !== "Signed-off-by");
	if (said.length === 0) return null;
	return (
		<section aria-labelledby="trailers">
			<h2 id="trailers">Trailers</h2>
			<ul class="trailers">
				{said.map((t, i) => (
					<OneTrailer key={i} trailer={t} />
				))}
			</ul>
		</section>
	);
}
