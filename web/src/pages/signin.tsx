// SPDX-License-Identifier: GPL-3.0-or-later
import { useState } from "preact/hooks";
import { Problem, signIn } from "../api";
import { go } from "../router";

export function SignInPage({ usedLink, onDone }: { usedLink: boolean; onDone: () => void }) {
	const [token, setToken] = useState("");
	const [error, setError] = useState<string | null>(null);
	const [busy, setBusy] = useState(false);

	const submit = (event: SubmitEvent) => {
		event.preventDefault();
		setBusy(true);
		signIn(token).then(
			() => {
				if (usedLink) go("/", true);
				onDone();
			},
			(e: unknown) => {
				setBusy(false);
				setError(
					e instanceof Problem && e.status === 401
						? "This lab does not know that token, or it was revoked."
						: String(e instanceof Problem ? e.detail : e),
				);
			},
		);
	};
	return (
		<main class="page sign-in" id="main">
			<h1>Patchbay</h1>
			{usedLink && (
				<p class="notice">That link has been used, or is older than ten minutes.</p>
			)}
			<p>
				<code>patchbay up</code> prints a link that signs you in. Or paste a token of this lab.
			</p>
			<form onSubmit={submit}>
				<label for="token">Token</label>
				<input
					id="token"
					type="password"
					autocomplete="current-password"
					spellcheck={false}
					required
					value={token}
					aria-invalid={error !== null}
					aria-describedby={error ? "token-error" : undefined}
					onInput={(event) => setToken(event.currentTarget.value)}
				/>
				{error && (
					<p id="token-error" class="error" role="alert">
						{error}
					</p>
				)}
				<button type="submit" class="primary" disabled={busy}>
					Sign in
				</button>
			</form>
		</main>
	);
}
