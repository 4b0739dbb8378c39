// SPDX-License-Identifier: GPL-3.0-or-later
import type { Progress } from "../api";

const words: Record<string, string> = {
	waiting: "waiting for its turn",
	parse: "reading the mail",
	apply: "applying",
	resolve: "looking the commits up",
	build: "building",
	boot: "booting",
};

function which(p: Progress): string {
	if (p.stage === "build" && p.patch === 0) return "the base";
	if (p.stage === "build" && p.patch !== null) return `patch ${p.patch} of ${p.patches}`;
	if (p.stage === "boot" && p.boot !== null) return `${p.boot} of ${p.boots}`;
	return "";
}

export function progressWords(p: Progress): string {
	return `${words[p.stage] ?? p.stage} ${which(p)}`.trim();
}

/** How far a run is, roughly: builds are the first part, boots the second. */
function share(p: Progress): number {
	const builds = p.patches + 1;
	if (p.stage === "build" && p.patch !== null) return 0.05 + (0.45 * p.patch) / builds;
	if (p.stage === "boot" && p.boot !== null && p.boots) return 0.5 + (0.5 * (p.boot - 1)) / p.boots;
	if (p.stage === "apply") return 0.03;
	return p.boots ? 0.5 : 0.01;
}

export function ProgressBar({ progress }: { progress: Progress }) {
	const percent = Math.round(share(progress) * 100);
	return (
		<span
			class="bar"
			role="progressbar"
			aria-label="Run"
			aria-valuenow={percent}
			aria-valuemin={0}
			aria-valuemax={100}
			aria-valuetext={progressWords(progress)}
		>
			<span style={{ width: `${percent}%` }} />
		</span>
	);
}
