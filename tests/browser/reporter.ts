// SPDX-License-Identifier: GPL-3.0-or-later
// One line a test, as the other test programs print it.
import type { Reporter, TestCase, TestResult } from "@playwright/test/reporter";

export default class Lines implements Reporter {
	onTestEnd(test: TestCase, result: TestResult): void {
		const good = result.status === "passed" || result.status === "skipped";
		const word = result.status === "skipped" ? "skipped" : good ? "ok" : "not ok";
		console.log(`${word} ${test.parent.title}: ${test.title}`);
		for (const error of good ? [] : result.errors)
			console.log((error.stack ?? error.message ?? "").replace(/^/gm, "    "));
	}
}
