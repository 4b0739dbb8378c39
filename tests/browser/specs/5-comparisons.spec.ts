// SPDX-License-Identifier: GPL-3.0-or-later
import { expect } from "@playwright/test";
import { api, comparisonId, test } from "./lab";

test.describe("comparisons of two commits", () => {
	test("have a list of their own", async ({ page }) => {
		await page.goto("/");
		await page.getByRole("link", { name: "Comparisons" }).click();
		await expect(page).toHaveURL(/\/comparisons$/);
		await expect(page.getByRole("heading", { level: 1 })).toHaveText("Comparisons");
		const row = page.getByRole("row").filter({ hasText: "unpin whole folios" });
		await expect(row).toContainText("improvement");
		await row.getByRole("link").click();
		await expect(page).toHaveURL(new RegExp(`/comparisons/${await comparisonId()}$`));
	});

	test("show both commits, and no patches", async ({ page }) => {
		await page.goto(`/comparisons/${await comparisonId()}`);
		await expect(page.getByRole("region", { name: "Verdict" })).toContainText("improvement");
		const grid = page.getByRole("region", { name: "Commits and checks" });
		await expect(grid.getByRole("columnheader")).toHaveText(["Commit", "Build", "Boot"]);
		await expect(grid.getByRole("row")).toHaveCount(3);
		await expect(grid.getByRole("row").nth(2)).toContainText("unpin whole folios");
		await expect(grid.getByRole("row").nth(2)).toContainText("5 boots");
		await grid.getByRole("row").nth(2).getByRole("link", { name: "Build" }).click();
		await expect(page.getByRole("heading", { level: 1 })).toContainText("goes against the base");
		await page.getByRole("link", { name: /^comparison \d+$/ }).click();
		await expect(page).toHaveURL(/\/comparisons\/\d+$/);
	});

	test("update themselves; one commit twice is no change", async ({ page }) => {
		await page.goto("/comparisons");
		await expect(page.getByText("live", { exact: true })).toBeVisible();
		const asked = await api<{ id: number }>("/comparisons", {
			method: "POST",
			headers: { "Content-Type": "application/json" },
			body: JSON.stringify({ tree: "small", base: "main", patched: "main", profile: "small" }),
		});
		const row = page.getByRole("row").filter({ hasText: `#${asked.id}` });
		await expect(row).toContainText("no-change");
		await expect(row).toContainText("the same commit");
	});
});
