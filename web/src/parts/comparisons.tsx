// SPDX-License-Identifier: GPL-3.0-or-later
// Base against patched: a row for each metric, a dot for each boot.
import { useState } from "preact/hooks";
import type { Boot, Comparison, Report } from "../api";
import { benchmark, percent, plural, stem, throughput, unitFor, value } from "../format";
import { go } from "../router";
import { Columns } from "./columns";
import { patchedWords } from "./grid";
import { Chip } from "./mark";
import { PairPlot } from "./plot";

/** The boots behind the samples of one side, in their order. */
function bootsOf(report: Report, c: Comparison, side: Boot["side"]): Boot[] {
	return report.boots
		.filter((b) => b.side === side && b.clock === c.clock && b.machine === c.machine)
		.filter((b) => b.part === c.part)
		.filter((b) => b.status === "pass")
		.sort((a, b) => a.pair - b.pair || a.seed - b.seed);
}

const width = 240;
const height = 34;
const inset = 7;

interface StripProps {
	comparison: Comparison;
	base: Boot[];
	patched: Boot[];
	/** Which boots the patched ones are. */
	against: string;
	unit: { name: string; scale: number };
}

/** Both sides on one scale: rings above for the base, dots below for the patches. */
function Strip({ comparison: c, base, patched, against, unit }: StripProps) {
	const all = [...c.base.samples, ...c.patched.samples];
	const low = Math.min(...all);
	const high = Math.max(...all);
	const span = high - low || Math.abs(high) || 1;
	const x = (v: number) =>
		high === low ? width / 2 : inset + ((v - low) / span) * (width - 2 * inset);
	const dots = (side: "base" | "patched", samples: number[], boots: Boot[], y: number) =>
		samples.map((v, i) => {
			const boot = samples.length === boots.length ? boots[i] : undefined;
			return (
				<circle
					key={`${side}${i}`}
					class={`dot ${side}`}
					cx={x(v)}
					cy={y}
					r={4}
					{...(boot ? { onClick: () => go(`/jobs/${boot.job}`), "data-job": boot.job } : {})}
				>
					<title>
						{side}, {boot ? `pair ${boot.pair}` : `boot ${i + 1}`}: {value(v, unit)}
					</title>
				</circle>
			);
		});
	const tick = (side: "base" | "patched", v: number | null, y: number) =>
		v !== null && <line class={`median ${side}`} x1={x(v)} x2={x(v)} y1={y - 8} y2={y + 8} />;
	return (
		<svg
			class="strip"
			viewBox={`0 0 ${width} ${height}`}
			role="img"
			aria-label={`${c.base.n} boots of the base from ${value(Math.min(...c.base.samples), unit)} to ${value(Math.max(...c.base.samples), unit)}, ${c.patched.n} ${against} from ${value(Math.min(...c.patched.samples), unit)} to ${value(Math.max(...c.patched.samples), unit)}`}
		>
			<line class="axis" x1="0" x2={width} y1={height / 2} y2={height / 2} />
			{tick("base", c.base.median, 9)}
			{tick("patched", c.patched.median, 25)}
			{dots("base", c.base.samples, base, 9)}
			{dots("patched", c.patched.samples, patched, 25)}
		</svg>
	);
}

function paramWords(params: Record<string, unknown> | null): string {
	if (!params) return "";
	return Object.entries(params)
		.filter(([, v]) => typeof v !== "object")
		.map(([k, v]) => `${k.replaceAll("_", " ")} ${String(v)}`)
		.join(" · ");
}

function interval(c: Comparison): string {
	if (!c.interval) return "no interval";
	return `${percent(c.interval[0])} … ${percent(c.interval[1])}`;
}

const changed = (c: Comparison) => c.verdict === "improvement" || c.verdict === "regression";

const betterWords: Record<string, string> = {
	none: "no direction is better",
	zero: "has to be zero",
};

const clockNames: Record<string, string> = { wall: "wall clock", counted: "counted clock" };

/** Where two clocks do not say the same of one thing. */
function disagreement(a: Comparison, b: Comparison): string | null {
	const [yes, no] = changed(a) ? [a, b] : [b, a];
	if (!changed(yes) || a.verdict === b.verdict) return null;
	if (changed(no)) return "the two clocks contradict each other";
	const rest = no.verdict === "inconclusive" ? ", the other one cannot tell" : "";
	return `only the ${clockNames[yes.clock] ?? yes.clock} sees a change${rest}`;
}

interface RowProps {
	report: Report;
	c: Comparison;
	/** The same thing by the other clock, in the row above. */
	twin: Comparison | undefined;
	/** Whether there are two clocks to be told apart. */
	clocks: boolean;
}

function Row({ report, c, twin, clocks }: RowProps) {
	const [open, setOpen] = useState(false);
	const unit = unitFor(c.metric, [...c.base.samples, ...c.patched.samples]);
	const base = bootsOf(report, c, "base");
	const patched = bootsOf(report, c, "patched");
	const id = `pairs-${c.machine}-${c.clock}-${c.metric}`;
	const rates = [c.base.median, c.patched.median].map((s) => throughput(c.metric, c.params, s));
	const said = twin && disagreement(twin, c);
	return (
		<>
			<tr class={[c.primary && "primary", twin && "twin"].filter(Boolean).join(" ") || undefined}>
				<th scope="row">
					<button
						type="button"
						class="unfold"
						aria-expanded={open}
						aria-controls={id}
						onClick={() => setOpen(!open)}
					>
						<span class="metric">{c.metric}</span>
					</button>
					{c.primary && <span class="tag">decides</span>}
					{clocks && <span class="tag">{clockNames[c.clock] ?? c.clock}</span>}
					{said && <p class="said-of">{said}</p>}
				</th>
				<td class="num c-base">
					<span class="side-word">base </span>
					{value(c.base.median, unit)}
					{rates[0] && <small>{rates[0]}</small>}
				</td>
				<td class="num c-patched">
					<span class="side-word">patched </span>
					{value(c.patched.median, unit)}
					{rates[1] && <small>{rates[1]}</small>}
				</td>
				<td class="num c-change">
					{percent(c.change)}
					<small>{interval(c)}</small>
				</td>
				<td class="c-strip">
					{c.base.samples.length > 0 && c.patched.samples.length > 0 && (
						<Strip
							comparison={c}
							base={base}
							patched={patched}
							against={patchedWords(report)}
							unit={unit}
						/>
					)}
				</td>
				<td class="c-word">
					<Chip word={c.verdict} />
				</td>
			</tr>
			{open && (
				<tr class="unfolded" id={id}>
					<td colSpan={6}>
						<PairPlot comparison={c} unit={unit} />
						<p class="sub">
							<span>
								n = {c.base.n} and {c.patched.n}
							</span>
							<span>{betterWords[c.better] ?? `${c.better} is better`}</span>
							{c.p !== null && <span>p = {c.p.toPrecision(2)}</span>}
							<span>
								σ = {value(c.base.stddev, unit)} and {value(c.patched.stddev, unit)}
							</span>
							<span>{paramWords(c.params)}</span>
						</p>
					</td>
				</tr>
			)}
		</>
	);
}

interface Group {
	first: Comparison;
	/** Twins in a row, what decides first. */
	list: Comparison[];
}

/** What one machine measured of one part of a benchmark, by either clock. */
function groupsOf(report: Report): Group[] {
	const groups = new Map<string, Group>();
	for (const c of report.comparisons) {
		const key = JSON.stringify([c.machine, benchmark(c.metric), c.part]);
		const group = groups.get(key) ?? { first: c, list: [] };
		groups.set(key, group);
		group.list.push(c);
	}
	for (const group of groups.values()) {
		const stems = [...new Set(group.list.map((c) => stem(c.metric)))];
		const decides = (s: string) => group.list.some((c) => c.primary && stem(c.metric) === s);
		const place = (c: Comparison) => stems.indexOf(stem(c.metric));
		group.list.sort(
			(a, b) =>
				Number(decides(stem(b.metric))) - Number(decides(stem(a.metric))) ||
				place(a) - place(b) ||
				Number(a.clock === "counted") - Number(b.clock === "counted"),
		);
	}
	return [...groups.values()];
}

function caption(report: Report, { first, list }: Group): string {
	const accel = report.boots.find((b) => b.machine === first.machine && b.accel)?.accel;
	const clocks = ["wall", "counted"].flatMap((clock) => {
		const one = list.find((c) => c.clock === clock);
		if (!one) return [];
		const mib = one.params?.["size_mib"];
		return [
			clock === "wall"
				? `wall clock, ${plural(one.base.n, "pair")} of boots`
				: `instructions counted, ${plural(one.base.n, "layout")}`,
		].map((words) => (typeof mib === "number" ? `${words}, ${mib} MiB` : words));
	});
	return `${benchmark(first.metric)}${first.part ? `, ${first.part}` : ""} on ${first.machine}${accel ? ` (${accel})` : ""}: ${clocks.join("; ")}`;
}

function Table({ report, group }: { report: Report; group: Group }) {
	const clocks = new Set(group.list.map((c) => c.clock)).size > 1;
	return (
		<table class="comparisons">
			<caption>{caption(report, group)}</caption>
			<Columns names={["Metric", "Base", "Patched", "Change", "Boots", "Verdict"]} />
			<tbody>
				{group.list.map((c, i) => {
					const above = group.list[i - 1];
					const twin = above && stem(above.metric) === stem(c.metric) ? above : undefined;
					return (
						<Row
							key={`${c.clock} ${c.metric}`}
							report={report}
							c={c}
							twin={twin}
							clocks={clocks}
						/>
					);
				})}
			</tbody>
		</table>
	);
}

export function Comparisons({ report }: { report: Report }) {
	if (report.comparisons.length === 0) return null;
	return (
		<section aria-labelledby="comparisons">
			<h2 id="comparisons">Comparisons</h2>
			<p class="legend">
				<span>
					<svg viewBox="0 0 12 12" aria-hidden="true">
						<circle class="dot base" cx="6" cy="6" r="4" />
					</svg>
					a boot of the base
				</span>
				<span>
					<svg viewBox="0 0 12 12" aria-hidden="true">
						<circle class="dot patched" cx="6" cy="6" r="4" />
					</svg>
					a boot {patchedWords(report)}
				</span>
			</p>
			{groupsOf(report).map((group) => (
				<Table
					key={`${group.first.machine} ${group.first.metric}`}
					report={report}
					group={group}
				/>
			))}
		</section>
	);
}
