-- +goose Up
-- The bytes of a small file, stored once however many seeds have it.
CREATE TABLE artifact_content (
    id        INTEGER PRIMARY KEY,
    hash      BLOB    NOT NULL UNIQUE, -- SHA-256 of the bytes; of text, after masking
    n_bytes   INTEGER NOT NULL,
    data      BLOB,    -- gzip; NULL if it was deleted to free space: hash and n_bytes stay
    pruned_at INTEGER, -- when
    CHECK ((data IS NULL) = (pruned_at IS NOT NULL))
) STRICT;

CREATE TABLE artifact (
    seed_id             INTEGER NOT NULL REFERENCES seed,
    name                TEXT    NOT NULL, -- relative path with slashes
    artifact_content_id INTEGER REFERENCES artifact_content,
    left_out            TEXT, -- why the content was not kept
    CHECK ((artifact_content_id IS NULL) = (left_out IS NOT NULL)),
    PRIMARY KEY (seed_id, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX artifact_content_of ON artifact (artifact_content_id);

-- +goose Down
DROP TABLE artifact;
DROP TABLE artifact_content;
