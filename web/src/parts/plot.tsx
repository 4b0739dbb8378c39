// SPDX-License-Identifier: GPL-3.0-or-later
// Values in the order of pairs: whether the machine drifted while it measured.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Comparison } from "../api";

function colour(name: string): string {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

interface Unit {
	name: string;
	scale: number;
}

function options(c: Comparison, unit: Unit, width: number): uPlot.Options {
	const ink = colour("--ink-2");
	const grid = { stroke: colour("--line"), width: 1 };
	const axis = { stroke: ink, grid, ticks: grid, font: "12px system-ui, sans-serif" };
	const points = (stroke: string, fill: string) => ({ show: true, size: 8, stroke, fill, width: 2 });
	return {
		width,
		height: 200,
		legend: { show: false },
		cursor: { drag: { x: false, y: false } },
		scales: { x: { time: false }, y: { range: (_u, min, max) => padded(min, max) } },
		axes: [
			{ ...axis, label: c.clock === "wall" ? "pair" : "seed", labelSize: 20, incrs: [1, 2, 5, 10] },
			{ ...axis, size: 64, values: (_u, ticks) => ticks.map((t) => `${Number(t.toPrecision(6))} ${unit.name}`) },
		],
		series: [
			{},
			{
				label: "base",
				stroke: colour("--base"),
				width: 1,
				points: points(colour("--base"), colour("--panel")),
			},
			{
				label: "patched",
				stroke: colour("--patched"),
				width: 1,
				points: points(colour("--patched"), colour("--patched")),
			},
		],
	};
}

function padded(min: number, max: number): [number, number] {
	const room = (max - min || Math.abs(max) || 1) * 0.12;
	return [min - room, max + room];
}

function dataOf(c: Comparison, unit: Unit): uPlot.AlignedData {
	const n = Math.max(c.base.samples.length, c.patched.samples.length);
	const side = (samples: number[]) =>
		Array.from({ length: n }, (_, i) => {
			const v = samples[i];
			return v === undefined ? null : v * unit.scale;
		});
	return [Array.from({ length: n }, (_, i) => i + 1), side(c.base.samples), side(c.patched.samples)];
}

export function PairPlot({ comparison, unit }: { comparison: Comparison; unit: Unit }) {
	const place = useRef<HTMLDivElement>(null);
	useEffect(() => {
		const box = place.current;
		if (!box) return;
		let plot: uPlot | null = null;
		const draw = () => {
			plot?.destroy();
			plot = new uPlot(options(comparison, unit, box.clientWidth), dataOf(comparison, unit), box);
		};
		const resized = new ResizeObserver(() => {
			if (plot && plot.width !== box.clientWidth)
				plot.setSize({ width: box.clientWidth, height: plot.height });
		});
		const dark = matchMedia("(prefers-color-scheme: dark)");
		draw();
		resized.observe(box);
		dark.addEventListener("change", draw);
		return () => {
			dark.removeEventListener("change", draw);
			resized.disconnect();
			plot?.destroy();
		};
	}, [comparison, unit.name]);
	return (
		<div
			class="plot"
			ref={place}
			role="img"
			aria-label={`${comparison.metric} of each boot, in the order of pairs`}
		/>
	);
}
