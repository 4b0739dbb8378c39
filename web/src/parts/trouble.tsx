// SPDX-License-Identifier: GPL-3.0-or-later
import type { Problem } from "../api";

export function Trouble({ problem, retry }: { problem: Problem; retry?: () => void }) {
	return (
		<div class="trouble" role="alert">
			<p>{problem.detail}</p>
			{retry && (
				<button type="button" onClick={retry}>
					Try again
				</button>
			)}
		</div>
	);
}
