-- +goose Up
-- Who may ask a server for what. Times of use are noted now and then.
CREATE TABLE token (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    hash       BLOB    NOT NULL UNIQUE, -- SHA-256 of the secret
    scopes     TEXT    NOT NULL, -- JSON array
    scenarios  TEXT    NOT NULL, -- JSON array of patterns
    lineages   TEXT    NOT NULL, -- JSON array of patterns
    actor_id   INTEGER REFERENCES actor, -- who added it
    created_at INTEGER NOT NULL,
    expires_at INTEGER, -- NULL for never
    revoked_at INTEGER,
    used_at    INTEGER
) STRICT;

-- +goose Down
DROP TABLE token;
