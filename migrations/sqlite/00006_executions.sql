-- +goose Up
-- A lineage that evolves has a ledger and a seed. One that was only recorded has neither.
CREATE TABLE lineage (
    id               INTEGER PRIMARY KEY,
    name             TEXT    NOT NULL UNIQUE,
    keep_text        INTEGER NOT NULL DEFAULT 0 CHECK (keep_text IN (0, 1)), -- keep inputs and outputs, masked, and not their digests alone
    seed             INTEGER,          -- of all draws: the bits of an unsigned number
    subject          TEXT    NOT NULL DEFAULT 'agent', -- agent, or scenario:NAME
    head_id          INTEGER REFERENCES version, -- the active version
    n_entries        INTEGER NOT NULL DEFAULT 0, -- of the ledger
    last_hash        TEXT,             -- of the last entry: if that entry is missing, this shows it
    trials_elsewhere INTEGER NOT NULL DEFAULT 0, -- trials that the ledger counts and that were never recorded here
    created_at       INTEGER NOT NULL,
    checksum         INTEGER NOT NULL  -- of name, keep_text, seed, subject, trials_elsewhere and created_at; the rest follows from the ledger
) STRICT;

-- What is known of a version. Scores of the source are in its own units.
CREATE TABLE version (
    id                  INTEGER PRIMARY KEY,
    lineage_id          INTEGER NOT NULL REFERENCES lineage,
    name                TEXT    NOT NULL, -- empty if nobody named it
    parent_id           INTEGER REFERENCES version,
    operator            TEXT, -- what made it of its parent
    content             TEXT, -- the prompt, masked
    content_digest      BLOB, -- SHA-256 of the masked content
    masking             INTEGER, -- version of the rules that masked the content; NULL if there is no content
    status              TEXT, -- in the words of the source
    note                TEXT,
    source              TEXT, -- format that the above was read from
    source_score        REAL,
    source_parent_score REAL, -- of the parent, when this version was made
    source_created_at   INTEGER,
    created_at          INTEGER NOT NULL,
    checksum            INTEGER NOT NULL, -- of the columns before it, but for content, of which it covers whether there is one
    UNIQUE (lineage_id, name)
) STRICT;

CREATE INDEX version_content ON version (lineage_id, content_digest) WHERE content_digest IS NOT NULL;

CREATE TABLE tool (
    id   INTEGER PRIMARY KEY,
    name TEXT    NOT NULL UNIQUE
) STRICT;

CREATE TABLE execution (
    id                 INTEGER PRIMARY KEY,
    ulid               TEXT    NOT NULL,
    lineage_id         INTEGER NOT NULL REFERENCES lineage,
    version_id         INTEGER NOT NULL REFERENCES version,
    source             TEXT    NOT NULL, -- format that it was read from; empty if it was recorded as such
    key                TEXT    NOT NULL, -- identity within the source; the ULID if it has none
    task               TEXT,
    task_type          TEXT,
    complexity         TEXT,
    trial              INTEGER NOT NULL,
    session            TEXT,
    status             TEXT    NOT NULL CHECK (status IN ('ok', 'timeout', 'error', 'invalid')),
    message            TEXT,
    corrections        INTEGER NOT NULL,
    truncated          INTEGER NOT NULL CHECK (truncated IN (0, 1)),
    holdout            INTEGER NOT NULL CHECK (holdout IN (0, 1)), -- never used to decide
    model              TEXT,
    tokens_input       INTEGER,
    tokens_output      INTEGER,
    tokens_cache_read  INTEGER,
    tokens_cache_write INTEGER,
    tokens_reasoning   INTEGER,
    cost_usd           REAL,
    n_calls            INTEGER NOT NULL,
    n_failed           INTEGER NOT NULL, -- calls that the source calls failed
    rubric             TEXT,             -- of the active score, in execution_score
    prompt             TEXT,             -- what was asked, masked; NULL if unknown, not kept or forgotten
    prompt_bytes       INTEGER,
    prompt_digest      BLOB,             -- SHA-256 of the masked text
    output             TEXT,             -- final text, masked; NULL if unknown, not kept or forgotten
    output_bytes       INTEGER,
    output_digest      BLOB,             -- SHA-256 of the masked text
    digest             BLOB    NOT NULL, -- SHA-256 of all that was recorded, masked by the rules of that time
    structure          BLOB    NOT NULL, -- SHA-256 of all but the texts: it does not depend on what is masked
    masking            INTEGER NOT NULL, -- version of the rules that masked the texts
    is_open            INTEGER NOT NULL CHECK (is_open IN (0, 1)), -- its source ended within it: importing again may complete it
    actor_id           INTEGER REFERENCES actor,
    at                 INTEGER NOT NULL, -- when it started, or when it was recorded if that is unknown
    started_at         INTEGER,
    duration_us        INTEGER,
    recorded_at        INTEGER NOT NULL,
    forgotten_at       INTEGER, -- set when its texts were removed
    checksum           INTEGER NOT NULL, -- of the columns between id and it, its calls and its truths; of texts with a digest it covers whether they are kept
    UNIQUE (ulid, lineage_id)
) STRICT;

CREATE UNIQUE INDEX execution_identity ON execution (lineage_id, source, key);
CREATE INDEX execution_lineage ON execution (lineage_id, at);
CREATE INDEX execution_version ON execution (version_id, at);
CREATE INDEX execution_at ON execution (at);
CREATE INDEX execution_open ON execution (session) WHERE is_open = 1;

-- call, truth, execution_score, score_document and component declare no foreign keys to execution, as value does not
-- to seed.
CREATE TABLE call (
    execution_id  INTEGER NOT NULL,
    position      INTEGER NOT NULL, -- from 0, in the order of their start
    key           TEXT    NOT NULL,
    tool_id       INTEGER NOT NULL REFERENCES tool,
    input         TEXT, -- masked; NULL if not kept
    input_bytes   INTEGER NOT NULL,
    input_digest  BLOB    NOT NULL, -- SHA-256 of the masked text
    exit          INTEGER,
    error         TEXT,
    answered      INTEGER NOT NULL CHECK (answered IN (0, 1)),
    rejected      INTEGER NOT NULL CHECK (rejected IN (0, 1)),
    output        TEXT,
    output_bytes  INTEGER,
    output_digest BLOB,
    output_whole  INTEGER, -- size of the whole in bytes, if output is only a part of it
    started_at    INTEGER,
    duration_us   INTEGER,
    PRIMARY KEY (execution_id, position)
) STRICT, WITHOUT ROWID;

-- Ground-truth labels of an execution, such as a reward.
CREATE TABLE truth (
    execution_id INTEGER NOT NULL,
    name         TEXT    NOT NULL,
    value        REAL    NOT NULL,
    PRIMARY KEY (execution_id, name)
) STRICT, WITHOUT ROWID;

-- The score of an execution under a rubric. The rubric "own" is the caller's, and judge:MODEL@HASH is of a judge model and
-- the hash of its prompt.
CREATE TABLE execution_score (
    execution_id INTEGER NOT NULL,
    rubric       TEXT    NOT NULL,
    score        REAL, -- 0..100; NULL if nothing, or not enough, could be measured
    grade        TEXT,
    n_failed     INTEGER NOT NULL, -- calls that the rubric calls failed
    scored_at    INTEGER NOT NULL,
    checksum     INTEGER NOT NULL, -- of the columns before it, the document and the components
    PRIMARY KEY (execution_id, rubric)
) STRICT, WITHOUT ROWID;

-- Documents have a table of their own: in a table WITHOUT ROWID, a row longer than a quarter of a page takes another
-- page.
CREATE TABLE score_document (
    execution_id INTEGER NOT NULL,
    rubric       TEXT    NOT NULL,
    document     BLOB    NOT NULL, -- JSON, plain or gzip: components with reasons and counts
    PRIMARY KEY (execution_id, rubric)
) STRICT;

CREATE TABLE component (
    execution_id INTEGER NOT NULL,
    rubric       TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    value        REAL, -- 0..1; NULL if it could not be measured
    PRIMARY KEY (execution_id, rubric, name)
) STRICT, WITHOUT ROWID;

-- Damage in logs that an import reported: a later import of the same file into the same lineage only counts it.
CREATE TABLE damage (
    digest BLOB PRIMARY KEY -- SHA-256 of the lineage, the path of the file, the line, what stands there, and the reason
) STRICT, WITHOUT ROWID;

-- Index of the texts of executions that are kept: rowid is execution_id << 24 | the number of the text. An execution is
-- indexed when texts are searched, because that takes longer than to record it.
CREATE VIRTUAL TABLE text_index USING fts5(text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");

-- Executions that are not in text_index yet.
CREATE TABLE unindexed (
    execution_id INTEGER PRIMARY KEY
) STRICT;

-- +goose Down
DROP TABLE unindexed;
DROP TABLE text_index;
DROP TABLE damage;
DROP TABLE component;
DROP TABLE score_document;
DROP TABLE execution_score;
DROP TABLE truth;
DROP TABLE call;
DROP TABLE execution;
DROP TABLE tool;
DROP TABLE version;
DROP TABLE lineage;
