// SPDX-License-Identifier: GPL-3.0-or-later
// Every page, in both colour schemes and at two widths: axe finds nothing, nothing sticks out.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page } from "@playwright/test";
import { api, comparisonId, seriesNamed, test, titles } from "./lab";

const axe = readFileSync(createRequire(__filename).resolve("axe-core/axe.min.js"), "utf8");

async function violations(page: Page): Promise<string[]> {
	await page.evaluate(axe);
	return page.evaluate(async () => {
		const runner = (globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> } }).axe;
		const result = await runner.run();
		return result.violations.map(
			(v) => `${v.id}: ${v.nodes.map((n) => `${n.html.slice(0, 120)} ${n.failureSummary ?? ""}`).join(" | ")}`,
		);
	});
}

async function pages(): Promise<string[]> {
	const ids = await Promise.all([titles.faster, titles.broken, titles.conflict].map(seriesNamed));
	const jobs = await api<{ items: { id: number; kind: string }[] }>(`/jobs?series=${ids[1]}`);
	const build = jobs.items.find((j) => j.kind === "build")!;
	const series = ids.map((id) => `/series/${id}`);
	const comparison = `/comparisons/${await comparisonId()}`;
	return ["/", "/comparisons", "/lab", ...series, comparison, `/jobs/${build.id}`];
}

test.describe("every page", () => {
	for (const scheme of ["light", "dark"] as const) {
		for (const width of [375, 1600]) {
			test(`${scheme}, ${width} px`, async ({ page }) => {
				await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
				await page.setViewportSize({ width, height: 900 });
				for (const path of await pages()) {
					await page.goto(path);
					await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
					await expect(page.locator("table, .cards, .log").first()).toBeVisible();
					expect(await violations(page), path).toEqual([]);
					const wide = await page.evaluate(() => document.documentElement.scrollWidth);
					expect(wide, `${path} sticks out`).toBeLessThanOrEqual(width);
				}
			});
		}
	}
});
