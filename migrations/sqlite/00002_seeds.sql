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
    withdrawn_at     INTEGER, -- set when it was withdrawn; it follows from the table withdrawal
    CHECK ((outcome IS NULL) = (digest IS NULL)),
    CHECK (withdrawn_at IS NULL OR superseded_at IS NOT NULL),
    UNIQUE (ulid, configuration_id)
) STRICT;

CREATE UNIQUE INDEX seed_identity ON seed (scenario_id, configuration_id, number) WHERE superseded_at IS NULL;
CREATE INDEX seed_withdrawn ON seed (scenario_id, configuration_id, number) WHERE withdrawn_at IS NOT NULL;
CREATE INDEX seed_newest ON seed (scenario_id, recorded_at);
CREATE INDEX seed_failed ON seed (outcome, scenario_id) WHERE outcome <> 'ok';
CREATE INDEX seed_recorded ON seed (recorded_at);

-- What was withdrawn and restored. Rows are only added: of those that are about the same, the newest by at and ulid counts.
-- They name records by what identifies them in every database, and may come before the record itself.
CREATE TABLE withdrawal (
    id            INTEGER PRIMARY KEY,
    ulid          TEXT    NOT NULL UNIQUE,
    kind          TEXT    NOT NULL CHECK (kind IN ('seed', 'configuration', 'sweep')),
    action        TEXT    NOT NULL CHECK (action IN ('withdrawn', 'restored')),
    scenario_id   INTEGER NOT NULL REFERENCES scenario,
    configuration TEXT,    -- hash; NULL for a sweep
    number        INTEGER, -- of a seed, the bits of an unsigned number
    digest        BLOB,    -- of a seed
    sweep         TEXT,    -- ULID of a sweep, or of the sweep with which a seed was withdrawn
    reason        TEXT    NOT NULL,
    actor_id      INTEGER REFERENCES actor,
    at            INTEGER NOT NULL,
    CHECK ((kind = 'sweep') = (configuration IS NULL) AND (kind = 'seed') = (number IS NOT NULL) AND (kind = 'seed') = (digest IS NOT NULL)
           AND (kind <> 'sweep' OR sweep IS NOT NULL))
) STRICT;

CREATE INDEX withdrawal_place ON withdrawal (scenario_id, configuration, number);
CREATE INDEX withdrawal_sweep ON withdrawal (sweep) WHERE sweep IS NOT NULL;

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
DROP TABLE withdrawal;
DROP TABLE seed;
