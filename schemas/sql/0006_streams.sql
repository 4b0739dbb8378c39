-- SPDX-License-Identifier: GPL-3.0-or-later
-- A boot does one part of a benchmark; and the base's first counted boot is done once more.

CREATE TABLE new_boot (
	job_id INTEGER PRIMARY KEY REFERENCES job (id),
	patch INTEGER NOT NULL CHECK (patch >= 0),
	commit_id TEXT NOT NULL,
	side TEXT NOT NULL CHECK (side IN ('base', 'patched')),
	role TEXT NOT NULL CHECK (role IN ('pair', 'extra', 'canary')),
	clock TEXT NOT NULL CHECK (clock IN ('wall', 'counted')),
	part TEXT NOT NULL DEFAULT '', -- '': one boot does it all
	pair INTEGER NOT NULL, -- in its stream: clock and part
	seed INTEGER NOT NULL,
	started_ms INTEGER NOT NULL DEFAULT 0,
	boot_id TEXT,
	seconds REAL NOT NULL DEFAULT 0,
	image_sha256 TEXT,
	accel TEXT,
	cmdline TEXT,
	last_line TEXT
) STRICT;
INSERT INTO new_boot (job_id, patch, commit_id, side, role, clock, pair, seed, started_ms, boot_id,
	seconds, image_sha256, accel, cmdline, last_line)
	SELECT job_id, patch, commit_id, side, role, clock, pair, seed, started_ms, boot_id,
	seconds, image_sha256, accel, cmdline, last_line FROM boot;
DROP TABLE boot;
ALTER TABLE new_boot RENAME TO boot;
