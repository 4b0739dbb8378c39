// SPDX-License-Identifier: GPL-3.0-or-later
import { defineConfig } from "vite";

// PATCHBAY_WEB_OUT: where the build goes; PATCHBAY_SERVER: the lab that `npm run dev` talks to.
export default defineConfig({
	build: {
		outDir: process.env.PATCHBAY_WEB_OUT ?? "../build/web/dist",
		emptyOutDir: true,
		target: "es2022",
		// The policy of the pages allows no data: scripts or styles, and a dashboard is small.
		assetsInlineLimit: 0,
		modulePreload: { polyfill: false },
		reportCompressedSize: false,
	},
	server: {
		proxy: { "/api": process.env.PATCHBAY_SERVER ?? "http://127.0.0.1:8400" },
	},
});
