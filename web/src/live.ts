// SPDX-License-Identifier: GPL-3.0-or-later
// One event stream for the whole page, and resources that load themselves anew when it says so.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { get, Problem } from "./api";

export interface LiveEvent {
	type: string;
	data: Record<string, unknown>;
}

export type LiveState = "off" | "connecting" | "live";

type Listener = (event: LiveEvent) => void;

const types = ["series", "comparison", "job", "progress", "tree", "host", "machine", "reset"];
const retryMs = 5000;
const listeners = new Set<Listener>();
const watchers = new Set<(state: LiveState) => void>();
let source: EventSource | null = null;
let state: LiveState = "off";
let retry: number | undefined;
let wanted = false;
let opened = false;

function setState(next: LiveState): void {
	state = next;
	for (const watch of watchers) watch(next);
}

function tell(event: LiveEvent): void {
	for (const listener of [...listeners]) listener(event);
}

function close(): void {
	clearTimeout(retry);
	source?.close();
	source = null;
	setState("off");
}

function open(): void {
	if (source || !wanted || document.hidden) return;
	setState("connecting");
	const stream = new EventSource("/api/v1/events");
	source = stream;
	stream.onopen = () => {
		setState("live");
		// What happened while there was no stream is unknown.
		if (opened) tell({ type: "reset", data: {} });
		opened = true;
	};
	stream.onerror = () => {
		setState("connecting");
		// After an answer that is no stream the browser does not come back by itself.
		if (stream.readyState !== EventSource.CLOSED) return;
		close();
		retry = window.setTimeout(open, retryMs);
	};
	for (const type of types) {
		stream.addEventListener(type, (message) => {
			tell({ type, data: JSON.parse((message as MessageEvent<string>).data) });
		});
	}
}

// Browsers allow six connections to one server: a page nobody sees must not hold one.
document.addEventListener("visibilitychange", () => {
	if (document.hidden) close();
	else open();
});

export function startLive(): void {
	wanted = true;
	open();
}

export function stopLive(): void {
	wanted = false;
	close();
}

export function useLive(listener: Listener): void {
	const latest = useRef(listener);
	latest.current = listener;
	useEffect(() => {
		const relay: Listener = (event) => latest.current(event);
		listeners.add(relay);
		return () => {
			listeners.delete(relay);
		};
	}, []);
}

export function useLiveState(): LiveState {
	const [now, set] = useState(state);
	useEffect(() => {
		watchers.add(set);
		set(state);
		return () => {
			watchers.delete(set);
		};
	}, []);
	return now;
}

export interface Resource<T> {
	data: T | null;
	error: Problem | null;
	reload: () => void;
	/** Change what is shown until the next load. */
	patch: (change: (data: T) => T) => void;
}

const settleMs = 200;

/** GET path, again on each event that concerns it, a burst of them at once. */
export function useResource<T>(
	path: string | null,
	concerns: (event: LiveEvent) => boolean = () => false,
): Resource<T> {
	const [data, setData] = useState<T | null>(null);
	const [error, setError] = useState<Problem | null>(null);
	const timer = useRef<number | undefined>(undefined);
	const running = useRef<AbortController | null>(null);

	const load = useCallback(() => {
		if (path === null) return;
		clearTimeout(timer.current);
		timer.current = undefined;
		running.current?.abort();
		const own = new AbortController();
		running.current = own;
		get<T>(path, own.signal).then(
			(fresh) => {
				setData(fresh);
				setError(null);
			},
			(e: unknown) => {
				if (own.signal.aborted) return;
				setError(e instanceof Problem ? e : new Problem(0, String(e)));
			},
		);
	}, [path]);

	useEffect(() => {
		setData(null);
		setError(null);
		load();
		return () => {
			clearTimeout(timer.current);
			running.current?.abort();
		};
	}, [load]);

	useLive((event) => {
		if (event.type !== "reset" && !concerns(event)) return;
		// Trailing, but not starved by a stream of events.
		timer.current ??= window.setTimeout(load, settleMs);
	});

	const patch = useCallback((change: (data: T) => T) => {
		setData((old) => (old === null ? old : change(old)));
	}, []);
	return { data, error, reload: load, patch };
}
