// SPDX-License-Identifier: GPL-3.0-or-later
// Every boot of a run, with what tells one from another.
import type { Boot, Report } from "../api";
import { duration, plural } from "../format";
import { Link } from "../router";
import { Columns } from "./columns";
import { Chip } from "./mark";

function Row({ boot }: { boot: Boot }) {
	return (
		<tr>
			<th scope="row">
				<Link to={`/jobs/${boot.job}`}>
					{boot.side}, {boot.role} {boot.pair}
				</Link>
			</th>
			<td>{boot.clock}</td>
			<td>{boot.part}</td>
			<td class="num">{boot.seed}</td>
			<td>
				{boot.machine}
				{boot.accel && ` (${boot.accel})`}
			</td>
			<td>
				<Chip word={boot.status} />
			</td>
			<td class="num">{boot.seconds > 0 && duration(boot.seconds)}</td>
		</tr>
	);
}

export function Boots({ report }: { report: Report }) {
	const all = [...report.boots, ...report.extra_boots];
	if (all.length === 0) return null;
	return (
		<details class="boots">
			<summary>Every boot: {plural(all.length, "boot")}</summary>
			<div class="scroll" role="region" aria-label="Boots" tabIndex={0}>
				<table>
					<Columns
						names={[
							"Boot",
							"Clock",
							"Part",
							"Seed",
							"Machine",
							"Status",
							"Time",
						]}
					/>
					<tbody>
						{all.map((b) => (
							<Row key={b.job} boot={b} />
						))}
					</tbody>
				</table>
			</div>
		</details>
	);
}
