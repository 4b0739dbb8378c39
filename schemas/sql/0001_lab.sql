-- SPDX-License-Identifier: GPL-3.0-or-later
-- The lab's first schema. Times are Unix milliseconds; *_ms that may be 0 say so. JSON columns
-- hold what is shown and never searched.

CREATE TABLE meta (
	key TEXT PRIMARY KEY,
	value ANY NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('lab', lower(hex(randomblob(16)))), ('epoch', 0);

CREATE TABLE token (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
	scope TEXT NOT NULL CHECK (scope IN ('read', 'submit', 'admin')),
	created_ms INTEGER NOT NULL,
	revoked_ms INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE tree (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL UNIQUE,
	source TEXT NOT NULL CHECK (json_valid(source)),
	path TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('importing', 'ready', 'error')),
	tip TEXT,
	version TEXT,
	reason TEXT,
	job_id INTEGER NOT NULL DEFAULT 0,
	created_ms INTEGER NOT NULL,
	fetched_ms INTEGER NOT NULL DEFAULT 0,
	CHECK (state <> 'ready' OR tip IS NOT NULL)
) STRICT;

CREATE TABLE host (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL UNIQUE,
	address TEXT NOT NULL,
	port INTEGER NOT NULL CHECK (port BETWEEN 1 AND 65535),
	user TEXT NOT NULL,
	key TEXT NOT NULL,
	host_key TEXT NOT NULL,
	root TEXT,
	facts TEXT CHECK (facts IS NULL OR json_valid(facts)),
	reason TEXT,
	drained INTEGER NOT NULL DEFAULT 0 CHECK (drained IN (0, 1)),
	job_id INTEGER NOT NULL DEFAULT 0,
	probed_ms INTEGER NOT NULL DEFAULT 0,
	created_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE machine (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	name TEXT NOT NULL UNIQUE,
	host TEXT NOT NULL REFERENCES host (name),
	kind TEXT NOT NULL CHECK (kind IN ('qemu')),
	model TEXT NOT NULL,
	arch TEXT NOT NULL,
	tags TEXT NOT NULL CHECK (json_type(tags) = 'array'),
	memory_mib INTEGER NOT NULL CHECK (memory_mib > 0),
	cpus INTEGER NOT NULL CHECK (cpus > 0),
	drained INTEGER NOT NULL DEFAULT 0 CHECK (drained IN (0, 1)),
	created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX machine_host ON machine (host);

-- What was sent, and how it is to be answered.
CREATE TABLE series (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	mail_sha256 TEXT NOT NULL CHECK (length(mail_sha256) = 64),
	mail_size INTEGER NOT NULL,
	dedup TEXT NOT NULL,
	tree TEXT NOT NULL REFERENCES tree (name),
	tip TEXT NOT NULL,
	base_text TEXT,
	profile_name TEXT NOT NULL,
	profile TEXT NOT NULL CHECK (json_type(profile) = 'object'),
	until TEXT NOT NULL CHECK (until IN ('apply', 'build', 'test')),
	no_inherit INTEGER NOT NULL CHECK (no_inherit IN (0, 1)),
	run INTEGER NOT NULL DEFAULT 1, -- the newest
	created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX series_dedup ON series (dedup);
CREATE INDEX series_tree ON series (tree);

CREATE TABLE need (
	series_id INTEGER NOT NULL REFERENCES series (id),
	place INTEGER NOT NULL, -- from 1, the order to apply them
	need_id INTEGER NOT NULL REFERENCES series (id),
	PRIMARY KEY (series_id, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX need_need ON need (need_id);

-- One time of answering a series.
CREATE TABLE run (
	series_id INTEGER NOT NULL REFERENCES series (id),
	n INTEGER NOT NULL CHECK (n > 0),
	state TEXT NOT NULL CHECK (state IN
		('received', 'held', 'applying', 'building', 'testing', 'done', 'cancelled')),
	draw INTEGER NOT NULL,
	title TEXT,
	version INTEGER NOT NULL DEFAULT 0,
	message_id TEXT,
	patches INTEGER NOT NULL DEFAULT 0,
	base_commit TEXT,
	chosen_by TEXT,
	host TEXT REFERENCES host (name), -- where it is built, until its jobs are done
	machine TEXT REFERENCES machine (name), -- where it is booted
	verdict TEXT CHECK (verdict IN
		('fail', 'regression', 'error', 'held', 'cancelled', 'pass')),
	performance TEXT,
	reasons TEXT CHECK (json_type(reasons) = 'array'),
	held TEXT,
	input_at_fault INTEGER NOT NULL DEFAULT 0 CHECK (input_at_fault IN (0, 1)),
	created_ms INTEGER NOT NULL,
	finished_ms INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (series_id, n),
	CHECK ((state IN ('held', 'done', 'cancelled')) = (finished_ms > 0))
) STRICT, WITHOUT ROWID;
CREATE INDEX run_unfinished ON run (created_ms) WHERE finished_ms = 0;
CREATE INDEX run_host ON run (host) WHERE finished_ms = 0;

CREATE TABLE need_commit (
	series_id INTEGER NOT NULL,
	run INTEGER NOT NULL,
	need_id INTEGER NOT NULL,
	n INTEGER NOT NULL,
	commit_id TEXT NOT NULL,
	PRIMARY KEY (series_id, run, need_id, n),
	FOREIGN KEY (series_id, run) REFERENCES run (series_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE patch (
	series_id INTEGER NOT NULL,
	run INTEGER NOT NULL,
	n INTEGER NOT NULL CHECK (n > 0),
	subject TEXT NOT NULL,
	author_name TEXT NOT NULL,
	author_email TEXT NOT NULL,
	message_id TEXT,
	commit_id TEXT,
	how TEXT,
	conflict TEXT CHECK (json_type(conflict) = 'object'),
	PRIMARY KEY (series_id, run, n),
	FOREIGN KEY (series_id, run) REFERENCES run (series_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE job (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	kind TEXT NOT NULL CHECK (kind IN ('tree', 'parse', 'apply', 'probe', 'build', 'boot')),
	series_id INTEGER, -- NULL, with run: tree and probe
	run INTEGER,
	tree TEXT REFERENCES tree (name),
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
	CHECK ((kind IN ('probe', 'build', 'boot')) = (host IS NOT NULL))
) STRICT;
CREATE INDEX job_run ON job (series_id, run);
CREATE INDEX job_open ON job (status, host) WHERE status IN ('queued', 'running');
CREATE INDEX job_host ON job (host, ended_ms) WHERE host IS NOT NULL;
CREATE INDEX job_batch ON job (batch);

-- What a build job is for, and what came of it (NULL until it has ended).
CREATE TABLE build (
	job_id INTEGER PRIMARY KEY REFERENCES job (id),
	patch INTEGER NOT NULL CHECK (patch >= 0),
	commit_id TEXT NOT NULL,
	arch TEXT NOT NULL,
	config_sha256 TEXT,
	compiler TEXT,
	image_sha256 TEXT,
	code_sha256 TEXT,
	artifact TEXT,
	seconds REAL NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE boot (
	job_id INTEGER PRIMARY KEY REFERENCES job (id),
	patch INTEGER NOT NULL CHECK (patch >= 0),
	commit_id TEXT NOT NULL,
	side TEXT NOT NULL CHECK (side IN ('base', 'patched')),
	role TEXT NOT NULL CHECK (role IN ('pair', 'extra')),
	clock TEXT NOT NULL CHECK (clock IN ('wall', 'counted')),
	pair INTEGER NOT NULL,
	seed INTEGER NOT NULL,
	started_ms INTEGER NOT NULL DEFAULT 0,
	boot_id TEXT,
	seconds REAL NOT NULL DEFAULT 0,
	image_sha256 TEXT,
	accel TEXT,
	cmdline TEXT,
	last_line TEXT
) STRICT;

CREATE TABLE finding (
	job_id INTEGER NOT NULL REFERENCES job (id),
	n INTEGER NOT NULL, -- from 1, the order they came in
	kind TEXT NOT NULL,
	file TEXT,
	line INTEGER NOT NULL,
	col INTEGER NOT NULL,
	function TEXT,
	message TEXT NOT NULL,
	option TEXT,
	signature TEXT NOT NULL,
	excerpt TEXT,
	fatal INTEGER NOT NULL CHECK (fatal IN (0, 1)),
	PRIMARY KEY (job_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE sample (
	job_id INTEGER NOT NULL REFERENCES job (id),
	n INTEGER NOT NULL,
	metric TEXT NOT NULL,
	value REAL NOT NULL,
	params TEXT CHECK (json_type(params) = 'object'),
	PRIMARY KEY (job_id, n)
) STRICT, WITHOUT ROWID;
