-- +goose Up
-- All times are microseconds since 1970-01-01 UTC. Unknown is NULL. Only columns of an identity hold an empty text,
-- because unique keys do not compare NULLs: version.name, execution.source and hook_event.agent.

-- Who did something: a person, a program or a token.
CREATE TABLE actor (
    id   INTEGER PRIMARY KEY,
    name TEXT    NOT NULL UNIQUE
) STRICT;

CREATE TABLE scenario (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE spec (
    id          INTEGER PRIMARY KEY,
    scenario_id INTEGER NOT NULL REFERENCES scenario,
    version     INTEGER NOT NULL,
    hash        TEXT    NOT NULL, -- hex SHA-256 of document
    title       TEXT,
    document    TEXT    NOT NULL, -- canonical JSON (RFC 8785)
    actor_id    INTEGER REFERENCES actor,
    created_at  INTEGER NOT NULL,
    UNIQUE (scenario_id, version),
    UNIQUE (scenario_id, hash)
) STRICT;

CREATE TABLE metric (
    id   INTEGER PRIMARY KEY,
    name TEXT    NOT NULL UNIQUE
) STRICT;

CREATE TABLE spec_metric (
    spec_id      INTEGER NOT NULL REFERENCES spec,
    position     INTEGER NOT NULL, -- from 0, the order in which weighted scores are summed
    metric_id    INTEGER NOT NULL REFERENCES metric,
    type         TEXT    NOT NULL,
    weight       REAL    NOT NULL,
    metric_group TEXT,
    computed     INTEGER NOT NULL CHECK (computed IN (0, 1)), -- the spec says how its value follows from a series
    PRIMARY KEY (spec_id, position),
    UNIQUE (spec_id, metric_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE configuration (
    id         INTEGER PRIMARY KEY,
    hash       TEXT    NOT NULL UNIQUE, -- hex SHA-256 of the canonical JSON of the columns below
    label      TEXT,
    params     TEXT    NOT NULL, -- canonical JSON object
    commit_id  TEXT,
    dirty      INTEGER NOT NULL CHECK (dirty IN (0, 1)),
    diff_hash  TEXT,
    files_hash TEXT,
    created_at INTEGER NOT NULL,
    checksum   INTEGER NOT NULL  -- of hash and created_at
) STRICT;

CREATE INDEX configuration_label ON configuration (label) WHERE label IS NOT NULL;

-- The configurations that a scenario has seeds of, to be listed without reading the seeds.
CREATE TABLE scenario_configuration (
    id               INTEGER PRIMARY KEY, -- grows with the first seed of each pair
    scenario_id      INTEGER NOT NULL REFERENCES scenario,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    n_seeds          INTEGER NOT NULL, -- that are not superseded: if a read finds another number, the database is damaged
    UNIQUE (scenario_id, configuration_id)
) STRICT;

CREATE TABLE environment (
    id       INTEGER PRIMARY KEY,
    hash     TEXT    NOT NULL UNIQUE, -- hex SHA-256 of document
    document TEXT    NOT NULL         -- canonical JSON object of strings
) STRICT;

-- Long texts that came with a run, compressed, each once: what a program wrote to standard error, changes of code,
-- lists of libraries.
CREATE TABLE attachment (
    id      INTEGER PRIMARY KEY,
    hash    BLOB    NOT NULL UNIQUE, -- SHA-256 of the text
    n_bytes INTEGER NOT NULL,        -- of the text
    data    BLOB    NOT NULL         -- gzip
) STRICT;

-- Executions whose texts were forgotten. The texts may not come back by a merge or from a spool.
CREATE TABLE tombstone (
    id       INTEGER PRIMARY KEY,
    ulid     TEXT    NOT NULL UNIQUE, -- of the execution
    digest   BLOB    NOT NULL,        -- of the execution
    identity BLOB    NOT NULL,        -- the hash of its lineage, source and key
    reason   TEXT,
    at       INTEGER NOT NULL
) STRICT;
CREATE INDEX tombstone_digest ON tombstone (digest);
CREATE INDEX tombstone_identity ON tombstone (identity);

-- +goose Down
DROP TABLE tombstone;
DROP TABLE attachment;
DROP TABLE environment;
DROP TABLE scenario_configuration;
DROP TABLE configuration;
DROP TABLE spec_metric;
DROP TABLE metric;
DROP TABLE spec;
DROP TABLE scenario;
DROP TABLE actor;
