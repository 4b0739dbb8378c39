// SPDX-License-Identifier: GPL-3.0-or-later
// Paths to pages with the History API.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

const moved = new Set<() => void>();

function announce(): void {
	for (const fn of moved) fn();
}

window.addEventListener("popstate", announce);

export function go(to: string, replace = false): void {
	if (replace) history.replaceState(null, "", to);
	else history.pushState(null, "", to);
	announce();
	if (!replace && !to.includes("#")) window.scrollTo(0, 0);
}

export interface Place {
	path: string;
	query: URLSearchParams;
	hash: string;
}

function here(): Place {
	return {
		path: location.pathname,
		query: new URLSearchParams(location.search),
		hash: decodeURIComponent(location.hash.slice(1)),
	};
}

export function usePlace(): Place {
	const [place, set] = useState(here);
	useEffect(() => {
		const update = () => set(here());
		moved.add(update);
		window.addEventListener("hashchange", update);
		return () => {
			moved.delete(update);
			window.removeEventListener("hashchange", update);
		};
	}, []);
	return place;
}

interface LinkProps {
	to: string;
	class?: string;
	"aria-label"?: string;
	"aria-current"?: "page";
	children?: ComponentChildren;
}

/** A link within the dashboard; with a modifier key it is the browser's as ever. */
export function Link({ to, children, ...rest }: LinkProps) {
	const follow = (event: MouseEvent) => {
		if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
			return;
		// Within the page the browser knows where to scroll.
		if (to.startsWith("#")) return;
		event.preventDefault();
		go(to);
	};
	return (
		<a {...rest} href={to} onClick={follow}>
			{children}
		</a>
	);
}
