-- +goose Up
-- A command that was run for the planned seeds of some configurations.
CREATE TABLE sweep (
    id             INTEGER PRIMARY KEY,
    ulid           TEXT    NOT NULL UNIQUE,
    scenario_id    INTEGER NOT NULL REFERENCES scenario,
    plan           TEXT    NOT NULL, -- JSON: the command and its settings
    plan_digest    BLOB    NOT NULL, -- SHA-256 of the plan without the version of this program
    shard          INTEGER NOT NULL, -- from 1; 0 for the whole plan
    n_shards       INTEGER NOT NULL,
    environment_id INTEGER NOT NULL REFERENCES environment,
    changes_id     INTEGER REFERENCES attachment, -- of the code since its commit, masked
    libraries_id   INTEGER REFERENCES attachment, -- the output of --env-cmd, masked
    actor_id       INTEGER REFERENCES actor,
    started_at     INTEGER NOT NULL,
    ended_at       INTEGER, -- NULL while it runs, and if it was killed
    ending         TEXT CHECK (ending IN ('finished', 'decided', 'undecided', 'interrupted')), -- NULL while it runs, and if it was killed
    code_changed   INTEGER NOT NULL CHECK (code_changed IN (0, 1)), -- while it ran: its seeds may be of other code than they say
    withdrawn_at   INTEGER -- set when its plan was withdrawn; it follows from the table withdrawal
) STRICT;

CREATE INDEX sweep_scenario ON sweep (scenario_id);

CREATE TABLE sweep_configuration (
    sweep_id         INTEGER NOT NULL REFERENCES sweep,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    position         INTEGER NOT NULL, -- from 0, in the order of the grid
    PRIMARY KEY (sweep_id, configuration_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX sweep_configuration_of ON sweep_configuration (configuration_id);

-- The planned seeds of a configuration, the denominator of every share: one row a range.
CREATE TABLE sweep_seeds (
    sweep_id         INTEGER NOT NULL,
    configuration_id INTEGER NOT NULL,
    first            INTEGER NOT NULL, -- the bits of an unsigned number, as seed.number
    last             INTEGER NOT NULL, -- on the same side of 2^63 as first
    CHECK ((first < 0) = (last < 0) AND first <= last),
    PRIMARY KEY (sweep_id, configuration_id, first),
    FOREIGN KEY (sweep_id, configuration_id) REFERENCES sweep_configuration
) STRICT, WITHOUT ROWID;

-- How an attempt to run a seed ended. Only the last attempt is kept today.
CREATE TABLE run (
    seed_id   INTEGER NOT NULL REFERENCES seed,
    attempt   INTEGER NOT NULL, -- from 1
    sweep_id  INTEGER NOT NULL REFERENCES sweep,
    exit_code INTEGER, -- NULL if a signal ended it
    signal    TEXT,    -- as SIGKILL; NULL if none ended it
    stderr_id INTEGER REFERENCES attachment, -- the end of it, masked
    cpu_us    INTEGER, -- user and system, of the command and of its children that it waited for
    rss_bytes INTEGER, -- the most memory that one of these processes held
    PRIMARY KEY (seed_id, attempt)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_sweep ON run (sweep_id);

-- A seed that was run again, to see whether it gives the same result.
CREATE TABLE repetition (
    id          INTEGER PRIMARY KEY,
    ulid        TEXT    NOT NULL,
    seed_id     INTEGER NOT NULL REFERENCES seed,
    sweep_id    INTEGER REFERENCES sweep, -- NULL if somebody asked for this seed alone
    digest      BLOB    NOT NULL,         -- of the new outcome and values, as that of the seed
    differences TEXT,                     -- JSON array of what differs
    repeated_at INTEGER NOT NULL,
    UNIQUE (seed_id, ulid)
) STRICT;

-- +goose Down
DROP TABLE repetition;
DROP TABLE run;
DROP TABLE sweep_seeds;
DROP TABLE sweep_configuration;
DROP TABLE sweep;
