-- +goose Up
-- A lineage that is evolved has a ledger; what was only recorded has none, and no seed.
ALTER TABLE lineage ADD COLUMN seed      INTEGER; -- the bits of an unsigned number: of all draws
ALTER TABLE lineage ADD COLUMN subject   TEXT    NOT NULL DEFAULT 'agent'; -- agent, or scenario:NAME
ALTER TABLE lineage ADD COLUMN head_id   INTEGER REFERENCES version; -- the version in force
ALTER TABLE lineage ADD COLUMN n_entries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lineage ADD COLUMN last_hash TEXT    NOT NULL DEFAULT ''; -- of the last entry: where it is missing, this shows it

CREATE INDEX version_content ON version (lineage_id, content_digest) WHERE content_digest IS NOT NULL;

-- What happened to a lineage, in a chain: package evolution says how an entry is hashed, and what follows from what.
CREATE TABLE ledger (
    lineage_id  INTEGER NOT NULL REFERENCES lineage,
    number      INTEGER NOT NULL, -- from 1, without gaps
    kind        TEXT    NOT NULL,
    mutation    TEXT    NOT NULL, -- key of the mutation that it is about; empty for none
    attempt     INTEGER,          -- of a decision, from 0
    at          INTEGER NOT NULL,
    head_before TEXT    NOT NULL, -- name of the version in force
    head_after  TEXT    NOT NULL,
    body        TEXT    NOT NULL, -- canonical JSON, by the kind
    prev        TEXT    NOT NULL, -- hash of the entry before
    hash        TEXT    NOT NULL,
    PRIMARY KEY (lineage_id, number)
) STRICT;

CREATE UNIQUE INDEX ledger_attempt ON ledger (lineage_id, mutation, attempt) WHERE attempt IS NOT NULL;
CREATE INDEX ledger_mutation ON ledger (lineage_id, mutation, number);
CREATE INDEX ledger_kind ON ledger (lineage_id, kind, number);
CREATE INDEX ledger_head ON ledger (lineage_id, number) WHERE head_before <> head_after;

-- Where the mutations stand. All of it follows from the ledger; replay compares.
CREATE TABLE mutation (
    id         INTEGER PRIMARY KEY,
    lineage_id INTEGER NOT NULL REFERENCES lineage,
    key        TEXT    NOT NULL,
    number     INTEGER NOT NULL, -- in the order of the proposals, from 1
    child_id   INTEGER NOT NULL REFERENCES version,
    operator   TEXT    NOT NULL,
    risk       TEXT    NOT NULL CHECK (risk IN ('LOW', 'MEDIUM', 'HIGH')),
    note       TEXT    NOT NULL,
    cost_usd   REAL,
    source     TEXT    NOT NULL, -- format that it was read from; empty where it was proposed here
    state      TEXT    NOT NULL CHECK (state IN ('proposed', 'continue', 'accepted', 'rejected', 'refused', 'withdrawn')),
    n_attempts INTEGER NOT NULL,
    delta      REAL, -- of the last decision
    proposed_at INTEGER NOT NULL,
    UNIQUE (lineage_id, key),
    UNIQUE (lineage_id, number)
) STRICT;

CREATE INDEX mutation_open ON mutation (lineage_id, number) WHERE state IN ('proposed', 'continue');
CREATE INDEX mutation_child ON mutation (child_id);

CREATE TABLE mutation_parent (
    mutation_id INTEGER NOT NULL REFERENCES mutation,
    position    INTEGER NOT NULL, -- from 0, which is the one that the child is compared with
    version_id  INTEGER NOT NULL REFERENCES version,
    PRIMARY KEY (mutation_id, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX mutation_parent_version ON mutation_parent (version_id);

CREATE VIEW v_mutation AS
SELECT lineage.name AS lineage, mutation.number, mutation.key AS mutation,
       (SELECT group_concat(name, ' ') FROM (
          SELECT version.name FROM mutation_parent JOIN version ON version.id = mutation_parent.version_id
           WHERE mutation_parent.mutation_id = mutation.id ORDER BY mutation_parent.position)) AS parents,
       child.name AS child, mutation.operator, mutation.risk, mutation.state, mutation.n_attempts, mutation.delta, mutation.cost_usd, mutation.note,
       mutation.source, strftime('%Y-%m-%dT%H:%M:%fZ', mutation.proposed_at / 1e6, 'unixepoch') AS proposed_at
  FROM mutation JOIN lineage ON lineage.id = mutation.lineage_id JOIN version AS child ON child.id = mutation.child_id;

CREATE VIEW v_decision AS
SELECT lineage.name AS lineage, ledger.number, ledger.mutation, ledger.attempt,
       'd-' || substr(ledger.hash, 1, 16)              AS decision,
       ledger.body ->> '$.decision.state'              AS state,
       ledger.body ->> '$.decision.accepted'           AS accepted,
       ledger.body ->> '$.decision.label'              AS label,
       ledger.body ->> '$.policy'                      AS policy,
       ledger.body -> '$.params'                       AS params,
       ledger.body ->> '$.override'                    AS overridden,
       ledger.body ->> '$.decision.old_score'          AS old_score,
       ledger.body ->> '$.decision.new_score'          AS new_score,
       ledger.body ->> '$.decision.delta'              AS delta,
       ledger.body ->> '$.decision.interval.lo'        AS delta_lo,
       ledger.body ->> '$.decision.interval.hi'        AS delta_hi,
       ledger.body ->> '$.decision.p_improve.value'    AS p_improve,
       ledger.body ->> '$.decision.n_child'            AS n_child,
       ledger.body ->> '$.decision.n_parent'           AS n_parent,
       ledger.body ->> '$.decision.noise.sd'           AS noise_sd,
       ledger.body ->> '$.decision.noise.false_accept' AS false_accept,
       ledger.body ->> '$.draw.u'                      AS u,
       ledger.body ->> '$.decision.p'                  AS p,
       ledger.head_before, ledger.head_after,
       strftime('%Y-%m-%dT%H:%M:%fZ', ledger.at / 1e6, 'unixepoch') AS decided_at
  FROM ledger JOIN lineage ON lineage.id = ledger.lineage_id WHERE ledger.kind = 'decision';

CREATE VIEW v_ledger AS
SELECT lineage.name AS lineage, ledger.number, ledger.kind, ledger.mutation, ledger.attempt, ledger.head_before, ledger.head_after,
       strftime('%Y-%m-%dT%H:%M:%fZ', ledger.at / 1e6, 'unixepoch') AS at, ledger.body, ledger.prev, ledger.hash
  FROM ledger JOIN lineage ON lineage.id = ledger.lineage_id;

-- +goose Down
DROP VIEW v_ledger;
DROP VIEW v_decision;
DROP VIEW v_mutation;
DROP TABLE mutation_parent;
DROP TABLE mutation;
DROP TABLE ledger;
DROP INDEX version_content;
ALTER TABLE lineage DROP COLUMN last_hash;
ALTER TABLE lineage DROP COLUMN n_entries;
ALTER TABLE lineage DROP COLUMN head_id;
ALTER TABLE lineage DROP COLUMN subject;
ALTER TABLE lineage DROP COLUMN seed;
