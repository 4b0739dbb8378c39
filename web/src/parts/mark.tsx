// SPDX-License-Identifier: GPL-3.0-or-later
// How a state looks: a shape, a colour and a word, so that none of them is needed alone.

export type Tone = "pass" | "fail" | "worse" | "lab" | "held" | "run" | "none";

const tones: Record<string, Tone> = {
	pass: "pass",
	improvement: "pass",
	fail: "fail",
	regression: "worse",
	mixed: "worse",
	error: "lab",
	held: "held",
	inconclusive: "held",
	running: "run",
};

export function toneOf(word: string | null): Tone {
	return (word && tones[word]) || "none";
}

const shapes: Record<Tone, string> = {
	pass: "M3.5 8.500 6.500 11.500 12.500 4.800",
	fail: "M4.500 4.500 11.500 11.500M11.500 4.500 4.500 11.500",
	worse: "M8 3.500V12M4.500 8.800 8 12.300 11.500 8.800",
	lab: "M8 3.500V9M8 11.800V12.200",
	held: "M5.800 4V12M10.200 4V12",
	run: "M8 2.800A5.200 5.200 0 1 1 2.800 8",
	none: "M4.500 8H11.500",
};

export function Mark({ tone }: { tone: Tone }) {
	return (
		<svg class={`mark ${tone}`} viewBox="0 0 16 16" aria-hidden="true">
			<path d={shapes[tone]} />
		</svg>
	);
}

export function Chip({ word, tone = toneOf(word) }: { word: string; tone?: Tone }) {
	return (
		<span class={`chip ${tone}`}>
			<Mark tone={tone} />
			{word}
		</span>
	);
}

/** What a series came to, or that it goes on. */
export function VerdictChip(props: { verdict: string | null; state: string }) {
	if (props.verdict) return <Chip word={props.verdict} />;
	if (props.state === "cancelled") return <Chip word="cancelled" />;
	return <Chip word={props.state} tone="run" />;
}
