-- +goose Up
-- What happened to a lineage, in a chain: package evolution says how an entry is hashed, and what follows from it.
CREATE TABLE ledger (
    lineage_id  INTEGER NOT NULL REFERENCES lineage,
    number      INTEGER NOT NULL, -- from 1, without gaps
    kind        TEXT    NOT NULL,
    mutation    TEXT,             -- key of the mutation that it is about
    attempt     INTEGER,          -- of a decision, from 0
    at          INTEGER NOT NULL,
    head_before TEXT,             -- name of the active version
    head_after  TEXT,
    body        TEXT    NOT NULL, -- canonical JSON, by the kind
    prev        TEXT,             -- hash of the entry before
    hash        TEXT    NOT NULL,
    PRIMARY KEY (lineage_id, number)
) STRICT;

CREATE UNIQUE INDEX ledger_attempt ON ledger (lineage_id, mutation, attempt) WHERE attempt IS NOT NULL;
CREATE INDEX ledger_mutation ON ledger (lineage_id, mutation, number);
CREATE INDEX ledger_kind ON ledger (lineage_id, kind, number);
CREATE INDEX ledger_head ON ledger (lineage_id, number) WHERE head_before IS DISTINCT FROM head_after;

-- The state of each mutation. It follows from the ledger; replay compares the two.
CREATE TABLE mutation (
    id          INTEGER PRIMARY KEY,
    lineage_id  INTEGER NOT NULL REFERENCES lineage,
    key         TEXT    NOT NULL,
    number      INTEGER NOT NULL, -- in the order of the proposals, from 1
    child_id    INTEGER NOT NULL REFERENCES version,
    operator    TEXT    NOT NULL,
    risk        TEXT    NOT NULL CHECK (risk IN ('LOW', 'MEDIUM', 'HIGH')),
    note        TEXT,
    cost_usd    REAL,
    source      TEXT, -- format that it was read from; NULL if it was proposed here
    state       TEXT    NOT NULL CHECK (state IN ('proposed', 'continue', 'accepted', 'rejected', 'refused', 'withdrawn')),
    n_attempts  INTEGER NOT NULL,
    delta       REAL, -- of the last decision
    proposed_at INTEGER NOT NULL,
    UNIQUE (lineage_id, key),
    UNIQUE (lineage_id, number)
) STRICT;

CREATE INDEX mutation_open ON mutation (lineage_id, number) WHERE state IN ('proposed', 'continue');
CREATE INDEX mutation_state ON mutation (lineage_id, state);
CREATE INDEX mutation_proposed ON mutation (lineage_id, proposed_at);
CREATE INDEX mutation_child ON mutation (child_id);

CREATE TABLE mutation_parent (
    mutation_id INTEGER NOT NULL REFERENCES mutation,
    position    INTEGER NOT NULL, -- from 0, which is the one that the child is compared with
    version_id  INTEGER NOT NULL REFERENCES version,
    PRIMARY KEY (mutation_id, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX mutation_parent_version ON mutation_parent (version_id);

-- The versions that were ever active. position and entry follow from the ledger; the fitness follows from the executions,
-- and whatever changes these takes it away, until the next change of the lineage.
CREATE TABLE activation (
    lineage_id INTEGER NOT NULL REFERENCES lineage,
    version_id INTEGER NOT NULL REFERENCES version,
    position   INTEGER NOT NULL, -- in the order in which they were first active, from 1
    entry      INTEGER NOT NULL, -- number of the entry that made it active first
    rubric     TEXT,             -- of the settings, under which fitness was computed; NULL if it is not known
    fitness    REAL,             -- 0..100; NULL if no execution has a score
    CHECK (rubric IS NOT NULL OR fitness IS NULL),
    PRIMARY KEY (lineage_id, version_id),
    UNIQUE (lineage_id, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX activation_fitness ON activation (lineage_id, rubric, fitness DESC, position);

-- +goose Down
DROP TABLE activation;
DROP TABLE mutation_parent;
DROP TABLE mutation;
DROP TABLE ledger;
