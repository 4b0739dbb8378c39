// SPDX-License-Identifier: GPL-3.0-or-later
import { useEffect, useState } from "preact/hooks";
import { ago, clockTime, duration } from "../format";

/** Now, ticking every period while it matters. */
function useNow(periodMs: number): number {
	const [now, set] = useState(Date.now);
	useEffect(() => {
		const timer = setInterval(() => set(Date.now()), periodMs);
		return () => clearInterval(timer);
	}, [periodMs]);
	return now;
}

export function Ago({ at }: { at: string }) {
	const now = useNow(30_000);
	return (
		<time dateTime={at} title={clockTime(at)}>
			{ago(at, now)}
		</time>
	);
}

export function Elapsed({ since }: { since: string }) {
	const now = useNow(1000);
	return <span class="num">{duration(Math.max(0, Math.floor((now - Date.parse(since)) / 1000)))}</span>;
}
