// SPDX-License-Identifier: GPL-3.0-or-later
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "./api";

export const SessionContext = createContext<Session | null>(null);

/** Whether to offer what changes something. */
export function useMaySubmit(): boolean {
	const session = useContext(SessionContext);
	return session !== null && session.scope !== "read";
}

export function useMayApprove(): boolean {
	return useContext(SessionContext)?.scope === "admin";
}
