// SPDX-License-Identifier: GPL-3.0-or-later
// All series, or all comparisons of two commits, newest first.
import { useEffect, useRef, useState } from "preact/hooks";
import { get, places, Problem, type Kind, type Page, type Tested } from "../api";
import { plural } from "../format";
import { useLive, useResource } from "../live";
import { Columns } from "../parts/columns";
import { Chip, VerdictChip } from "../parts/mark";
import { ProgressBar, progressWords, withText } from "../parts/progress";
import { Ago, Elapsed } from "../parts/time";
import { Trouble } from "../parts/trouble";
import { go, Link, usePlace } from "../router";

const filters = [
	{ name: "All", query: "" },
	{ name: "Pass", query: "verdict=pass" },
	{ name: "Fail", query: "verdict=fail" },
	{ name: "Regression", query: "verdict=regression" },
	{ name: "Error", query: "verdict=error" },
	{ name: "Held", query: "verdict=held" },
];

function What({ series }: { series: Tested }) {
	if (series.progress) {
		return (
			<>
				<ProgressBar of={series} />
				<span class="stage">
					{progressWords(series)}
					<Elapsed since={series.run_created} />
				</span>
			</>
		);
	}
	return <span class="reason">{series.reason}</span>;
}

function untitled(series: Tested): string {
	if (series.patched_asked) return `${series.patched_asked} against ${series.base_asked}`;
	return series.finished ? `Series ${series.id}, no patches in it` : `Series ${series.id}, being read`;
}

function Row({ kind, series }: { kind: Kind; series: Tested }) {
	return (
		<tr>
			<td class="c-verdict">
				<VerdictChip verdict={series.verdict} state={series.state} />
			</td>
			<td class="c-title">
				<Link to={`${places[kind]}/${series.id}`} class="row-link">
					{series.title ?? <em>{untitled(series)}</em>}
				</Link>
				<span class="sub">
					<span class="num">#{series.id}</span>
					{(series.version ?? 0) > 1 && <span>v{series.version}</span>}
					{!!series.patches && <span>{plural(series.patches, "patch", "patches")}</span>}
					<span>{series.tree}</span>
					{series.run > 1 && <span>run {series.run}</span>}
				</span>
			</td>
			<td class="c-what">
				<What series={series} />
			</td>
			<td class="c-perf">
				{series.performance && series.performance !== "none" && (
					<Chip word={series.performance} />
				)}
			</td>
			<td class="c-when">
				<Ago at={series.run_created} />
			</td>
		</tr>
	);
}

function Empty({ kind, filtered }: { kind: Kind; filtered: boolean }) {
	if (filtered)
		return <p class="empty">No {kind === "series" ? "series" : "comparison"} came to that.</p>;
	if (kind === "comparison")
		return (
			<div class="empty">
				<p>No two commits have been compared yet.</p>
				<pre>patchbay compare BASE REVISION --tree NAME --wait</pre>
			</div>
		);
	return (
		<div class="empty">
			<p>Nothing has been submitted yet.</p>
			<pre>git format-patch --stdout -3 | patchbay submit - --tree NAME --wait</pre>
		</div>
	);
}

/** j and k walk through the rows, as in a mail reader. */
function useRowKeys() {
	const body = useRef<HTMLTableSectionElement>(null);
	useEffect(() => {
		const walk = (event: KeyboardEvent) => {
			if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey) return;
			const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
			if (step === 0 || !body.current) return;
			const links = [...body.current.querySelectorAll<HTMLElement>(".row-link")];
			const at = links.indexOf(document.activeElement as HTMLElement);
			links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
		};
		window.addEventListener("keydown", walk);
		return () => window.removeEventListener("keydown", walk);
	}, []);
	return body;
}

interface Older {
	items: Tested[];
	next: string | null;
}

const headings = { series: "Series", comparison: "Comparisons" };

export function ListPage({ kind }: { kind: Kind }) {
	const path = places[kind];
	const home = kind === "series" ? "/" : path;
	const place = usePlace();
	const verdict = place.query.get("verdict");
	const query = verdict ? `verdict=${encodeURIComponent(verdict)}` : "";
	const list = useResource<Page<Tested>>(
		`${path}?limit=50${query && "&"}${query}`,
		(event) => event.type === kind || event.type === "job",
	);
	const [older, setOlder] = useState<Older | null>(null);
	const [trouble, setTrouble] = useState<Problem | null>(null);
	const body = useRowKeys();

	useEffect(() => {
		document.title = `${headings[kind]} · Patchbay`;
	}, []);
	useEffect(() => setOlder(null), [query]);
	useLive(({ type, data }) => {
		if (type !== "progress") return;
		list.patch((page) => ({
			...page,
			items: page.items.map((s) => (s.id === data[kind] ? withText(s, data) : s)),
		}));
	});

	const first = list.data?.items ?? [];
	const seen = new Set(first.map((s) => s.id));
	const items = [...first, ...(older?.items.filter((s) => !seen.has(s.id)) ?? [])];
	const next = older ? older.next : (list.data?.next ?? null);
	const more = () => {
		get<Page<Tested>>(`${path}?limit=50&cursor=${next}${query && "&"}${query}`).then(
			(page) => setOlder({ items: [...(older?.items ?? []), ...page.items], next: page.next }),
			(e: unknown) => setTrouble(e instanceof Problem ? e : null),
		);
	};
	return (
		<main class="page" id="main">
			<div class="head">
				<h1>{headings[kind]}</h1>
				<div class="filters" role="group" aria-label="By verdict">
					{filters.map((f) => (
						<button
							key={f.name}
							type="button"
							aria-pressed={f.query === query}
							onClick={() => go(f.query ? `${home}?${f.query}` : home, true)}
						>
							{f.name}
						</button>
					))}
				</div>
			</div>
			{list.error && <Trouble problem={list.error} retry={list.reload} />}
			{list.data && items.length === 0 && <Empty kind={kind} filtered={query !== ""} />}
			{items.length > 0 && (
				<table class="list">
					<Columns
						names={[
							"Verdict",
							kind === "series" ? "Series" : "Commits",
							"Why",
							"Performance",
							kind === "series" ? "Submitted" : "Asked",
						]}
					/>
					<tbody ref={body}>
						{items.map((s) => (
							<Row key={s.id} kind={kind} series={s} />
						))}
					</tbody>
				</table>
			)}
			{trouble && <Trouble problem={trouble} />}
			{next && (
				<button type="button" class="more" onClick={more}>
					Show older ones
				</button>
			)}
		</main>
	);
}
