// SPDX-License-Identifier: GPL-3.0-or-later
/** The head of a table. */
export function Columns({ names }: { names: string[] }) {
	return (
		<thead>
			<tr>
				{names.map((name) => (
					<th key={name} scope="col">
						{name}
					</th>
				))}
			</tr>
		</thead>
	);
}
