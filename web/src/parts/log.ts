// SPDX-License-Identifier: GPL-3.0-or-later
// A log as lines, without a string for each of them: where lines begin in one growing text.

export class LogText {
	private text = "";
	/** Where each line begins; the last entry is a line only if something follows it. */
	private starts: number[] = [0];

	clear(): void {
		this.text = "";
		this.starts = [0];
	}

	add(more: string): void {
		const at = this.text.length;
		this.text += more;
		for (let i = more.indexOf("\n"); i >= 0; i = more.indexOf("\n", i + 1)) {
			this.starts.push(at + i + 1);
		}
	}

	get lines(): number {
		const last = this.starts[this.starts.length - 1] ?? 0;
		return this.starts.length - (last === this.text.length ? 1 : 0);
	}

	/** Line n, from 1; what a carriage return wrote over is gone, as on a terminal. */
	line(n: number): string {
		const from = this.starts[n - 1];
		if (from === undefined) return "";
		const to = this.starts[n];
		const raw = this.text.slice(from, to === undefined ? undefined : to - 1).replace(/\r+$/, "");
		return strip(raw.slice(raw.lastIndexOf("\r") + 1));
	}

	/** The first line at or after `from` that has these words; 0 for none. Wraps around. */
	find(words: string, from = 1): number {
		if (!words) return 0;
		const needle = words.toLowerCase();
		const n = this.lines;
		for (let i = 0; i < n; i++) {
			const at = ((from - 1 + i) % n) + 1;
			if (this.line(at).toLowerCase().includes(needle)) return at;
		}
		return 0;
	}
}

/** Without the escape sequences that colour a terminal. */
function strip(line: string): string {
	return line.includes("\x1b") ? line.replace(/\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]/g, "") : line;
}

const failing =
	/\berror:|\bfatal error\b|: undefined reference to|^make(\[\d+\])?: \*\*\*|Kernel panic|\bBUG:|\bOops\b|Call Trace:|general protection fault|Attempted to kill init|INFO: task .* blocked|rcu: INFO/;
const warning = /\bwarning:|\bWARNING: |possible (circular|recursive) locking/;

export function lineTone(line: string): "fail" | "held" | null {
	if (failing.test(line)) return "fail";
	return warning.test(line) ? "held" : null;
}
