// SPDX-License-Identifier: GPL-3.0-or-later
import { expect, type Page } from "@playwright/test";
import { api, seriesNamed, submit, test, text, titles } from "./lab";

async function open(page: Page, title: string | null): Promise<number> {
	const id = await seriesNamed(title);
	await page.goto(`/series/${id}`);
	await expect(page.getByRole("region", { name: "Verdict" })).toBeVisible();
	return id;
}

const cell = (page: Page, row: string, column: number) =>
	page.locator(".grid").getByRole("row").filter({ hasText: row }).locator("td").nth(column);

async function expectMarked(page: Page, words: string | RegExp) {
	await expect(page).toHaveURL(/\/jobs\/\d+#L\d+$/);
	const marked = page.locator(".line.marked");
	await expect(marked).toContainText(words);
	await expect(marked).toBeInViewport();
}

test.describe("the page of a series", () => {
	test("has patches by checks", async ({ page }) => {
		await open(page, titles.faster);
		await expect(page.getByRole("region", { name: "Verdict" })).toContainText("pass");
		await expect(page.getByRole("region", { name: "Verdict" })).toContainText("improvement");
		for (const column of [0, 1]) {
			await expect(cell(page, titles.faster, column)).toHaveClass(/pass/);
			await expect(cell(page, "unpin whole folios", column)).toHaveClass(/pass/);
		}
		await expect(cell(page, "unpin whole folios", 2)).toContainText("5 boots");
		await expect(cell(page, "base", 2)).toContainText("5 boots");
	});

	test("a red build leads to the failing line of its log", async ({ page }) => {
		await open(page, titles.broken);
		const red = cell(page, titles.broken, 1);
		await expect(red).toHaveClass(/fail/);
		await red.getByRole("link").focus();
		await page.keyboard.press("Enter");
		await expectMarked(page, "undefined reference to");
	});

	test("a red boot leads to the failing line of its console", async ({ page }) => {
		await open(page, titles.warning);
		const red = cell(page, titles.warning, 2);
		await expect(red).toHaveClass(/fail/);
		await red.getByRole("link").click();
		await expectMarked(page, "WARNING: CPU: 0");
	});

	test("a finding is shown with what was said around it", async ({ page }) => {
		await open(page, titles.broken);
		const finding = page.locator(".finding").filter({ hasText: "implicit declaration" });
		await expect(finding).toContainText("drivers/vfio/unpin.c:");
		await expect(finding.locator("pre")).toContainText("unpin_pages(mib)");
		await finding.getByRole("link", { name: "in the log" }).click();
		await expectMarked(page, "implicit declaration");
	});

	test("a conflict shows both sides", async ({ page }) => {
		await open(page, titles.conflict);
		await cell(page, titles.conflict, 0).getByRole("link").click();
		const conflict = page.locator(".conflict");
		await expect(conflict).toBeInViewport();
		await expect(conflict).toContainText("drivers/vfio/unpin.c, hunk 1");
		const [expected, found] = [conflict.locator(".side").nth(0), conflict.locator(".side").nth(1)];
		await expect(expected.locator(".differs")).toContainText("its own noise");
		await expect(found.locator(".differs")).toContainText("never quite the same");
	});

	test("what is held says why", async ({ page }) => {
		await open(page, null);
		await expect(page.getByRole("region", { name: "Verdict" })).toContainText("held");
		await expect(page.getByRole("region", { name: "Verdict" })).toContainText("not an mbox");
	});

	test("comparisons have a dot for every boot", async ({ page }) => {
		const id = await open(page, titles.faster);
		const report = await api<{ comparisons: { metric: string; base: { n: number }; patched: { n: number } }[] }>(
			`/series/${id}/report`,
		);
		const metric = "dma-map.hugetlbfs.unmap_seconds";
		const c = report.comparisons.find((x) => x.metric === metric)!;
		const row = page.locator(".comparisons").getByRole("row").filter({ hasText: metric });
		expect(c.base.n).toBeGreaterThanOrEqual(5);
		await expect(row.locator(".dot.base")).toHaveCount(c.base.n);
		await expect(row.locator(".dot.patched")).toHaveCount(c.patched.n);
		await expect(row).toContainText("improvement");
		await row.getByRole("button").click();
		await expect(page.locator(".plot canvas")).toBeVisible();
		// Dots lie on each other; the last one is on top.
		await row.locator(".dot.patched").last().click();
		await expect(page).toHaveURL(/\/jobs\/\d+$/);
		await expect(page.getByRole("heading")).toContainText("Boot of the patches");
		await expect(page.getByRole("region", { name: "Log" })).toContainText("Linux version");
	});

	test("every boot is listed, each a way to its console", async ({ page }) => {
		const id = await open(page, titles.faster);
		const report = await api<{ boots: { job: number }[]; extra_boots: unknown[] }>(
			`/series/${id}/report`,
		);
		const boots = page.getByRole("region", { name: "Boots", exact: true });
		await expect(boots).toBeHidden();
		await page.getByText("Every boot:").click();
		await expect(boots).toBeVisible();
		await expect(boots.getByRole("row")).toHaveCount(
			1 + report.boots.length + report.extra_boots.length,
		);
		await boots.getByRole("link").first().click();
		await expect(page).toHaveURL(new RegExp(`/jobs/${report.boots[0]!.job}$`));
		await expect(page.getByRole("heading", { level: 1 })).toContainText("Boot of");
	});

	test("the report comes as text, mail, JUnit and JSON", async ({ page }) => {
		const id = await open(page, titles.slower);
		for (const name of ["Report", "Mail", "JUnit", "JSON"])
			await expect(page.locator(".actions").getByRole("link", { name, exact: true })).toBeVisible();
		const mail = await text(`/series/${id}/report?format=mail`);
		expect(mail).toMatch(/^Subject: \[small\] /);
		expect(mail).toMatch(/%stddev +%change +%stddev/);
		const junit = await text(`/series/${id}/report?format=junit`);
		expect(junit).toContain('<testsuite name="comparisons"');
	});

	test("follows a run to its verdict", async ({ page }) => {
		const series = await submit("later", "until=build&no_inherit=1");
		await page.goto(`/series/${series.id}`);
		await expect(page.getByRole("region", { name: "Verdict" })).toContainText("pass");
		await page.getByRole("button", { name: "Run again" }).click();
		await expect(page.getByRole("progressbar")).toBeVisible();
		await expect(page.getByRole("region", { name: "Verdict" })).toContainText("pass");
		await expect(page.getByText("run 2")).toBeVisible();
	});

	// After all that sends version 1: an older version gives way to a newer one.
	test("what a new version changes is shown", async ({ page }) => {
		await submit("later", "until=apply");
		const newer = await submit("later2", "until=apply");
		await page.goto(`/series/${newer.id}`);
		await expect(page.getByRole("region", { name: "Verdict" })).toContainText("pass");
		const previous = page.getByRole("region", { name: "Since version 1" });
		await expect(previous).toBeVisible();
		await expect(previous.locator("pre").first()).toBeHidden();
		await previous.locator("summary").first().click();
		await expect(previous.locator("pre").first()).toContainText("every page");
	});

	test("what is not there is said", async ({ page }) => {
		page.removeAllListeners("console");
		await page.goto("/series/999999");
		await expect(page.getByRole("alert").first()).toContainText("There is no series 999999");
		await page.goto("/nowhere");
		await expect(page.getByRole("heading")).toContainText("There is nothing here");
	});
});

test.describe("a log", () => {
	test("is searched", async ({ page }) => {
		const id = await seriesNamed(titles.faster);
		const jobs = await api<{ items: { id: number; kind: string }[] }>(`/jobs?series=${id}`);
		const boot = jobs.items.find((j) => j.kind === "boot")!;
		await page.goto(`/jobs/${boot.id}`);
		await expect(page.getByRole("region", { name: "Log" })).toContainText("Linux version");
		await page.keyboard.press("/");
		await page.keyboard.type("power down");
		await page.keyboard.press("Enter");
		await expectMarked(page, "reboot: Power down");
		await page.getByRole("searchbox").fill("nowhere to be found");
		await page.keyboard.press("Enter");
		await expect(page.getByRole("status")).toContainText("not in this log");
	});
});
