// SPDX-License-Identifier: GPL-3.0-or-later
import { expect, test } from "@playwright/test";
import { api, token, url } from "./lab";

test.describe("signing in", () => {
	test("a token signs in, and out again", async ({ page }) => {
		await page.goto("/series/2");
		await expect(page.getByLabel("Token")).toBeVisible();
		await page.getByLabel("Token").fill("wrong");
		await page.getByRole("button", { name: "Sign in" }).click();
		await expect(page.getByRole("alert")).toContainText("does not know that token");
		await page.getByLabel("Token").fill(token);
		await page.getByRole("button", { name: "Sign in" }).click();
		await expect(page.getByRole("region", { name: "Verdict" })).toBeVisible();
		await page.getByRole("button", { name: "Sign out" }).click();
		await expect(page.getByLabel("Token")).toBeVisible();
		await page.reload();
		await expect(page.getByLabel("Token")).toBeVisible();
	});

	test("a link signs in once, and leaves nothing in the address", async ({ page, browser }) => {
		const link = await api<{ url: string }>("/session/link", { method: "POST" });
		await page.goto(link.url);
		await expect(page.getByRole("heading", { name: "Series" })).toBeVisible();
		expect(page.url()).toBe(`${url}/`);
		const other = await (await browser.newContext()).newPage();
		await other.goto(link.url);
		await expect(other.getByText("That link has been used")).toBeVisible();
		await other.close();
	});
});
