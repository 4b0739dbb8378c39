// SPDX-License-Identifier: GPL-3.0-or-later
// The lab that ../run has filled, and how a test gets into its dashboard.
import { readFileSync } from "node:fs";
import { test as base, type Page } from "@playwright/test";

function env(name: string): string {
	const value = process.env[name];
	if (!value) throw new Error(`${name} is not set: start these tests with tests/browser/run`);
	return value;
}

export const url = env("PATCHBAY_URL");
export const token = env("PATCHBAY_TOKEN");
const mail = env("PATCHBAY_MAIL");

interface Item {
	id: number;
	title: string | null;
	verdict: string | null;
}

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
	const response = await fetch(`${url}/api/v1${path}`, {
		...init,
		headers: { Authorization: `Bearer ${token}`, ...init.headers },
	});
	if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
	return response;
}

export async function api<T>(path: string, init: RequestInit = {}): Promise<T> {
	return (await (await ask(path, init)).json()) as T;
}

export async function text(path: string): Promise<string> {
	return (await ask(path)).text();
}

/** Submit one of the mailboxes of ../fill.sh. */
export function submit(name: string, query: string): Promise<Item> {
	return api<Item>(`/series?tree=small&profile=small&${query}`, {
		method: "POST",
		headers: { "Content-Type": "application/mbox" },
		body: readFileSync(`${mail}/${name}.mbox`),
	});
}

/** The id of the series with that title. */
export async function seriesNamed(title: string | null): Promise<number> {
	const list = await api<{ items: Item[] }>("/series?limit=500");
	const found = list.items.find((s) => s.title === title);
	if (!found) throw new Error(`no series "${title}" in the lab`);
	return found.id;
}

/** The id of the comparison that ../fill.sh made. */
export async function comparisonId(): Promise<number> {
	const list = await api<{ items: Item[] }>("/comparisons?limit=500");
	const found = list.items.at(-1);
	if (!found) throw new Error("no comparison in the lab");
	return found.id;
}

export const titles = {
	faster: "vfio/type1: name the number of pages in a folio",
	slower: "vfio/type1: mark pages accessed when they are unpinned",
	broken: "vfio/type1: unpin by pages",
	warning: "vfio/type1: warn about large unpins",
	conflict: "vfio/type1: allow for more noise",
	later: "vfio/type1: say what is unpinned",
};

/** A page of a browser that is signed in; what it logs as an error fails the test. */
export const test = base.extend<{ page: Page }>({
	page: async ({ page, context }, use) => {
		const response = await fetch(`${url}/api/v1/session`, {
			method: "POST",
			headers: { Authorization: `Bearer ${token}` },
		});
		const [name, value] = (response.headers.get("set-cookie") ?? "").split(";")[0]!.split("=");
		await context.addCookies([{ name: name!, value: value!, url }]);
		const errors: string[] = [];
		page.on("pageerror", (e) => errors.push(e.message));
		page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
		await use(page);
		if (errors.length > 0) throw new Error(`the page logged: ${errors.join("; ")}`);
	},
});
