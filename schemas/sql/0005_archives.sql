-- SPDX-License-Identifier: GPL-3.0-or-later
-- Mailing-list archives that are followed, and series that did not come as a file.

CREATE TABLE archive (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL UNIQUE,
	address TEXT NOT NULL,
	since_s INTEGER NOT NULL, -- Unix seconds: what it took in before is not looked at
	mails INTEGER NOT NULL DEFAULT 0, -- looked at so far
	reason TEXT, -- why the last visit failed; or NULL
	job_id INTEGER NOT NULL DEFAULT 0, -- the newest visit
	created_ms INTEGER NOT NULL,
	visited_ms INTEGER NOT NULL DEFAULT 0 -- last visit that succeeded
) STRICT;

-- Where the last visit ended.
CREATE TABLE archive_epoch (
	archive_id INTEGER NOT NULL REFERENCES archive (id),
	epoch INTEGER NOT NULL,
	commit_id TEXT, -- NULL: it had no mail
	PRIMARY KEY (archive_id, epoch)
) STRICT, WITHOUT ROWID;

-- A series that archives have, as far as its mails have come.
CREATE TABLE part (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	archive_id INTEGER NOT NULL REFERENCES archive (id),
	series_id INTEGER REFERENCES series (id), -- NULL: not known yet to be wanted
	mail_sha256 TEXT NOT NULL CHECK (length(mail_sha256) = 64),
	open INTEGER NOT NULL CHECK (open IN (0, 1)), -- more mails may come
	changed_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX part_open ON part (changed_ms) WHERE open;
CREATE UNIQUE INDEX part_series ON part (series_id);

CREATE TABLE part_mail (
	message_id TEXT NOT NULL,
	part_id INTEGER NOT NULL REFERENCES part (id) ON DELETE CASCADE,
	PRIMARY KEY (message_id, part_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX part_mail_part ON part_mail (part_id);

-- Series that were not sent as a file.
CREATE TABLE origin (
	series_id INTEGER PRIMARY KEY REFERENCES series (id),
	source TEXT CHECK (json_type(source) = 'object'), -- what the lab fetches; NULL: an archive
	fetched INTEGER NOT NULL CHECK (fetched IN (0, 1)),
	waits TEXT -- why it must be approved; NULL: it need not, or was
) STRICT;

-- More kinds of job.
CREATE TABLE new_job (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	kind TEXT NOT NULL CHECK (kind IN ('tree', 'inbox', 'fetch', 'parse', 'apply', 'probe',
		'build', 'boot')),
	series_id INTEGER, -- NULL, with run: tree, inbox and probe
	run INTEGER,
	tree TEXT REFERENCES tree (name),
	archive TEXT REFERENCES archive (name),
	host TEXT REFERENCES host (name),
	machine TEXT REFERENCES machine (name),
	batch INTEGER NOT NULL DEFAULT 0, -- the first job of those that run back to back
	status TEXT NOT NULL DEFAULT 'queued' CHECK (status IN
		('queued', 'running', 'pass', 'fail', 'error', 'skip', 'cancelled')),
	reason TEXT,
	attempt INTEGER NOT NULL DEFAULT 0,
	epoch INTEGER NOT NULL DEFAULT 0,
	queued_ms INTEGER NOT NULL,
	started_ms INTEGER NOT NULL DEFAULT 0,
	ended_ms INTEGER NOT NULL DEFAULT 0,
	tool_ms INTEGER NOT NULL DEFAULT 0,
	log_size INTEGER NOT NULL DEFAULT 0,
	result TEXT CHECK (result IS NULL OR json_valid(result)),
	FOREIGN KEY (series_id, run) REFERENCES run (series_id, n),
	CHECK ((series_id IS NULL) = (run IS NULL)),
	CHECK ((kind IN ('probe', 'build', 'boot')) = (host IS NOT NULL)),
	CHECK ((kind = 'inbox') = (archive IS NOT NULL))
) STRICT;
INSERT INTO new_job (id, kind, series_id, run, tree, host, machine, batch, status, reason, attempt,
	epoch, queued_ms, started_ms, ended_ms, tool_ms, log_size, result)
	SELECT id, kind, series_id, run, tree, host, machine, batch, status, reason, attempt,
	epoch, queued_ms, started_ms, ended_ms, tool_ms, log_size, result FROM job;
DROP TABLE job;
ALTER TABLE new_job RENAME TO job;
CREATE INDEX job_run ON job (series_id, run);
CREATE INDEX job_open ON job (status, host) WHERE status IN ('queued', 'running');
CREATE INDEX job_host ON job (host, ended_ms) WHERE host IS NOT NULL;
CREATE INDEX job_batch ON job (batch);
