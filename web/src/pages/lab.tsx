// SPDX-License-Identifier: GPL-3.0-or-later
// What the lab has: trees, hosts, machines, archives, and what waits for approval.
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Archive, Host, Machine, Page, Tested, Tree } from "../api";
import { bytes, duration, plural, shortCommit } from "../format";
import { useResource, type Resource } from "../live";
import { Chip, type Tone } from "../parts/mark";
import { Ago } from "../parts/time";
import { Trouble } from "../parts/trouble";
import { Link } from "../router";

interface CardsProps<T> {
	title: string;
	list: Resource<Page<T>>;
	/** What stands there while there are none; without it they are not spoken of. */
	none?: ComponentChildren;
	/** Those that are shown. */
	of?: (item: T) => boolean;
	/** Its name and its signs. */
	name: (item: T) => ComponentChildren;
	/** Short facts in a line, each an element. */
	facts: (item: T) => ComponentChildren;
	/** What stands below. */
	more?: (item: T) => ComponentChildren;
}

function Cards<T extends { id: number }>(props: CardsProps<T>) {
	const { title, list, none, of = () => true, name, facts, more } = props;
	const items = list.data?.items.filter(of) ?? [];
	if (none === undefined && !list.error && items.length === 0) return null;
	const id = title.toLowerCase().replaceAll(" ", "-");
	return (
		<section aria-labelledby={id}>
			<h2 id={id}>{title}</h2>
			{list.error && <Trouble problem={list.error} retry={list.reload} />}
			{none && list.data && items.length === 0 && <p class="empty">{none}</p>}
			<ul class="cards">
				{items.map((item) => (
					<li key={item.id}>
						<p class="name">{name(item)}</p>
						<p class="sub">{facts(item)}</p>
						{more?.(item)}
					</li>
				))}
			</ul>
		</section>
	);
}

/** Why it cannot be used. */
function Reason({ of }: { of: { reason: string | null } }) {
	return of.reason ? <p class="reason">{of.reason}</p> : null;
}

const treeTones: Record<string, Tone> = { ready: "pass", importing: "run", error: "lab" };

function Trees() {
	const trees = useResource<Page<Tree>>("/trees?limit=500", (e) => e.type === "tree");
	return (
		<Cards
			title="Trees"
			list={trees}
			none={
				<>
					None yet: <code>patchbay tree add NAME --deb linux-source-6.12</code>
				</>
			}
			name={(t) => (
				<>
					{t.name}
					<Chip word={t.state} tone={treeTones[t.state] ?? "none"} />
				</>
			)}
			facts={(t) => (
				<>
					<span>{t.source["deb"] ?? t.source["git"]}</span>
					{t.version && <span>{t.version}</span>}
					{t.tip && <code title={t.tip}>{shortCommit(t.tip)}</code>}
					{t.fetched && (
						<span>
							fetched <Ago at={t.fetched} />
						</span>
					)}
					{t.job && <Link to={`/jobs/${t.job}`}>log</Link>}
				</>
			)}
			more={(t) => <Reason of={t} />}
		/>
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
		<Cards
			title="Hosts"
			list={hosts}
			none="None yet."
			name={(h) => (
				<>
					{h.name}
					<Chip word={hostWord(h)} tone={hostTone(h)} />
				</>
			)}
			facts={(h) => (
				<>
					<span>
						{h.user}@{h.address}:{h.port}
					</span>
					{h.probed && (
						<span>
							probed <Ago at={h.probed} />
						</span>
					)}
					{h.job && <Link to={`/jobs/${h.job}`}>log</Link>}
				</>
			)}
			more={(h) => (
				<>
					<Reason of={h} />
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
				</>
			)}
		/>
	);
}

function Machines() {
	const machines = useResource<Page<Machine>>("/machines?limit=500", (e) => e.type === "machine");
	return (
		<Cards
			title="Machines"
			list={machines}
			none="None yet."
			name={(m) => (
				<>
					{m.name}
					{m.drained && <Chip word="drained" tone="held" />}
				</>
			)}
			facts={(m) => (
				<>
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
				</>
			)}
		/>
	);
}

function Archives() {
	const archives = useResource<Page<Archive>>("/archives", (e) => e.type === "job");
	return (
		<Cards
			title="Archives"
			list={archives}
			name={(a) => (
				<>
					{a.name}
					{a.reason && <Chip word="out of reach" tone="lab" />}
				</>
			)}
			facts={(a) => (
				<>
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
				</>
			)}
			more={(a) => <Reason of={a} />}
		/>
	);
}

/** Series from archives whose senders nobody has vouched for. */
function Waiting() {
	const held = useResource<Page<Tested>>(
		"/series?state=held&limit=500",
		(e) => e.type === "series",
	);
	return (
		<Cards
			title="Waiting for approval"
			list={held}
			of={(s) => s.waits === true}
			name={(s) => <Link to={`/series/${s.id}`}>{s.title ?? `Series ${s.id}`}</Link>}
			facts={(s) => (
				<>
					<span class="num">#{s.id}</span>
					{s.archive && <span>{s.archive}</span>}
					<Ago at={s.created} />
				</>
			)}
			more={(s) => s.held && <p>{s.held}</p>}
		/>
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
