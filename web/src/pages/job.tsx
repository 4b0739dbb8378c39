// SPDX-License-Identifier: GPL-3.0-or-later
// One job and its log. #L12 is a line; #find=WORDS goes to the first line that has them.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Problem, request, type Job } from "../api";
import { bytes, duration } from "../format";
import { useLive, useResource } from "../live";
import { lineTone, LogText } from "../parts/log";
import { Chip } from "../parts/mark";
import { Ago, Elapsed } from "../parts/time";
import { Trouble } from "../parts/trouble";
import { go, Link, usePlace } from "../router";

/** More than this is for a pager, not for a page. */
const mostBytes = 32 * 1024 * 1024;
const lineHeight = 19;
const overscan = 30;

interface Log {
	text: LogText;
	/** Counts up with each change of text. */
	version: number;
	following: boolean;
	loaded: boolean;
	error: Problem | null;
}

/** The log of a job: as a stream while it runs, whole when it has ended. */
function useLog(job: Job | null): Log {
	const text = useRef(new LogText());
	const [version, setVersion] = useState(0);
	const [following, setFollowing] = useState(false);
	const [loaded, setLoaded] = useState(false);
	const [error, setError] = useState<Problem | null>(null);
	const live = job !== null && (job.status === "running" || job.status === "queued");
	const tooLong = (job?.log_size ?? 0) > mostBytes;
	// Decided once: a job that ends while it is followed is followed to its end.
	const mode = useRef<"stream" | "whole" | null>(null);
	if (job && !mode.current) mode.current = live ? "stream" : "whole";
	const id = job?.id;

	useEffect(() => {
		if (id === undefined || tooLong) return;
		const log = text.current;
		const changed = () => {
			setLoaded(true);
			setVersion((v) => v + 1);
		};
		log.clear();
		if (mode.current === "whole") {
			const stop = new AbortController();
			request(`/jobs/${id}/log`, { signal: stop.signal })
				.then((response) => response.text())
				.then((whole) => {
					log.add(whole);
					changed();
				})
				.catch((e: unknown) => {
					if (!stop.signal.aborted) setError(e instanceof Problem ? e : null);
				});
			return () => stop.abort();
		}
		const stream = new EventSource(`/api/v1/jobs/${id}/log?follow=1`);
		setFollowing(true);
		let frame = 0;
		const soon = () => {
			frame ||= requestAnimationFrame(() => {
				frame = 0;
				changed();
			});
		};
		stream.addEventListener("log", (event) => {
			log.add((JSON.parse((event as MessageEvent<string>).data) as { text: string }).text);
			soon();
		});
		stream.addEventListener("restart", () => {
			log.clear();
			soon();
		});
		stream.addEventListener("end", () => {
			stream.close();
			setFollowing(false);
			soon();
		});
		return () => {
			cancelAnimationFrame(frame);
			stream.close();
		};
	}, [id, tooLong]);
	return { text: text.current, version, following, loaded, error };
}

interface ViewProps {
	log: Log;
	/** The line to show and mark; 0: none. */
	marked: number;
}

/** Only the lines in sight are in the page; a build has a hundred thousand. */
function LogView({ log, marked }: ViewProps) {
	const box = useRef<HTMLDivElement>(null);
	const [top, setTop] = useState(0);
	const [view, setView] = useState(800);
	const atEnd = useRef(true);
	const n = log.text.lines;

	useEffect(() => {
		const el = box.current;
		if (!el) return;
		const observer = new ResizeObserver(() => setView(el.clientHeight));
		observer.observe(el);
		return () => observer.disconnect();
	}, []);
	useLayoutEffect(() => {
		if (!marked || !box.current) return;
		atEnd.current = false;
		box.current.scrollTop = (marked - 1) * lineHeight - box.current.clientHeight / 3;
	}, [marked, log.loaded]);
	useLayoutEffect(() => {
		if (log.following && atEnd.current && box.current)
			box.current.scrollTop = box.current.scrollHeight;
	}, [log.version]);

	const scrolled = () => {
		const el = box.current;
		if (!el) return;
		atEnd.current = el.scrollTop + el.clientHeight > el.scrollHeight - 2 * lineHeight;
		setTop(el.scrollTop);
	};
	const first = Math.max(1, Math.floor(top / lineHeight) - overscan);
	const last = Math.min(n, Math.ceil((top + view) / lineHeight) + overscan);
	const rows = [];
	for (let i = first; i <= last; i++) {
		const line = log.text.line(i);
		const tone = lineTone(line);
		rows.push(
			<div
				key={i}
				id={`L${i}`}
				class={`line${tone ? ` ${tone}` : ""}${i === marked ? " marked" : ""}`}
				style={{ top: `${(i - 1) * lineHeight}px` }}
			>
				<a
					href={`#L${i}`}
					aria-label={`Line ${i}`}
					tabIndex={i === marked ? 0 : -1}
					onClick={(event) => {
						event.preventDefault();
						go(`${location.pathname}#L${i}`, true);
					}}
				>
					{i}
				</a>
				<span>{line}</span>
			</div>,
		);
	}
	return (
		<div class="log" ref={box} tabIndex={0} role="region" aria-label="Log" onScroll={scrolled}>
			<div class="lines" style={{ height: `${n * lineHeight}px` }}>
				{rows}
			</div>
		</div>
	);
}

function useFind(log: Log, marked: number) {
	const [words, setWords] = useState("");
	const [missed, setMissed] = useState(false);
	const field = useRef<HTMLInputElement>(null);
	const next = useCallback(
		(event: SubmitEvent) => {
			event.preventDefault();
			const line = log.text.find(words, marked + 1);
			setMissed(line === 0);
			if (line) go(`${location.pathname}#L${line}`, true);
		},
		[words, marked, log.text],
	);
	useEffect(() => {
		const focus = (event: KeyboardEvent) => {
			if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
			event.preventDefault();
			field.current?.focus();
		};
		window.addEventListener("keydown", focus);
		return () => window.removeEventListener("keydown", focus);
	}, []);
	return (
		<form class="find" role="search" onSubmit={next}>
			<label class="hidden" for="find">
				Find in the log
			</label>
			<input
				id="find"
				ref={field}
				type="search"
				placeholder="Find  /"
				value={words}
				aria-invalid={missed}
				onInput={(event) => {
					setWords(event.currentTarget.value);
					setMissed(false);
				}}
			/>
			<button type="submit">Next</button>
			{missed && <span role="status">not in this log</span>}
		</form>
	);
}

function title(job: Job): string {
	const against = job.comparison ? "what goes against the base" : null;
	if (job.kind === "build")
		return job.patch === 0 ? "Build of the base" : `Build of ${against ?? `patch ${job.patch}`}`;
	if (job.kind === "boot") {
		const what = job.side === "base" ? "the base" : (against ?? "the patches");
		return `Boot of ${what}, ${job.role === "pair" ? "pair" : "extra"} ${job.pair}`;
	}
	const kind = job.kind.charAt(0).toUpperCase() + job.kind.slice(1);
	return job.tree ? `${kind} ${job.tree}` : kind;
}

function About({ job }: { job: Job }) {
	return (
		<p class="sub">
			<span class="num">job {job.id}</span>
			{job.series && (
				<span>
					of <Link to={`/series/${job.series}`}>series {job.series}</Link>
				</span>
			)}
			{job.comparison && (
				<span>
					of <Link to={`/comparisons/${job.comparison}`}>comparison {job.comparison}</Link>
				</span>
			)}
			{job.machine && <span>on {job.machine}</span>}
			{job.clock && (
				<span>
					{job.clock} clock
					{job.part && `, part ${job.part}`}, seed {job.seed}
				</span>
			)}
			{!job.machine && job.host && <span>on {job.host}</span>}
			{job.attempt > 1 && <span>attempt {job.attempt}</span>}
			{job.seconds !== null && <span>{duration(job.seconds)}</span>}
			{job.started && !job.ended && <Elapsed since={job.started} />}
			{job.ended && <Ago at={job.ended} />}
			{job.commit && <code title={job.commit}>{job.commit.slice(0, 12)}</code>}
		</p>
	);
}

/** The line that the address names: #L12, or the first with the words of #find=. */
function useMarked(log: Log, hash: string): number {
	const find = hash.startsWith("find=") ? hash.slice(5) : "";
	useEffect(() => {
		if (!find || !log.loaded) return;
		const line = log.text.find(find);
		if (line) go(`${location.pathname}#L${line}`, true);
	}, [find, log.loaded, log.version]);
	const line = /^L(\d+)$/.exec(hash);
	return line ? Number(line[1]) : 0;
}

export function JobPage({ id }: { id: number }) {
	const { hash } = usePlace();
	const job = useResource<Job>(`/jobs/${id}`, (e) => e.type === "job" && e.data["job"] === id);
	const log = useLog(job.data);
	const marked = useMarked(log, hash);
	const find = useFind(log, marked);
	const j = job.data;
	const size = j?.log_size ?? 0;

	useLive(({ type, data }) => {
		if (type === "progress" && data["job"] === id)
			job.patch((old) => ({ ...old, log_size: Number(data["log_size"] ?? old.log_size) }));
	});
	useEffect(() => {
		document.title = `${j ? title(j) : `Job ${id}`} · Patchbay`;
	}, [j?.id]);
	return (
		<main class="page job" id="main">
			{job.error && <Trouble problem={job.error} retry={job.reload} />}
			{log.error && <Trouble problem={log.error} />}
			{j && (
				<div class="head">
					<div>
						<h1>
							{title(j)} <Chip word={j.status} />
						</h1>
						<About job={j} />
					</div>
					<div class="actions">
						{log.loaded && find}
						<a href={`/api/v1/jobs/${id}/log`}>Raw, {bytes(size)}</a>
					</div>
				</div>
			)}
			{j?.reason && <p class="notice">{j.reason}</p>}
			{size > mostBytes && (
				<p class="notice">This log is too long to show here. Open it raw, or download it.</p>
			)}
			{log.loaded && log.text.lines > 0 && <LogView log={log} marked={marked} />}
			{log.loaded && log.text.lines === 0 && !log.following && (
				<p class="empty">This job wrote no log.</p>
			)}
		</main>
	);
}
