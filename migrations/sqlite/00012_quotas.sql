-- +goose Up
-- What the holders of some tokens may record on a day, which begins at midnight in UTC; NULL for any amount.
CREATE TABLE token_quota (
    token_id    INTEGER PRIMARY KEY REFERENCES token,
    max_records INTEGER,
    max_bytes   INTEGER
) STRICT;

-- What was recorded with these tokens. Changed in the transaction that records. Each start of a server has rows of its own,
-- so that several servers never change the same row.
CREATE TABLE token_use (
    token_id INTEGER NOT NULL REFERENCES token,
    day      INTEGER NOT NULL, -- number of the day from 1970-01-01
    writer   TEXT    NOT NULL, -- the start of a server
    records  INTEGER NOT NULL,
    bytes    INTEGER NOT NULL, -- of the lines of these records, with the blobs that they name
    PRIMARY KEY (token_id, day, writer)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE token_use;
DROP TABLE token_quota;
