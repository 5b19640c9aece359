-- +goose Up
CREATE TABLE seed (
    id               INTEGER PRIMARY KEY,
    ulid             TEXT    NOT NULL,
    scenario_id      INTEGER NOT NULL REFERENCES scenario,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    number           INTEGER, -- the bits of an unsigned number; NULL for a run without a seed
    outcome          TEXT CHECK (outcome IN ('ok', 'error', 'timeout', 'collapsed')), -- NULL while it runs
    message          TEXT,
    digest           BLOB, -- SHA-256 of outcome and values; NULL while it runs
    environment_id   INTEGER NOT NULL REFERENCES environment,
    actor_id         INTEGER REFERENCES actor,
    started_at       INTEGER,
    duration_us      INTEGER,
    recorded_at      INTEGER NOT NULL,
    checksum         INTEGER NOT NULL, -- of ulid, the three ids, number, outcome, message, digest, and the three times
    superseded_at    INTEGER, -- set when another seed took its place, or when it was withdrawn
    CHECK ((outcome IS NULL) = (digest IS NULL)),
    UNIQUE (ulid, configuration_id)
) STRICT;

CREATE UNIQUE INDEX seed_identity ON seed (scenario_id, configuration_id, number) WHERE superseded_at IS NULL;
CREATE INDEX seed_newest ON seed (scenario_id, recorded_at);
CREATE INDEX seed_failed ON seed (outcome, scenario_id) WHERE outcome <> 'ok';
CREATE INDEX seed_recorded ON seed (recorded_at);

-- The values that a seed measured. NULL is NaN; ANY keeps the sign of zero, which REAL would lose.
-- value, result and computed_value declare no foreign keys: checking them took a third of the time of recording.
-- Their rows are written only in a transaction that has made, or read, what they refer to.
CREATE TABLE value (
    seed_id   INTEGER NOT NULL,
    metric_id INTEGER NOT NULL,
    value     ANY,
    PRIMARY KEY (seed_id, metric_id)
) STRICT, WITHOUT ROWID;

-- The judgement of a seed under a spec; a seed may have one for each version.
CREATE TABLE assessment (
    seed_id     INTEGER NOT NULL REFERENCES seed,
    spec_id     INTEGER NOT NULL REFERENCES spec,
    total_score REAL, -- NULL if a metric is missing
    n_pass      INTEGER NOT NULL,
    n_warn      INTEGER NOT NULL,
    n_fail      INTEGER NOT NULL,
    assessed_at INTEGER NOT NULL,
    checksum    INTEGER NOT NULL, -- of the columns before it
    PRIMARY KEY (seed_id, spec_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE result (
    seed_id   INTEGER NOT NULL,
    spec_id   INTEGER NOT NULL,
    metric_id INTEGER NOT NULL,
    status    INTEGER NOT NULL CHECK (status BETWEEN 0 AND 2), -- PASS, WARN, FAIL; a list would cost a quarter of the time
    score     REAL, -- NULL if the value is missing
    PRIMARY KEY (seed_id, spec_id, metric_id)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE result;
DROP TABLE assessment;
DROP TABLE value;
DROP TABLE seed;
