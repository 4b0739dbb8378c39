-- SPDX-License-Identifier: GPL-3.0-or-later
-- How the base of a series is chosen, and what its mails say that it stands on.

-- Series for which no tree was asked for: series.tree stands in until apply has chosen one.
CREATE TABLE any_tree (
	series_id INTEGER PRIMARY KEY REFERENCES series (id)
) STRICT;

CREATE TABLE base (
	series_id INTEGER NOT NULL,
	run INTEGER NOT NULL,
	why TEXT, -- one sentence
	candidates TEXT NOT NULL CHECK (json_type(candidates) = 'array'), -- those passed over
	PRIMARY KEY (series_id, run),
	FOREIGN KEY (series_id, run) REFERENCES run (series_id, n)
) STRICT, WITHOUT ROWID;

-- The names under which others may say that they need a series.
CREATE TABLE known (
	kind TEXT NOT NULL CHECK (kind IN ('patch-id', 'message-id', 'change-id', 'text')),
	value TEXT NOT NULL,
	series_id INTEGER NOT NULL REFERENCES series (id),
	PRIMARY KEY (kind, value, series_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX known_series ON known (series_id);

CREATE TABLE prerequisite (
	series_id INTEGER NOT NULL,
	run INTEGER NOT NULL,
	n INTEGER NOT NULL CHECK (n > 0), -- the order they are named in
	kind TEXT NOT NULL CHECK (kind IN ('patch-id', 'message-id', 'change-id', 'text')),
	value TEXT NOT NULL,
	found TEXT CHECK (found IN ('series', 'tree', 'needs')), -- NULL: not yet
	need_id INTEGER REFERENCES series (id), -- of a series
	commit_id TEXT, -- in the tree
	PRIMARY KEY (series_id, run, n),
	FOREIGN KEY (series_id, run) REFERENCES run (series_id, n),
	CHECK ((found IS 'series') = (need_id IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX prerequisite_missing ON prerequisite (kind, value) WHERE found IS NULL;

-- Why the lab added it; NULL where it was asked for.
ALTER TABLE need ADD COLUMN because TEXT;
