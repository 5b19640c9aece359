-- +goose Up
-- How far the lines of each spool of a client are recorded. Changed in the transaction that records the lines.
CREATE TABLE spool (
    ulid       TEXT    PRIMARY KEY,
    through    INTEGER NOT NULL, -- lines that the database has, or has refused
    refused    INTEGER NOT NULL, -- of them, lines that are not recorded
    actor_id   INTEGER REFERENCES actor, -- who sent the last of them
    changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What tells this database from a copy of it. One row, made when it is first asked for; a backup has none.
CREATE TABLE epoch (
    id      INTEGER PRIMARY KEY, -- 1
    name    TEXT    NOT NULL,
    made_at INTEGER NOT NULL
) STRICT;

-- +goose Down
DROP TABLE epoch;
DROP TABLE spool;
