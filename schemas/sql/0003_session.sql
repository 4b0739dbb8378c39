-- SPDX-License-Identifier: GPL-3.0-or-later
-- A session is a token that ends by itself, and with the token that it was opened with.

ALTER TABLE token ADD COLUMN parent_id INTEGER REFERENCES token (id);
ALTER TABLE token ADD COLUMN expires_ms INTEGER NOT NULL DEFAULT 0; -- 0: never
