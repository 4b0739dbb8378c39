// SPDX-License-Identifier: GPL-3.0-or-later
import { useEffect, useState } from "preact/hooks";
import { get, Problem, signOut, whenSignedOut, type Session } from "./api";
import { startLive, stopLive, useLiveState } from "./live";
import { JobPage } from "./pages/job";
import { LabPage } from "./pages/lab";
import { ListPage } from "./pages/list";
import { SeriesPage } from "./pages/series";
import { SignInPage } from "./pages/signin";
import { SessionContext } from "./session";
import { Link, usePlace } from "./router";

function NotFound() {
	return (
		<main class="page narrow">
			<h1>There is nothing here</h1>
			<p>
				The address may be mistyped. All series are on the <Link to="/">first page</Link>.
			</p>
		</main>
	);
}

function Page({ path }: { path: string }) {
	const series = /^\/series\/(\d+)\/?$/.exec(path);
	const comparison = /^\/comparisons\/(\d+)\/?$/.exec(path);
	const job = /^\/jobs\/(\d+)\/?$/.exec(path);
	if (path === "/" || path === "/series") return <ListPage key="series" kind="series" />;
	if (path === "/comparisons") return <ListPage key="comparisons" kind="comparison" />;
	if (series) return <SeriesPage key={path} kind="series" id={Number(series[1])} />;
	if (comparison) return <SeriesPage key={path} kind="comparison" id={Number(comparison[1])} />;
	if (job) return <JobPage key={path} id={Number(job[1])} />;
	if (path === "/lab") return <LabPage />;
	return <NotFound />;
}

const liveWords = { live: "live", connecting: "connecting…", off: "paused" };

function Header({ path, session }: { path: string; session: Session }) {
	const live = useLiveState();
	const inLab = path === "/lab";
	const inComparisons = path.startsWith("/comparisons");
	const here = (is: boolean) => (is ? { "aria-current": "page" as const } : {});
	return (
		<header class="top">
			<Link to="/" class="brand" aria-label="Patchbay, all series">
				<svg viewBox="0 0 32 32" aria-hidden="true">
					<path class="cord-a" d="M9 9c0 9 14 5 14 14" />
					<path class="cord-b" d="M23 9c0 9-14 5-14 14" />
					<circle cx="9" cy="9" r="3.2" />
					<circle cx="23" cy="9" r="3.2" />
					<circle cx="23" cy="23" r="3.2" />
					<circle cx="9" cy="23" r="3.2" />
				</svg>
				Patchbay
			</Link>
			<nav aria-label="Pages">
				<Link to="/" {...here(!inLab && !inComparisons)}>
					Series
				</Link>
				<Link to="/comparisons" {...here(inComparisons)}>
					Comparisons
				</Link>
				<Link to="/lab" {...here(inLab)}>
					Lab
				</Link>
			</nav>
			<span class={`live ${live}`} title="Whether this page updates itself">
				{liveWords[live]}
			</span>
			{session.cookie && (
				<button type="button" class="quiet" onClick={() => void signOut()}>
					Sign out
				</button>
			)}
		</header>
	);
}

type Who = { state: "asking" } | { state: "out" } | { state: "in"; session: Session } | Problem;

export function App() {
	const place = usePlace();
	const [who, setWho] = useState<Who>({ state: "asking" });

	const ask = () => {
		get<Session>("/session").then(
			(session) => setWho({ state: "in", session }),
			(e: unknown) => {
				if (e instanceof Problem && e.status !== 401) setWho(e);
				else setWho({ state: "out" });
			},
		);
	};
	useEffect(() => {
		whenSignedOut(() => setWho({ state: "out" }));
		ask();
	}, []);
	const signedIn = !(who instanceof Problem) && who.state === "in";
	useEffect(() => {
		if (signedIn) startLive();
		else stopLive();
	}, [signedIn]);

	if (who instanceof Problem) {
		return (
			<main class="page narrow">
				<h1>The lab does not answer</h1>
				<p role="alert">{who.detail}</p>
				<button type="button" onClick={ask}>
					Try again
				</button>
			</main>
		);
	}
	if (who.state === "asking") return null;
	if (who.state === "out") return <SignInPage usedLink={place.hash === "link-used"} onDone={ask} />;
	return (
		<SessionContext.Provider value={who.session}>
			<a class="skip" href="#main">
				Skip to the content
			</a>
			<Header path={place.path} session={who.session} />
			<Page path={place.path} />
		</SessionContext.Provider>
	);
}
