-- +goose Up
-- Which configuration of a scenario others are compared with. Rows are only added: the newest of a scenario holds.
CREATE TABLE baseline (
    id               INTEGER PRIMARY KEY,
    ulid             TEXT    NOT NULL UNIQUE,
    scenario_id      INTEGER NOT NULL REFERENCES scenario,
    configuration_id INTEGER REFERENCES configuration, -- NULL where the pin was taken away
    previous_id      INTEGER REFERENCES baseline,      -- what it replaced
    reason           TEXT    NOT NULL,
    actor            TEXT    NOT NULL,
    set_at           INTEGER NOT NULL
) STRICT;

CREATE INDEX baseline_scenario ON baseline (scenario_id);

-- Each decision of a gate or of a comparison, once for each set of seeds that it was reached on, and once more where a plan came later.
CREATE TABLE look (
    id        INTEGER PRIMARY KEY,
    ulid      TEXT    NOT NULL UNIQUE,
    kind      TEXT    NOT NULL CHECK (kind IN ('gate', 'improvement')),
    question  BLOB    NOT NULL, -- SHA-256 of what was asked: kind, spec and configurations
    evidence  BLOB    NOT NULL, -- SHA-256 of the seeds that were looked at
    n         INTEGER NOT NULL, -- seeds, or pairs
    plan      TEXT    NOT NULL, -- JSON array of the planned n; empty without a plan
    anytime   INTEGER NOT NULL CHECK (anytime IN (0, 1)),
    verdict   TEXT    NOT NULL,
    looked_at INTEGER NOT NULL,
    UNIQUE (question, evidence, plan)
) STRICT;

-- +goose Down
DROP TABLE look;
DROP TABLE baseline;
