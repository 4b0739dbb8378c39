// SPDX-License-Identifier: GPL-3.0-or-later
// Every boot of a run, with what tells one from another.
import type { Boot, Report } from "../api";
import { duration, plural } from "../format";
import { Link } from "../router";
import { Chip } from "./mark";

function Row({ boot, extra }: { boot: Boot; extra: boolean }) {
	return (
		<tr>
			<th scope="row">
				<Link to={`/jobs/${boot.job}`}>
					{boot.side}, {boot.role ?? (extra ? "extra" : "pair")} {boot.pair}
				</Link>
			</th>
			<td>{boot.clock === "counted" ? "counted" : "wall"}</td>
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
					<thead>
						<tr>
							<th scope="col">Boot</th>
							<th scope="col">Clock</th>
							<th scope="col">Part</th>
							<th scope="col">Seed</th>
							<th scope="col">Machine</th>
							<th scope="col">Status</th>
							<th scope="col">Time</th>
						</tr>
					</thead>
					<tbody>
						{all.map((b, i) => (
							<Row key={b.job} boot={b} extra={i >= report.boots.length} />
						))}
					</tbody>
				</table>
			</div>
		</details>
	);
}
