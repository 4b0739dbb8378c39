// SPDX-License-Identifier: GPL-3.0-or-later
import { expect } from "@playwright/test";
import { submit, test, titles } from "./lab";

test.describe("the list", () => {
	test("shows every series with its verdict and why", async ({ page }) => {
		await page.goto("/");
		const row = (title: string) => page.getByRole("row").filter({ hasText: title });
		await expect(row(titles.faster)).toContainText("pass");
		await expect(row(titles.faster)).toContainText("improvement");
		await expect(row(titles.slower)).toContainText("regression");
		await expect(row(titles.broken)).toContainText("fail");
		await expect(row(titles.broken)).toContainText("does not build");
		await expect(row(titles.warning)).toContainText("fail");
		await expect(row(titles.conflict)).toContainText("does not apply");
		await expect(row("no patches in it")).toContainText("held");
	});

	test("is narrowed down by verdict", async ({ page }) => {
		await page.goto("/");
		await page.getByRole("button", { name: "Held" }).click();
		await expect(page.getByRole("row")).toHaveCount(2);
		await expect(page).toHaveURL(/verdict=held/);
		await page.getByRole("button", { name: "All" }).click();
		await expect(page.getByRole("row").filter({ hasText: titles.faster })).toBeVisible();
	});

	test("is walked through with the keyboard", async ({ page }) => {
		await page.goto("/");
		await expect(page.locator(".row-link").first()).toBeVisible();
		await page.keyboard.press("j");
		await page.keyboard.press("j");
		await expect(page.locator(".row-link").nth(1)).toBeFocused();
		await page.keyboard.press("k");
		await expect(page.locator(".row-link").first()).toBeFocused();
		await page.keyboard.press("Enter");
		await expect(page).toHaveURL(/\/series\/\d+$/);
	});

	test("updates itself while a series runs", async ({ page }) => {
		await page.goto("/");
		await expect(page.getByText("live", { exact: true })).toBeVisible();
		const series = await submit("later", "until=apply");
		const row = page.getByRole("row").filter({ hasText: `#${series.id}` });
		await expect(row).toContainText(titles.later);
		await expect(row).toContainText("pass");
	});
});
