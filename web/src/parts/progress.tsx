// SPDX-License-Identifier: GPL-3.0-or-later
import type { Progress, Tested } from "../api";

const words: Record<string, string> = {
	waiting: "waiting for its turn",
	parse: "reading the mail",
	apply: "applying",
	resolve: "looking the commits up",
	build: "building",
	boot: "booting",
};

function which(p: Progress, comparison: boolean): string {
	if (p.stage === "build" && p.patch === 0) return "the base";
	if (p.stage === "build" && comparison) return "what goes against it";
	if (p.stage === "build" && p.patch !== null) return `patch ${p.patch} of ${p.patches}`;
	if (p.stage === "boot" && p.boot !== null) return `${p.boot} of ${p.boots}`;
	return "";
}

/** What it is at; "" where it has ended. */
export function progressWords({ progress: p, patched_asked }: Tested): string {
	return p ? `${words[p.stage] ?? p.stage} ${which(p, patched_asked !== undefined)}`.trim() : "";
}

/** The same with the text of an event about its progress. */
export function withText(t: Tested, data: Record<string, unknown>): Tested {
	if (!t.progress) return t;
	return { ...t, progress: { ...t.progress, text: data["text"] as string | null } };
}

/** How far a run is, roughly: builds are the first part, boots the second. */
function share(p: Progress): number {
	const builds = p.patches + 1;
	if (p.stage === "build" && p.patch !== null) return 0.05 + (0.45 * p.patch) / builds;
	if (p.stage === "boot" && p.boot !== null && p.boots) return 0.5 + (0.5 * (p.boot - 1)) / p.boots;
	if (p.stage === "apply") return 0.03;
	return p.boots ? 0.5 : 0.01;
}

export function ProgressBar({ of }: { of: Tested }) {
	const percent = of.progress ? Math.round(share(of.progress) * 100) : 0;
	return (
		<span
			class="bar"
			role="progressbar"
			aria-label="Run"
			aria-valuenow={percent}
			aria-valuemin={0}
			aria-valuemax={100}
			aria-valuetext={progressWords(of)}
		>
			<span style={{ width: `${percent}%` }} />
		</span>
	);
}
