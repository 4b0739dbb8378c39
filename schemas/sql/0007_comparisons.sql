-- SPDX-License-Identifier: GPL-3.0-or-later
-- Comparisons of two commits. One is a submission that names its revisions, where a series brings
-- mail: its row in series has the base and the options, its runs and jobs are those of any other.

CREATE TABLE comparison (
	series_id INTEGER PRIMARY KEY REFERENCES series (id),
	patched TEXT NOT NULL -- the revision that is compared with series.base_text
) STRICT;

-- One more kind of job: resolve.
CREATE TABLE new_job (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	kind TEXT NOT NULL CHECK (kind IN ('tree', 'inbox', 'fetch', 'parse', 'apply', 'resolve',
		'probe', 'build', 'boot')),
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
INSERT INTO new_job (id, kind, series_id, run, tree, archive, host, machine, batch, status, reason,
	attempt, epoch, queued_ms, started_ms, ended_ms, tool_ms, log_size, result)
	SELECT id, kind, series_id, run, tree, archive, host, machine, batch, status, reason,
	attempt, epoch, queued_ms, started_ms, ended_ms, tool_ms, log_size, result FROM job;
DROP TABLE job;
ALTER TABLE new_job RENAME TO job;
CREATE INDEX job_run ON job (series_id, run);
CREATE INDEX job_open ON job (status, host) WHERE status IN ('queued', 'running');
CREATE INDEX job_host ON job (host, ended_ms) WHERE host IS NOT NULL;
CREATE INDEX job_batch ON job (batch);
