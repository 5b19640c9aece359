-- +goose Up
CREATE TABLE series_name (
    id   INTEGER PRIMARY KEY,
    name TEXT    NOT NULL UNIQUE
) STRICT;

-- The numbers of a series, stored once however many seeds have them.
CREATE TABLE series_content (
    id        INTEGER PRIMARY KEY,
    hash      BLOB    NOT NULL UNIQUE, -- SHA-256 over the little-endian numbers
    n         INTEGER NOT NULL,
    pruned_at INTEGER -- set when the chunks were deleted to free space; hash and n stay
) STRICT;

CREATE TABLE series_chunk (
    content_id INTEGER NOT NULL REFERENCES series_content,
    position   INTEGER NOT NULL, -- from 0
    n          INTEGER NOT NULL,
    data       BLOB    NOT NULL, -- encoded by package series
    UNIQUE (content_id, position)
) STRICT;

CREATE TABLE seed_series (
    seed_id    INTEGER NOT NULL REFERENCES seed,
    name_id    INTEGER NOT NULL REFERENCES series_name,
    content_id INTEGER NOT NULL REFERENCES series_content,
    PRIMARY KEY (seed_id, name_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX seed_series_content ON seed_series (content_id);

-- Values computed from the series of a seed, as a spec says, for metrics that the client did not give. Given values
-- are in the table value.
CREATE TABLE computed_value (
    seed_id   INTEGER NOT NULL,
    spec_id   INTEGER NOT NULL,
    metric_id INTEGER NOT NULL,
    value     ANY,  -- NULL is NaN, or no value if there is a reason
    reason    TEXT, -- why there is no value
    PRIMARY KEY (seed_id, spec_id, metric_id)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE computed_value;
DROP TABLE seed_series;
DROP TABLE series_chunk;
DROP TABLE series_content;
DROP TABLE series_name;
