// SPDX-License-Identifier: GPL-3.0-or-later
// The lab's HTTP interface (schemas/openapi.yaml), as far as the dashboard uses it.

export type Status = "queued" | "running" | "pass" | "fail" | "error" | "skip" | "cancelled";

export interface Progress {
	stage: string;
	patch: number | null;
	patches: number;
	boot: number | null;
	boots: number | null;
	text: string | null;
	job: number | null;
	job_started: string | null;
}

export interface Job {
	id: number;
	kind: string;
	status: Status;
	reason: string | null;
	series: number | null;
	comparison: number | null;
	tree: string | null;
	host: string | null;
	machine: string | null;
	attempt: number;
	queued: string;
	started: string | null;
	ended: string | null;
	seconds: number | null;
	patch: number | null;
	commit: string | null;
	side?: "base" | "patched";
	role?: string;
	clock?: string;
	part?: string | null;
	pair?: number;
	seed?: number;
	log_size?: number;
}

/** What is built, booted and judged: series, and comparisons of two commits. */
export type Kind = "series" | "comparison";

/** Where they are, in the API as in the dashboard. */
export const places: Record<Kind, string> = { series: "/series", comparison: "/comparisons" };

export interface Tested {
	id: number;
	title: string | null;
	state: string;
	verdict: string | null;
	performance: string | null;
	reason: string | null;
	reasons: string[] | null;
	held: string | null;
	input_at_fault: boolean;
	tree: string;
	base: string | null;
	base_asked: string | null;
	profile: string;
	run: number;
	created: string;
	run_created: string;
	finished: string | null;
	progress: Progress | null;
	jobs?: Job[];
	/** Of a series. */
	version?: number;
	patches?: number;
	message_id?: string | null;
	until?: string;
	/** It was found in that archive. */
	archive?: string | null;
	/** It has to be approved before anything of it is used. */
	waits?: boolean;
	/** Of a comparison. */
	patched?: string | null;
	patched_asked?: string;
}

export interface Finding {
	kind: string;
	file: string | null;
	line: number | null;
	function: string | null;
	message: string | null;
	option: string | null;
	signature: string | null;
	excerpt: string | null;
	new: boolean;
	confirmed: boolean;
	since_patch: number | null;
}

export interface Conflict {
	file: string;
	hunk: number;
	line: number;
	expected: string;
	found: string;
	why: string | null;
}

export interface Patch {
	n: number;
	subject: string | null;
	author: { name: string | null; email: string | null };
	commit: string | null;
	how: string | null;
	conflict: Conflict | null;
}

export interface Build {
	job: number;
	commit: string;
	patch: number;
	arch: string;
	compiler: string | null;
	status: Status;
	reason: string | null;
	seconds: number;
	config_sha256: string | null;
	image_sha256: string | null;
	code_sha256: string | null;
	same_code_as: string | null;
	findings: Finding[];
}

export interface Boot {
	job: number;
	patch: number;
	commit: string;
	side: "base" | "patched";
	machine: string | null;
	clock: string;
	/** What of a benchmark this boot does, where it takes several boots. */
	part: string | null;
	/** pair, extra or canary */
	role: string;
	pair: number;
	seed: number;
	started: string | null;
	boot_id: string | null;
	status: Status;
	reason: string | null;
	seconds: number;
	accel: string | null;
	cmdline: string | null;
	last_line: string | null;
	findings: Finding[];
}

export interface Summary {
	n: number;
	median: number | null;
	mean: number | null;
	stddev: number | null;
	samples: number[];
}

export interface Comparison {
	machine: string;
	clock: string;
	part: string | null;
	primary: boolean;
	better: string;
	metric: string;
	params: Record<string, unknown> | null;
	base: Summary;
	patched: Summary;
	change: number | null;
	interval: [number | null, number | null] | null;
	p: number | null;
	verdict: string;
}

/** What became of a patch since the version before. */
export interface Change {
	change: string;
	n: number | null;
	was: number | null;
	text: string;
	interdiff: string | null;
}

export interface Previous {
	id?: number;
	version: number;
	title: string;
	message_id: string | null;
	linked_by: string;
	partial: boolean;
	changes: Change[];
	rough: boolean;
}

export interface Trailer {
	name: string;
	value: string;
	/** 0: the whole series. */
	patch: number;
	reply: boolean;
	message_id: string | null;
	refused: string | null;
}

export interface Prerequisite {
	kind: string;
	value: string;
	found: string | null;
	series: number | null;
	commit: string | null;
}

export interface Report {
	comparison?: { patched: { asked: string; commit: string | null; subject: string | null } };
	state: string;
	verdict: string | null;
	performance: string | null;
	reasons: string[];
	base: {
		tree: string;
		commit: string | null;
		asked: string | null;
		chosen_by: string | null;
		why: string | null;
		candidates: { tree: string; commit: string | null; why: string }[];
		prerequisites: Prerequisite[];
		needs: { id: number; because: string | null; commits: string[] }[];
	};
	/** These three not of a comparison. */
	previous?: Previous | null;
	trailers?: Trailer[];
	apply?: { status: string | null; patches: Patch[] };
	builds: Build[];
	boots: Boot[];
	extra_boots: Boot[];
	comparisons: Comparison[];
	environment: { tools?: Record<string, string>; machines?: Record<string, unknown>[] } | null;
	timeline: { stage: string; seconds: number; lab_seconds: number }[];
}

export interface Tree {
	id: number;
	name: string;
	source: Record<string, string>;
	state: string;
	tip: string | null;
	version: string | null;
	reason: string | null;
	fetched: string | null;
	job: number | null;
}

export interface Host {
	id: number;
	name: string;
	address: string;
	port: number;
	user: string;
	facts: Record<string, unknown> | null;
	reason: string | null;
	drained: boolean;
	probed: string | null;
	job: number | null;
}

export interface Machine {
	id: number;
	name: string;
	host: string;
	kind: string;
	model: string;
	arch: string;
	tags: string[];
	memory_mib: number;
	cpus: number;
	drained: boolean;
}

/** A mailing-list archive that the lab follows. */
export interface Archive {
	id: number;
	name: string;
	address: string;
	tree: string | null;
	profile: string;
	every_seconds: number;
	mails: number;
	reason: string | null;
	job: number | null;
	visited: string | null;
}

export interface Session {
	scope: "read" | "submit" | "admin";
	cookie: boolean;
	version: string;
}

export interface Page<T> {
	items: T[];
	next: string | null;
}

/** What the server said no with: RFC 9457. */
export class Problem extends Error {
	constructor(
		readonly status: number,
		readonly detail: string,
	) {
		super(detail);
	}
}

const api = "/api/v1";

let onSignedOut: () => void = () => {};

/** Called when the server no longer knows who we are. */
export function whenSignedOut(fn: () => void): void {
	onSignedOut = fn;
}

async function problemOf(response: Response): Promise<Problem> {
	let detail = `${response.status} ${response.statusText}`;
	try {
		const body = (await response.json()) as { detail?: string };
		if (body.detail) detail = body.detail;
	} catch {
		// Not ours: a proxy in between, say.
	}
	return new Problem(response.status, detail);
}

export async function request(path: string, init: RequestInit = {}): Promise<Response> {
	let response: Response;
	try {
		response = await fetch(api + path, { ...init, credentials: "same-origin" });
	} catch (e) {
		if (e instanceof DOMException && e.name === "AbortError") throw e;
		throw new Problem(0, "The lab does not answer. Is patchbayd running?");
	}
	if (response.ok) return response;
	const problem = await problemOf(response);
	if (problem.status === 401 && !init.headers) onSignedOut();
	throw problem;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
	const response = await request(path, signal ? { signal } : {});
	return (await response.json()) as T;
}

export async function post<T>(path: string): Promise<T> {
	const response = await request(path, { method: "POST" });
	return (await response.json()) as T;
}

export async function signIn(token: string): Promise<void> {
	await request("/session", {
		method: "POST",
		headers: { Authorization: `Bearer ${token.trim()}` },
	});
}

export async function signOut(): Promise<void> {
	await request("/session", { method: "DELETE" });
	onSignedOut();
}
