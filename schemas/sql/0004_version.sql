-- SPDX-License-Identifier: GPL-3.0-or-later
-- Versions of one series: what tells that two are, and what is known of the one before.

CREATE TABLE version (
	series_id INTEGER NOT NULL,
	run INTEGER NOT NULL,
	sender TEXT NOT NULL,
	change_id TEXT,
	resend INTEGER NOT NULL CHECK (resend IN (0, 1)),
	previous_id INTEGER REFERENCES series (id), -- the version before, where it was sent here too
	previous TEXT CHECK (json_type(previous) = 'object'), -- it, and what became of its patches
	trailers TEXT NOT NULL CHECK (json_type(trailers) = 'array'),
	PRIMARY KEY (series_id, run),
	FOREIGN KEY (series_id, run) REFERENCES run (series_id, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX version_change ON version (change_id) WHERE change_id IS NOT NULL;
CREATE INDEX version_sender ON version (sender);

-- Series that were sent with the wish that older versions go on.
CREATE TABLE keep_older (
	series_id INTEGER PRIMARY KEY REFERENCES series (id)
) STRICT;
