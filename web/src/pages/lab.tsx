// SPDX-License-Identifier: GPL-3.0-or-later
// What the lab has: trees, hosts, machines.
import { useEffect } from "preact/hooks";
import type { Archive, Host, Machine, Page, Tested, Tree } from "../api";
import { bytes, duration, plural, shortCommit } from "../format";
import { useResource } from "../live";
import { Chip, type Tone } from "../parts/mark";
import { Ago } from "../parts/time";
import { Trouble } from "../parts/trouble";
import { Link } from "../router";

const treeTones: Record<string, Tone> = { ready: "pass", importing: "run", error: "lab" };

function Trees() {
	const trees = useResource<Page<Tree>>("/trees?limit=500", (e) => e.type === "tree");
	return (
		<section aria-labelledby="trees">
			<h2 id="trees">Trees</h2>
			{trees.error && <Trouble problem={trees.error} retry={trees.reload} />}
			{trees.data?.items.length === 0 && (
				<p class="empty">
					None yet: <code>patchbay tree add NAME --deb linux-source-6.12</code>
				</p>
			)}
			<ul class="cards">
				{trees.data?.items.map((t) => (
					<li key={t.id}>
						<p class="name">
							{t.name}
							<Chip word={t.state} tone={treeTones[t.state] ?? "none"} />
						</p>
						<p class="sub">
							<span>{t.source["deb"] ?? t.source["git"]}</span>
							{t.version && <span>{t.version}</span>}
							{t.tip && <code title={t.tip}>{shortCommit(t.tip)}</code>}
							{t.fetched && (
								<span>
									fetched <Ago at={t.fetched} />
								</span>
							)}
							{t.job && <Link to={`/jobs/${t.job}`}>log</Link>}
						</p>
						{t.reason && <p class="reason">{t.reason}</p>}
					</li>
				))}
			</ul>
		</section>
	);
}

function hostTone(h: Host): Tone {
	if (h.reason) return "lab";
	if (h.drained) return "held";
	return h.probed ? "pass" : "run";
}

function hostWord(h: Host): string {
	if (h.reason) return "out of reach";
	if (h.drained) return "drained";
	return h.probed ? "ready" : "being probed";
}

/** The facts of a probe that say something in a word. */
function plainFacts(facts: Record<string, unknown> | null): [string, string][] {
	return Object.entries(facts ?? {}).flatMap(([k, v]): [string, string][] => {
		if (typeof v === "string" || typeof v === "boolean") return [[k, String(v)]];
		if (typeof v === "number") return [[k, /byte/.test(k) ? bytes(v) : String(v)]];
		return [];
	});
}

function Hosts() {
	const hosts = useResource<Page<Host>>("/hosts?limit=500", (e) => e.type === "host");
	return (
		<section aria-labelledby="hosts">
			<h2 id="hosts">Hosts</h2>
			{hosts.error && <Trouble problem={hosts.error} retry={hosts.reload} />}
			{hosts.data?.items.length === 0 && <p class="empty">None yet.</p>}
			<ul class="cards">
				{hosts.data?.items.map((h) => (
					<li key={h.id}>
						<p class="name">
							{h.name}
							<Chip word={hostWord(h)} tone={hostTone(h)} />
						</p>
						<p class="sub">
							<span>
								{h.user}@{h.address}:{h.port}
							</span>
							{h.probed && (
								<span>
									probed <Ago at={h.probed} />
								</span>
							)}
							{h.job && <Link to={`/jobs/${h.job}`}>log</Link>}
						</p>
						{h.reason && <p class="reason">{h.reason}</p>}
						{h.facts && (
							<details>
								<summary>What the probe found</summary>
								<dl class="facts">
									{plainFacts(h.facts).map(([k, v]) => (
										<>
											<dt>{k.replaceAll("_", " ")}</dt>
											<dd>{v}</dd>
										</>
									))}
								</dl>
							</details>
						)}
					</li>
				))}
			</ul>
		</section>
	);
}

function Machines() {
	const machines = useResource<Page<Machine>>("/machines?limit=500", (e) => e.type === "machine");
	return (
		<section aria-labelledby="machines">
			<h2 id="machines">Machines</h2>
			{machines.error && <Trouble problem={machines.error} retry={machines.reload} />}
			{machines.data?.items.length === 0 && <p class="empty">None yet.</p>}
			<ul class="cards">
				{machines.data?.items.map((m) => (
					<li key={m.id}>
						<p class="name">
							{m.name}
							{m.drained && <Chip word="drained" tone="held" />}
						</p>
						<p class="sub">
							<span>{m.kind}</span>
							<span>{m.model}</span>
							<span>{m.arch}</span>
							<span>{m.cpus} CPUs</span>
							<span>{m.memory_mib} MiB</span>
							<span>on {m.host}</span>
							{m.tags.map((t) => (
								<span key={t} class="tag">
									{t}
								</span>
							))}
						</p>
					</li>
				))}
			</ul>
		</section>
	);
}

function Archives() {
	const archives = useResource<Page<Archive>>("/archives", (e) => e.type === "job");
	const items = archives.data?.items ?? [];
	if (!archives.error && items.length === 0) return null;
	return (
		<section aria-labelledby="archives">
			<h2 id="archives">Archives</h2>
			{archives.error && <Trouble problem={archives.error} retry={archives.reload} />}
			<ul class="cards">
				{items.map((a) => (
					<li key={a.id}>
						<p class="name">
							{a.name}
							{a.reason && <Chip word="out of reach" tone="lab" />}
						</p>
						<p class="sub">
							<span>{a.address}</span>
							<span>profile {a.profile}</span>
							{a.tree && <span>onto {a.tree}</span>}
							<span>every {duration(a.every_seconds)}</span>
							<span>{plural(a.mails, "mail")} read</span>
							{a.visited && (
								<span>
									visited <Ago at={a.visited} />
								</span>
							)}
							{a.job && <Link to={`/jobs/${a.job}`}>log</Link>}
						</p>
						{a.reason && <p class="reason">{a.reason}</p>}
					</li>
				))}
			</ul>
		</section>
	);
}

/** Series from archives whose senders nobody has vouched for. */
function Waiting() {
	const held = useResource<Page<Tested>>(
		"/series?state=held&limit=500",
		(e) => e.type === "series",
	);
	const items = held.data?.items.filter((s) => s.waits) ?? [];
	if (items.length === 0) return null;
	return (
		<section aria-labelledby="waiting">
			<h2 id="waiting">Waiting for approval</h2>
			<ul class="cards">
				{items.map((s) => (
					<li key={s.id}>
						<p class="name">
							<Link to={`/series/${s.id}`}>{s.title ?? `Series ${s.id}`}</Link>
						</p>
						<p class="sub">
							<span class="num">#{s.id}</span>
							{s.archive && <span>{s.archive}</span>}
							<Ago at={s.created} />
						</p>
						{s.held && <p>{s.held}</p>}
					</li>
				))}
			</ul>
		</section>
	);
}

export function LabPage() {
	useEffect(() => {
		document.title = "Lab · Patchbay";
	}, []);
	return (
		<main class="page" id="main">
			<h1>Lab</h1>
			<div class="parts">
				<Trees />
				<Hosts />
				<Machines />
				<Archives />
				<Waiting />
			</div>
		</main>
	);
}
