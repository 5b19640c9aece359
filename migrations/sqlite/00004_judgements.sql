-- +goose Up
-- The configuration of a scenario that others are compared with. Rows are only added: the newest of a scenario is the
-- active one.
CREATE TABLE baseline (
    id               INTEGER PRIMARY KEY,
    ulid             TEXT    NOT NULL UNIQUE,
    scenario_id      INTEGER NOT NULL REFERENCES scenario,
    configuration_id INTEGER REFERENCES configuration, -- NULL if the pin was taken away
    previous_id      INTEGER REFERENCES baseline,      -- what it replaced
    reason           TEXT,
    actor_id         INTEGER REFERENCES actor,
    set_at           INTEGER NOT NULL
) STRICT;

CREATE INDEX baseline_scenario ON baseline (scenario_id, set_at);

-- What somebody attached to a configuration of a scenario, or removed from it. Rows are only added: of those with the same
-- kind and subject, the one with the latest time counts, then the one with the larger ULID.
CREATE TABLE annotation (
    id               INTEGER PRIMARY KEY,
    ulid             TEXT    NOT NULL UNIQUE,
    kind             TEXT    NOT NULL CHECK (kind IN ('note', 'tag')),
    removed          INTEGER NOT NULL CHECK (removed IN (0, 1)),
    scenario_id      INTEGER NOT NULL REFERENCES scenario,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    subject          TEXT    NOT NULL, -- a tag, or the ULID that a note was added with
    note             TEXT, -- the text of a note, or the reason of a removal
    actor_id         INTEGER REFERENCES actor,
    at               INTEGER NOT NULL
) STRICT;

CREATE INDEX annotation_scenario ON annotation (scenario_id, configuration_id);

-- Each interim analysis by a gate or a comparison: once for each set of seeds that it used, and once more if a plan
-- came later.
CREATE TABLE look (
    id        INTEGER PRIMARY KEY,
    ulid      TEXT    NOT NULL UNIQUE,
    kind      TEXT    NOT NULL CHECK (kind IN ('gate', 'improvement')),
    question  BLOB    NOT NULL, -- SHA-256 of kind, spec and configurations
    evidence  BLOB    NOT NULL, -- SHA-256 of the seeds
    n         INTEGER NOT NULL, -- seeds, or pairs
    plan      TEXT    NOT NULL, -- JSON array of the planned n; [] without a plan
    anytime   INTEGER NOT NULL CHECK (anytime IN (0, 1)),
    verdict   TEXT    NOT NULL,
    actor_id  INTEGER REFERENCES actor,
    looked_at INTEGER NOT NULL,
    UNIQUE (question, evidence, plan)
) STRICT;

-- +goose Down
DROP TABLE look;
DROP TABLE annotation;
DROP TABLE baseline;
