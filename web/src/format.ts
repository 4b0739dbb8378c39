// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and times for people.

export function duration(seconds: number): string {
	if (seconds < 10 && !Number.isInteger(seconds)) return `${seconds.toFixed(1)} s`;
	const s = Math.round(seconds);
	if (s < 60) return `${s} s`;
	if (s < 3600) return `${Math.floor(s / 60)} min ${String(s % 60).padStart(2, "0")} s`;
	return `${Math.floor(s / 3600)} h ${String(Math.floor((s % 3600) / 60)).padStart(2, "0")} min`;
}

export function ago(iso: string, now: number): string {
	const s = Math.max(0, (now - Date.parse(iso)) / 1000);
	if (s < 60) return "just now";
	if (s < 3600) return `${Math.floor(s / 60)} min ago`;
	if (s < 86400) return `${Math.floor(s / 3600)} h ago`;
	if (s < 14 * 86400) return `${Math.floor(s / 86400)} d ago`;
	return iso.slice(0, 10);
}

export function clockTime(iso: string): string {
	return new Date(iso).toLocaleString(undefined, {
		dateStyle: "medium",
		timeStyle: "medium",
	});
}

export function shortCommit(commit: string | null): string {
	return commit ? commit.slice(0, 12) : "–";
}

export function bytes(n: number): string {
	if (n < 1024) return `${n} B`;
	if (n < 1024 * 1024) return `${(n / 1024).toFixed(0)} KiB`;
	return `${(n / 1024 / 1024).toFixed(1)} MiB`;
}

/** Four significant digits at most, no exponent in the range that occurs. */
function digits(n: number): string {
	const abs = Math.abs(n);
	if (abs >= 100) return n.toFixed(0);
	if (abs >= 10) return n.toFixed(1);
	return n.toFixed(2);
}

/** The unit that suits all of some values of one metric. */
export function unitFor(metric: string, values: number[]): { name: string; scale: number } {
	if (!metric.endsWith("_seconds")) return { name: "", scale: 1 };
	const most = Math.max(...values.map(Math.abs), 0);
	if (most >= 1) return { name: "s", scale: 1 };
	if (most >= 1e-3) return { name: "ms", scale: 1e3 };
	return { name: "µs", scale: 1e6 };
}

export function value(n: number | null, unit: { name: string; scale: number }): string {
	if (n === null || !Number.isFinite(n)) return "–";
	if (unit.name === "" && (Number.isInteger(n) || Math.abs(n) >= 1000))
		return Math.round(n).toLocaleString("en");
	return unit.name ? `${digits(n * unit.scale)} ${unit.name}` : digits(n);
}

/** GB/s as the field says it: 2^30 bytes. null where the metric is no transfer. */
export function throughput(
	metric: string,
	params: Record<string, unknown> | null,
	seconds: number | null,
): string | null {
	const mib = params?.["size_mib"];
	if (!/^dma-map.*_seconds$/.test(metric) || typeof mib !== "number" || !seconds) return null;
	return `${digits(mib / 1024 / seconds)} GB/s`;
}

export function percent(fraction: number | null): string {
	if (fraction === null || !Number.isFinite(fraction)) return "–";
	const p = fraction * 100;
	const text = Math.abs(p) >= 10 ? p.toFixed(0) : p.toFixed(1);
	return `${p > 0 ? "+" : p < 0 ? "−" : ""}${text.replace("-", "")} %`;
}

/** The metric without its unit: what both clocks say the same of. */
export function stem(metric: string): string {
	return metric.replace(/_(seconds|instructions)$/, "");
}

export function benchmark(metric: string): string {
	return metric.split(".", 1)[0] ?? metric;
}

export function plural(n: number, one: string, many = `${one}s`): string {
	return `${n} ${n === 1 ? one : many}`;
}
