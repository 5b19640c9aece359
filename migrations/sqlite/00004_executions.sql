-- +goose Up
CREATE TABLE lineage (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    keep_text  INTEGER NOT NULL DEFAULT 0 CHECK (keep_text IN (0, 1)), -- keep inputs and outputs, masked, and not their digests alone
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE version (
    id         INTEGER PRIMARY KEY,
    lineage_id INTEGER NOT NULL REFERENCES lineage,
    name       TEXT    NOT NULL, -- empty where nobody said which
    created_at INTEGER NOT NULL,
    UNIQUE (lineage_id, name)
) STRICT;

CREATE TABLE tool (
    id   INTEGER PRIMARY KEY,
    name TEXT    NOT NULL UNIQUE
) STRICT;

CREATE TABLE execution (
    id                 INTEGER PRIMARY KEY,
    ulid               TEXT    NOT NULL UNIQUE,
    lineage_id         INTEGER NOT NULL REFERENCES lineage,
    version_id         INTEGER NOT NULL REFERENCES version,
    source             TEXT    NOT NULL, -- format that it was read from; empty where it was recorded as such
    key                TEXT    NOT NULL, -- identity within the source; the ULID where it has none
    task               TEXT    NOT NULL,
    task_type          TEXT    NOT NULL,
    complexity         TEXT    NOT NULL,
    trial              INTEGER NOT NULL,
    session            TEXT    NOT NULL,
    status             TEXT    NOT NULL CHECK (status IN ('ok', 'timeout', 'error', 'invalid')),
    message            TEXT    NOT NULL,
    corrections        INTEGER NOT NULL,
    truncated          INTEGER NOT NULL CHECK (truncated IN (0, 1)),
    model              TEXT    NOT NULL,
    tokens_input       INTEGER,
    tokens_output      INTEGER,
    tokens_cache_read  INTEGER,
    tokens_cache_write INTEGER,
    tokens_reasoning   INTEGER,
    cost_usd           REAL,
    n_calls            INTEGER NOT NULL,
    n_failed           INTEGER NOT NULL, -- calls that the source calls failed
    rubric             TEXT    NOT NULL, -- whose score is in force: its row in execution_score; empty for none
    output             TEXT,             -- final text, masked; NULL where unknown, not kept or forgotten
    output_bytes       INTEGER,
    output_digest      BLOB,             -- SHA-256 of the masked text
    digest             BLOB    NOT NULL, -- SHA-256 of all that was recorded
    is_open            INTEGER NOT NULL CHECK (is_open IN (0, 1)), -- its source ended within it: importing again may complete it
    at                 INTEGER NOT NULL, -- when it started, or when it was recorded where that is unknown
    started_at         INTEGER,
    duration_us        INTEGER,
    recorded_at        INTEGER NOT NULL,
    forgotten_at       INTEGER -- set where its texts were removed
) STRICT;

CREATE UNIQUE INDEX execution_identity ON execution (lineage_id, source, key);
CREATE INDEX execution_lineage ON execution (lineage_id, at);
CREATE INDEX execution_version ON execution (version_id, at);
CREATE INDEX execution_at ON execution (at);
CREATE INDEX execution_open ON execution (session) WHERE is_open = 1;

CREATE TABLE call (
    execution_id  INTEGER NOT NULL,
    position      INTEGER NOT NULL, -- from 0, in the order of their start
    key           TEXT    NOT NULL,
    tool_id       INTEGER NOT NULL REFERENCES tool,
    input         TEXT, -- masked; NULL where not kept
    input_bytes   INTEGER NOT NULL,
    input_digest  BLOB    NOT NULL, -- SHA-256 of the masked text
    exit          INTEGER,
    error         TEXT    NOT NULL,
    answered      INTEGER NOT NULL CHECK (answered IN (0, 1)),
    rejected      INTEGER NOT NULL CHECK (rejected IN (0, 1)),
    output        TEXT,
    output_bytes  INTEGER,
    output_digest BLOB,
    started_at    INTEGER,
    duration_us   INTEGER,
    PRIMARY KEY (execution_id, position)
) STRICT, WITHOUT ROWID;

-- What is known to be true of the outcome, as a reward.
CREATE TABLE truth (
    execution_id INTEGER NOT NULL,
    name         TEXT    NOT NULL,
    value        REAL    NOT NULL,
    PRIMARY KEY (execution_id, name)
) STRICT, WITHOUT ROWID;

-- The score of an execution under a rubric; "own" is that of the caller.
CREATE TABLE execution_score (
    execution_id INTEGER NOT NULL,
    rubric       TEXT    NOT NULL,
    score        REAL, -- 0..100; NULL where nothing, or not enough, could be measured
    grade        TEXT    NOT NULL,
    n_failed     INTEGER NOT NULL, -- calls that the rubric calls failed
    document     TEXT    NOT NULL, -- JSON: components with reasons and what was counted
    scored_at    INTEGER NOT NULL,
    PRIMARY KEY (execution_id, rubric)
) STRICT, WITHOUT ROWID;

CREATE TABLE component (
    execution_id INTEGER NOT NULL,
    rubric       TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    value        REAL, -- 0..1; NULL where it could not be measured
    PRIMARY KEY (execution_id, rubric, name)
) STRICT, WITHOUT ROWID;

CREATE VIEW v_execution AS
SELECT lineage.name                                               AS lineage,
       version.name                                               AS version,
       execution.task, execution.task_type, execution.complexity, execution.trial, execution.session,
       execution.status, execution.message,
       execution_score.rubric                                     AS rubric,
       execution_score.score                                      AS score,
       execution_score.grade                                      AS grade,
       execution.rubric = execution_score.rubric                  AS in_force,
       execution.n_calls, execution.n_failed, execution.corrections, execution.model,
       execution.tokens_input, execution.tokens_output, execution.tokens_cache_read, execution.tokens_cache_write,
       execution.cost_usd,
       strftime('%Y-%m-%dT%H:%M:%fZ', execution.started_at / 1e6, 'unixepoch')  AS started_at,
       execution.duration_us / 1e6                                AS duration_s,
       strftime('%Y-%m-%dT%H:%M:%fZ', execution.recorded_at / 1e6, 'unixepoch') AS recorded_at,
       execution.source, execution.key, execution.ulid            AS id
  FROM execution
  JOIN lineage ON lineage.id = execution.lineage_id
  JOIN version ON version.id = execution.version_id
  LEFT JOIN execution_score ON execution_score.execution_id = execution.id;

CREATE VIEW v_call AS
SELECT execution.ulid     AS execution,
       call.position + 1  AS call,
       tool.name          AS tool,
       call.exit, call.error, call.answered, call.rejected, call.input_bytes, call.output_bytes,
       lower(hex(call.input_digest)) AS input_digest,
       call.duration_us / 1e6 AS duration_s
  FROM call JOIN execution ON execution.id = call.execution_id JOIN tool ON tool.id = call.tool_id;

-- +goose Down
DROP VIEW v_call;
DROP VIEW v_execution;
DROP TABLE component;
DROP TABLE execution_score;
DROP TABLE truth;
DROP TABLE call;
DROP TABLE execution;
DROP TABLE tool;
DROP TABLE version;
DROP TABLE lineage;
