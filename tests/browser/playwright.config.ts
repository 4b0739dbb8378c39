// SPDX-License-Identifier: GPL-3.0-or-later
import { defineConfig } from "@playwright/test";

export default defineConfig({
	testDir: "specs",
	workers: 1,
	timeout: 300_000,
	expect: { timeout: 60_000 },
	reporter: "./reporter.ts",
	outputDir: process.env.PATCHBAY_BROWSER_OUT ?? "results",
	use: {
		baseURL: process.env.PATCHBAY_URL,
		viewport: { width: 1280, height: 900 },
		screenshot: "only-on-failure",
		launchOptions: {
			executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
			args: [
				"--no-sandbox",
				"--disable-gpu",
				"--disable-quic",
				"--no-first-run",
				"--disable-background-networking",
				"--disable-component-update",
				"--disable-sync",
			],
		},
	},
});
