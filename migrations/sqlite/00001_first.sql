-- +goose Up
-- All times are microseconds since 1970-01-01 UTC. Unknown is NULL. Only columns of an identity hold an empty text,
-- because unique keys do not compare NULLs: version.name, execution.source and hook_event.agent.

-- What is simulated and validated.
CREATE TABLE scenario (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT;

-- The metrics of a scenario with their targets, in versions that never change.
CREATE TABLE spec (
    id          INTEGER PRIMARY KEY,
    scenario_id INTEGER NOT NULL REFERENCES scenario,
    version     INTEGER NOT NULL,
    hash        TEXT    NOT NULL, -- hex SHA-256 of document
    title       TEXT,
    document    TEXT    NOT NULL, -- canonical JSON (RFC 8785)
    created_at  INTEGER NOT NULL,
    UNIQUE (scenario_id, version),
    UNIQUE (scenario_id, hash)
) STRICT;

-- The metrics of a spec, as its document has them.
CREATE TABLE spec_metric (
    spec_id      INTEGER NOT NULL REFERENCES spec,
    position     INTEGER NOT NULL, -- from 0, the order in which weighted scores are summed
    name         TEXT    NOT NULL,
    type         TEXT    NOT NULL,
    weight       REAL    NOT NULL,
    metric_group TEXT,
    computed     INTEGER NOT NULL CHECK (computed IN (0, 1)), -- the spec says how its value follows from a series
    PRIMARY KEY (spec_id, position),
    UNIQUE (spec_id, name)
) STRICT, WITHOUT ROWID;

-- What was run: parameters, and the code with its state.
CREATE TABLE configuration (
    id         INTEGER PRIMARY KEY,
    hash       TEXT    NOT NULL UNIQUE, -- hex SHA-256 of the canonical JSON of the columns below
    label      TEXT,
    params     TEXT    NOT NULL, -- canonical JSON object
    commit_id  TEXT,
    dirty      INTEGER NOT NULL CHECK (dirty IN (0, 1)),
    diff_hash  TEXT,
    files_hash TEXT,
    state_unknown TEXT, -- if set, the code may differ from the commit in any way; each sweep or record has its own text
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX configuration_label ON configuration (label) WHERE label IS NOT NULL;

-- The configurations that a scenario has seeds of, to be listed without reading the seeds.
CREATE TABLE scenario_configuration (
    id               INTEGER PRIMARY KEY, -- grows with the first seed of each pair
    scenario_id      INTEGER NOT NULL REFERENCES scenario,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    UNIQUE (scenario_id, configuration_id)
) STRICT;

-- Where it was run: the machine and its software.
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

-- One run of a scenario with one seed.
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
    started_at       INTEGER,
    duration_us      INTEGER,
    recorded_at      INTEGER NOT NULL,
    checksum         BLOB    NOT NULL, -- SHA-256 of ulid, the three ids, number, outcome, message, digest, and the three times
    superseded_at    INTEGER, -- set when another seed took its place, or when it was withdrawn
    withdrawn_at     INTEGER, -- set when it was withdrawn; it follows from the table withdrawal
    numbers          TEXT    NOT NULL, -- its values, by name: {"a":0.07,"b":null,"c":"-Infinity"}; null is NaN
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
    actor         TEXT,
    at            INTEGER NOT NULL,
    CHECK ((kind = 'sweep') = (configuration IS NULL) AND (kind = 'seed') = (number IS NOT NULL) AND (kind = 'seed') = (digest IS NOT NULL)
           AND (kind <> 'sweep' OR sweep IS NOT NULL))
) STRICT;
CREATE INDEX withdrawal_place ON withdrawal (scenario_id, configuration, number);
CREATE INDEX withdrawal_sweep ON withdrawal (sweep) WHERE sweep IS NOT NULL;

-- The judgement of a seed under a spec; a seed may have one for each version. The results are a JSON array in the order of
-- the metrics of the spec. Each is an array of the status (0 PASS, 1 WARN, 2 FAIL) and the score, which is null if the
-- value is missing. A third element is a value that was computed from series; a fourth is the reason why there is none.
CREATE TABLE assessment (
    seed_id     INTEGER NOT NULL REFERENCES seed,
    spec_id     INTEGER NOT NULL REFERENCES spec,
    total_score REAL, -- NULL if a metric is missing
    n_pass      INTEGER NOT NULL,
    n_warn      INTEGER NOT NULL,
    n_fail      INTEGER NOT NULL,
    assessed_at INTEGER NOT NULL,
    results     TEXT    NOT NULL,
    checksum    BLOB    NOT NULL, -- SHA-256 of the columns before it
    PRIMARY KEY (seed_id, spec_id)
) STRICT;

-- The numbers of a series, stored once however many seeds have them.
CREATE TABLE series_content (
    id        INTEGER PRIMARY KEY,
    hash      BLOB    NOT NULL UNIQUE, -- SHA-256 over the little-endian numbers
    n         INTEGER NOT NULL,
    pruned_at INTEGER -- set when the chunks were deleted to free space; hash and n stay
) STRICT;

-- The numbers of a series, encoded in chunks.
CREATE TABLE series_chunk (
    content_id INTEGER NOT NULL REFERENCES series_content,
    position   INTEGER NOT NULL, -- from 0
    n          INTEGER NOT NULL,
    data       BLOB    NOT NULL, -- encoded by package series
    UNIQUE (content_id, position)
) STRICT;

-- The series of a seed.
CREATE TABLE seed_series (
    seed_id    INTEGER NOT NULL REFERENCES seed,
    name       TEXT    NOT NULL,
    content_id INTEGER NOT NULL REFERENCES series_content,
    PRIMARY KEY (seed_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX seed_series_content ON seed_series (content_id);

-- The configuration of a scenario that others are compared with. Rows are only added: the newest of a scenario is the
-- active one.
CREATE TABLE baseline (
    id               INTEGER PRIMARY KEY,
    ulid             TEXT    NOT NULL UNIQUE,
    scenario_id      INTEGER NOT NULL REFERENCES scenario,
    configuration_id INTEGER REFERENCES configuration, -- NULL if the pin was taken away
    previous_id      INTEGER REFERENCES baseline,      -- what it replaced
    reason           TEXT,
    actor            TEXT,
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
    actor            TEXT,
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
    looked_at INTEGER NOT NULL,
    UNIQUE (question, evidence, plan)
) STRICT;

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
    started_at     INTEGER NOT NULL,
    ended_at       INTEGER, -- NULL while it runs, and if it was killed
    ending         TEXT CHECK (ending IN ('finished', 'decided', 'undecided', 'interrupted')), -- NULL while it runs, and if it was killed
    code_changed   INTEGER NOT NULL CHECK (code_changed IN (0, 1)), -- while it ran: its seeds may be of other code than they say
    withdrawn_at   INTEGER -- set when its plan was withdrawn; it follows from the table withdrawal
) STRICT;
CREATE INDEX sweep_scenario ON sweep (scenario_id);

-- The configurations of a sweep, and the seeds that it planned for each: the denominator of every share.
CREATE TABLE sweep_configuration (
    sweep_id         INTEGER NOT NULL REFERENCES sweep,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    position         INTEGER NOT NULL, -- from 0, in the order of the grid
    seeds            TEXT    NOT NULL, -- as 0..99,200
    n_planned        INTEGER NOT NULL, -- how many these are
    PRIMARY KEY (sweep_id, configuration_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sweep_configuration_of ON sweep_configuration (configuration_id);

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
    checksum         BLOB    NOT NULL  -- SHA-256 of name, keep_text, seed, subject, trials_elsewhere and created_at; the rest follows from the ledger
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
    checksum            BLOB    NOT NULL, -- SHA-256 of the columns before it; of content it covers whether there is one
    UNIQUE (lineage_id, name)
) STRICT;
CREATE INDEX version_content ON version (lineage_id, content_digest) WHERE content_digest IS NOT NULL;

-- One execution of an agent.
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
    priced             TEXT, -- date of the table of prices that cost_usd was computed by; NULL if the source gave it
    n_calls            INTEGER NOT NULL,
    n_failed           INTEGER NOT NULL, -- calls that the source calls failed
    n_unknown          INTEGER NOT NULL, -- calls whose outcome the source does not tell
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
    at                 INTEGER NOT NULL, -- when it started, or when it was recorded if that is unknown
    started_at         INTEGER,
    duration_us        INTEGER,
    recorded_at        INTEGER NOT NULL,
    forgotten_at       INTEGER, -- set when its texts were removed
    truths             TEXT,    -- ground-truth labels, such as a reward: {"reward":1}
    checksum           BLOB    NOT NULL, -- SHA-256 of the columns between id and it, the calls, requests and scores; of texts with a digest it covers whether they are kept
    is_indexed         INTEGER NOT NULL DEFAULT 0 CHECK (is_indexed IN (0, 1)), -- its texts are in text_index, or it has none
    UNIQUE (ulid, lineage_id)
) STRICT;
CREATE UNIQUE INDEX execution_identity ON execution (lineage_id, source, key);
CREATE INDEX execution_lineage ON execution (lineage_id, at);
CREATE INDEX execution_version ON execution (version_id, at);
CREATE INDEX execution_at ON execution (at);
CREATE INDEX execution_open ON execution (session) WHERE is_open = 1;
CREATE INDEX execution_unindexed ON execution (id) WHERE is_indexed = 0;

-- The tool calls of an execution. call, request and execution_score declare no foreign keys to execution: track check
-- compares them.
CREATE TABLE call (
    execution_id  INTEGER NOT NULL,
    position      INTEGER NOT NULL, -- from 0, in the order of their start
    key           TEXT    NOT NULL,
    tool          TEXT    NOT NULL,
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
    request       INTEGER, -- number of the request that asked for it; NULL if unknown
    PRIMARY KEY (execution_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX call_key ON call (key) WHERE key <> '';

-- Requests to a model within an execution.
CREATE TABLE request (
    execution_id       INTEGER NOT NULL,
    number             INTEGER NOT NULL, -- from 1, in their order
    message_id         TEXT,             -- what the service calls the answer
    request_id         TEXT,             -- what the service calls the request
    model              TEXT,             -- NULL if it is the model of the execution
    tokens_input       INTEGER,
    tokens_output      INTEGER,
    tokens_cache_read  INTEGER,
    tokens_cache_write INTEGER,
    tokens_reasoning   INTEGER,
    PRIMARY KEY (execution_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_message ON request (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX request_id ON request (request_id) WHERE request_id IS NOT NULL;

-- The score of an execution under a rubric. The rubric "own" is the caller's, and judge:MODEL@HASH is of a judge model and
-- the hash of its prompt.
CREATE TABLE execution_score (
    execution_id INTEGER NOT NULL,
    rubric       TEXT    NOT NULL,
    score        REAL, -- 0..100; NULL if nothing, or not enough, could be measured
    grade        TEXT,
    n_failed     INTEGER NOT NULL, -- calls that the rubric calls failed
    n_unknown    INTEGER NOT NULL, -- calls of unknown outcome
    scored_at    INTEGER NOT NULL,
    components   TEXT, -- parts of the score from 0 to 1, null if one could not be measured: {"a":0.5,"b":null}
    document     BLOB, -- gzip of JSON: components with reasons and counts
    PRIMARY KEY (execution_id, rubric)
) STRICT;

-- Index of the texts of executions that are kept: rowid is execution_id << 24 | the number of the text. An execution is
-- indexed when texts are searched, because that takes longer than to record it.
CREATE VIRTUAL TABLE text_index USING fts5(text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2");

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

-- The parents of a mutation.
CREATE TABLE mutation_parent (
    mutation_id INTEGER NOT NULL REFERENCES mutation,
    position    INTEGER NOT NULL, -- from 0, which is the one that the child is compared with
    version_id  INTEGER NOT NULL REFERENCES version,
    PRIMARY KEY (mutation_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX mutation_parent_version ON mutation_parent (version_id);

-- Events of hooks that are not part of a final execution yet. They are removed some minutes after their execution is
-- final.
CREATE TABLE hook_event (
    id          INTEGER PRIMARY KEY,
    session     TEXT    NOT NULL,
    agent       TEXT    NOT NULL, -- of a subagent; empty for the main one
    name        TEXT    NOT NULL,
    key         TEXT    NOT NULL, -- identity within the session, such as a tool_use_id
    at          INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    lineage     TEXT    NOT NULL,
    version     TEXT,
    execution   TEXT,             -- ULID of the execution that it is part of
    settled_at  INTEGER,          -- when its execution became final
    body        TEXT    NOT NULL  -- JSON: what an execution is made of, masked and reduced
) STRICT;
CREATE UNIQUE INDEX hook_event_identity ON hook_event (session, agent, name, key);
CREATE INDEX hook_event_at ON hook_event (session, agent, at);
CREATE INDEX hook_event_settled ON hook_event (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX hook_event_open ON hook_event (session, agent, received_at) WHERE settled_at IS NULL;

-- How many events of each name arrived, to see whether any do.
CREATE TABLE hook_arrival (
    name    TEXT    PRIMARY KEY,
    n       INTEGER NOT NULL,
    last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The bytes of a small file, stored once however many seeds have it.
CREATE TABLE artifact_content (
    id        INTEGER PRIMARY KEY,
    hash      BLOB    NOT NULL UNIQUE, -- SHA-256 of the bytes; of text, after masking
    n_bytes   INTEGER NOT NULL,
    data      BLOB,    -- gzip; NULL if it was deleted to free space: hash and n_bytes stay
    pruned_at INTEGER, -- when
    CHECK ((data IS NULL) = (pruned_at IS NOT NULL))
) STRICT;

-- The files that a seed left.
CREATE TABLE artifact (
    seed_id             INTEGER NOT NULL REFERENCES seed,
    name                TEXT    NOT NULL, -- relative path with slashes
    artifact_content_id INTEGER REFERENCES artifact_content,
    left_out            TEXT, -- why the content was not kept
    CHECK ((artifact_content_id IS NULL) = (left_out IS NOT NULL)),
    PRIMARY KEY (seed_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX artifact_content_of ON artifact (artifact_content_id);

-- Who may ask a server for what. Times of use are noted now and then.
CREATE TABLE token (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    hash       BLOB    NOT NULL UNIQUE, -- SHA-256 of the secret
    scopes     TEXT    NOT NULL, -- JSON array
    scenarios  TEXT    NOT NULL, -- JSON array of patterns
    lineages   TEXT    NOT NULL, -- JSON array of patterns
    actor      TEXT, -- who added it
    created_at INTEGER NOT NULL,
    expires_at INTEGER, -- NULL for never
    revoked_at INTEGER,
    used_at    INTEGER
) STRICT;

-- How far the lines of each spool of a client are recorded. Changed in the transaction that records the lines.
CREATE TABLE spool (
    ulid       TEXT    PRIMARY KEY,
    through    INTEGER NOT NULL, -- lines that the database has, or has refused
    refused    INTEGER NOT NULL, -- of them, lines that are not recorded
    actor      TEXT, -- who sent the last of them
    changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What tells this database from a copy of it. One row, made when it is first asked for; a backup has none.
CREATE TABLE epoch (
    id      INTEGER PRIMARY KEY, -- 1
    name    TEXT    NOT NULL,
    made_at INTEGER NOT NULL
) STRICT;
