-- +goose Up
-- Long texts that came with a run, compressed, each once: what a program wrote to standard error, changes of code, lists of libraries.
CREATE TABLE attachment (
    id      INTEGER PRIMARY KEY,
    hash    BLOB    NOT NULL UNIQUE, -- SHA-256 of the text
    n_bytes INTEGER NOT NULL,        -- of the text
    data    BLOB    NOT NULL         -- gzip
) STRICT;

-- A command that was run for the planned seeds of some configurations.
CREATE TABLE sweep (
    id             INTEGER PRIMARY KEY,
    ulid           TEXT    NOT NULL UNIQUE,
    scenario_id    INTEGER NOT NULL REFERENCES scenario,
    plan           TEXT    NOT NULL, -- JSON: the command and its settings
    shard          INTEGER NOT NULL, -- from 1; 0 for the whole plan
    n_shards       INTEGER NOT NULL,
    environment_id INTEGER NOT NULL REFERENCES environment,
    changes_id     INTEGER REFERENCES attachment, -- of the code since its commit, masked; NULL for none
    libraries_id   INTEGER REFERENCES attachment, -- what --env-cmd printed, masked; NULL for none
    started_at     INTEGER NOT NULL,
    ended_at       INTEGER,          -- NULL while it runs, and where it was killed
    ending         TEXT    NOT NULL, -- finished, decided, interrupted or withdrawn; empty while it runs, and where it was killed
    code_changed   INTEGER NOT NULL DEFAULT 0 CHECK (code_changed IN (0, 1)), -- while it ran: its seeds may be of other code than they say
    note           TEXT    NOT NULL DEFAULT '' -- why its plan was withdrawn
) STRICT;

CREATE INDEX sweep_scenario ON sweep (scenario_id);

-- The planned seeds of a configuration: the denominator of all that is said of it.
CREATE TABLE sweep_configuration (
    sweep_id         INTEGER NOT NULL REFERENCES sweep,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    position         INTEGER NOT NULL, -- from 0, in the order of the grid
    seeds            TEXT    NOT NULL, -- ranges, as 0..99,200
    n                INTEGER NOT NULL,
    PRIMARY KEY (sweep_id, configuration_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX sweep_configuration_of ON sweep_configuration (configuration_id);

-- How the command ended that made a seed.
CREATE TABLE run (
    seed_id   INTEGER PRIMARY KEY REFERENCES seed,
    sweep_id  INTEGER NOT NULL REFERENCES sweep,
    attempts  INTEGER NOT NULL,
    exit_code INTEGER,          -- NULL where a signal ended it
    signal    TEXT    NOT NULL, -- as SIGKILL; empty where none ended it
    stderr_id INTEGER REFERENCES attachment, -- the end of it, masked; NULL where there was none
    cpu_us    INTEGER,          -- user and system, of the command and of its children that it waited for
    rss_bytes INTEGER           -- the most memory that one of these processes held
) STRICT;

CREATE INDEX run_sweep ON run (sweep_id);

-- A seed that was run again, to see whether it gives the same.
CREATE TABLE repetition (
    id          INTEGER PRIMARY KEY,
    ulid        TEXT    NOT NULL UNIQUE,
    seed_id     INTEGER NOT NULL REFERENCES seed,
    sweep_id    INTEGER REFERENCES sweep, -- NULL where somebody asked for this one
    digest      BLOB    NOT NULL,         -- of what it gave, as that of the seed
    differences TEXT    NOT NULL,         -- JSON array of what differs; empty where nothing does
    repeated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX repetition_seed ON repetition (seed_id);

CREATE VIEW v_sweep AS
SELECT sweep.ulid                AS id,
       scenario.name             AS scenario,
       configuration.label       AS label,
       configuration.hash        AS configuration,
       configuration.params      AS params,
       sweep_configuration.seeds AS seeds,
       sweep_configuration.n     AS n_planned,
       (SELECT count(*) FROM seed
         WHERE seed.scenario_id = sweep.scenario_id AND seed.configuration_id = sweep_configuration.configuration_id
           AND seed.superseded_at IS NULL) AS n_recorded,
       json_extract(sweep.plan, '$.command') AS command,
       sweep.shard               AS shard,
       sweep.n_shards            AS n_shards,
       sweep.ending              AS ending,
       sweep.code_changed        AS code_changed,
       strftime('%Y-%m-%dT%H:%M:%fZ', sweep.started_at / 1e6, 'unixepoch') AS started_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', sweep.ended_at / 1e6, 'unixepoch')   AS ended_at
  FROM sweep
  JOIN scenario ON scenario.id = sweep.scenario_id
  JOIN sweep_configuration ON sweep_configuration.sweep_id = sweep.id
  JOIN configuration ON configuration.id = sweep_configuration.configuration_id;

CREATE VIEW v_run AS
SELECT scenario.name             AS scenario,
       printf('%u', seed.number) AS seed,
       configuration.label       AS label,
       configuration.hash        AS configuration,
       seed.outcome              AS outcome,
       run.attempts              AS attempts,
       run.exit_code             AS exit_code,
       run.signal                AS signal,
       seed.duration_us / 1e6    AS duration_s,
       run.cpu_us / 1e6          AS cpu_s,
       run.rss_bytes             AS rss_bytes,
       sweep.ulid                AS sweep,
       seed.ulid                 AS id
  FROM run
  JOIN seed ON seed.id = run.seed_id
  JOIN scenario ON scenario.id = seed.scenario_id
  JOIN configuration ON configuration.id = seed.configuration_id
  JOIN sweep ON sweep.id = run.sweep_id
 WHERE seed.superseded_at IS NULL;

-- +goose Down
DROP VIEW v_run;
DROP VIEW v_sweep;
DROP TABLE repetition;
DROP TABLE run;
DROP TABLE sweep_configuration;
DROP TABLE sweep;
DROP TABLE attachment;
