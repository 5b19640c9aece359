CREATE TABLE goose_db_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	)
CREATE TABLE sqlite_sequence(name,seq)
CREATE TABLE actor (
    id   INTEGER PRIMARY KEY,
    name TEXT    NOT NULL UNIQUE
) STRICT
CREATE TABLE scenario (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    created_at INTEGER NOT NULL
) STRICT
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
) STRICT
CREATE TABLE metric (
    id   INTEGER PRIMARY KEY,
    name TEXT    NOT NULL UNIQUE
) STRICT
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
) STRICT, WITHOUT ROWID
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
) STRICT
CREATE INDEX configuration_label ON configuration (label) WHERE label IS NOT NULL
CREATE TABLE scenario_configuration (
    id               INTEGER PRIMARY KEY, -- grows with the first seed of each pair
    scenario_id      INTEGER NOT NULL REFERENCES scenario,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    n_seeds          INTEGER NOT NULL, -- that are not superseded: if a read finds another number, the database is damaged
    UNIQUE (scenario_id, configuration_id)
) STRICT
CREATE TABLE environment (
    id       INTEGER PRIMARY KEY,
    hash     TEXT    NOT NULL UNIQUE, -- hex SHA-256 of document
    document TEXT    NOT NULL         -- canonical JSON object of strings
) STRICT
CREATE TABLE attachment (
    id      INTEGER PRIMARY KEY,
    hash    BLOB    NOT NULL UNIQUE, -- SHA-256 of the text
    n_bytes INTEGER NOT NULL,        -- of the text
    data    BLOB    NOT NULL         -- gzip
) STRICT
CREATE TABLE tombstone (
    id       INTEGER PRIMARY KEY,
    ulid     TEXT    NOT NULL UNIQUE, -- of the execution
    digest   BLOB    NOT NULL,        -- of the execution
    identity BLOB    NOT NULL,        -- the hash of its lineage, source and key
    reason   TEXT,
    at       INTEGER NOT NULL
) STRICT
CREATE INDEX tombstone_digest ON tombstone (digest)
CREATE INDEX tombstone_identity ON tombstone (identity)
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
    actor_id         INTEGER REFERENCES actor,
    started_at       INTEGER,
    duration_us      INTEGER,
    recorded_at      INTEGER NOT NULL,
    checksum         INTEGER NOT NULL, -- of ulid, the three ids, number, outcome, message, digest, and the three times
    superseded_at    INTEGER, -- set when another seed took its place, or when it was withdrawn
    withdrawn_at     INTEGER, -- set when it was withdrawn; it follows from the table withdrawal
    CHECK ((outcome IS NULL) = (digest IS NULL)),
    CHECK (withdrawn_at IS NULL OR superseded_at IS NOT NULL),
    UNIQUE (ulid, configuration_id)
) STRICT
CREATE UNIQUE INDEX seed_identity ON seed (scenario_id, configuration_id, number) WHERE superseded_at IS NULL
CREATE INDEX seed_withdrawn ON seed (scenario_id, configuration_id, number) WHERE withdrawn_at IS NOT NULL
CREATE INDEX seed_newest ON seed (scenario_id, recorded_at)
CREATE INDEX seed_failed ON seed (outcome, scenario_id) WHERE outcome <> 'ok'
CREATE INDEX seed_recorded ON seed (recorded_at)
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
    actor_id      INTEGER REFERENCES actor,
    at            INTEGER NOT NULL,
    CHECK ((kind = 'sweep') = (configuration IS NULL) AND (kind = 'seed') = (number IS NOT NULL) AND (kind = 'seed') = (digest IS NOT NULL)
           AND (kind <> 'sweep' OR sweep IS NOT NULL))
) STRICT
CREATE INDEX withdrawal_place ON withdrawal (scenario_id, configuration, number)
CREATE INDEX withdrawal_sweep ON withdrawal (sweep) WHERE sweep IS NOT NULL
CREATE TABLE value (
    seed_id   INTEGER NOT NULL,
    metric_id INTEGER NOT NULL,
    value     ANY,
    PRIMARY KEY (seed_id, metric_id)
) STRICT, WITHOUT ROWID
CREATE TABLE assessment (
    seed_id     INTEGER NOT NULL REFERENCES seed,
    spec_id     INTEGER NOT NULL REFERENCES spec,
    total_score REAL, -- NULL if a metric is missing
    n_pass      INTEGER NOT NULL,
    n_warn      INTEGER NOT NULL,
    n_fail      INTEGER NOT NULL,
    assessed_at INTEGER NOT NULL,
    checksum    INTEGER NOT NULL, -- of the columns before it
    PRIMARY KEY (seed_id, spec_id)
) STRICT, WITHOUT ROWID
CREATE TABLE result (
    seed_id   INTEGER NOT NULL,
    spec_id   INTEGER NOT NULL,
    metric_id INTEGER NOT NULL,
    status    INTEGER NOT NULL CHECK (status BETWEEN 0 AND 2), -- PASS, WARN, FAIL; a list would cost a quarter of the time
    score     REAL, -- NULL if the value is missing
    PRIMARY KEY (seed_id, spec_id, metric_id)
) STRICT, WITHOUT ROWID
CREATE TABLE series_name (
    id   INTEGER PRIMARY KEY,
    name TEXT    NOT NULL UNIQUE
) STRICT
CREATE TABLE series_content (
    id        INTEGER PRIMARY KEY,
    hash      BLOB    NOT NULL UNIQUE, -- SHA-256 over the little-endian numbers
    n         INTEGER NOT NULL,
    pruned_at INTEGER -- set when the chunks were deleted to free space; hash and n stay
) STRICT
CREATE TABLE series_chunk (
    content_id INTEGER NOT NULL REFERENCES series_content,
    position   INTEGER NOT NULL, -- from 0
    n          INTEGER NOT NULL,
    data       BLOB    NOT NULL, -- encoded by package series
    UNIQUE (content_id, position)
) STRICT
CREATE TABLE seed_series (
    seed_id    INTEGER NOT NULL REFERENCES seed,
    name_id    INTEGER NOT NULL REFERENCES series_name,
    content_id INTEGER NOT NULL REFERENCES series_content,
    PRIMARY KEY (seed_id, name_id)
) STRICT, WITHOUT ROWID
CREATE INDEX seed_series_content ON seed_series (content_id)
CREATE TABLE computed_value (
    seed_id   INTEGER NOT NULL,
    spec_id   INTEGER NOT NULL,
    metric_id INTEGER NOT NULL,
    value     ANY,  -- NULL is NaN, or no value if there is a reason
    reason    TEXT, -- why there is no value
    PRIMARY KEY (seed_id, spec_id, metric_id)
) STRICT, WITHOUT ROWID
CREATE TABLE baseline (
    id               INTEGER PRIMARY KEY,
    ulid             TEXT    NOT NULL UNIQUE,
    scenario_id      INTEGER NOT NULL REFERENCES scenario,
    configuration_id INTEGER REFERENCES configuration, -- NULL if the pin was taken away
    previous_id      INTEGER REFERENCES baseline,      -- what it replaced
    reason           TEXT,
    actor_id         INTEGER REFERENCES actor,
    set_at           INTEGER NOT NULL
) STRICT
CREATE INDEX baseline_scenario ON baseline (scenario_id, set_at)
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
) STRICT
CREATE INDEX annotation_scenario ON annotation (scenario_id, configuration_id)
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
) STRICT
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
) STRICT
CREATE INDEX sweep_scenario ON sweep (scenario_id)
CREATE TABLE sweep_configuration (
    sweep_id         INTEGER NOT NULL REFERENCES sweep,
    configuration_id INTEGER NOT NULL REFERENCES configuration,
    position         INTEGER NOT NULL, -- from 0, in the order of the grid
    PRIMARY KEY (sweep_id, configuration_id)
) STRICT, WITHOUT ROWID
CREATE INDEX sweep_configuration_of ON sweep_configuration (configuration_id)
CREATE TABLE sweep_seeds (
    sweep_id         INTEGER NOT NULL,
    configuration_id INTEGER NOT NULL,
    first            INTEGER NOT NULL, -- the bits of an unsigned number, as seed.number
    last             INTEGER NOT NULL, -- on the same side of 2^63 as first
    CHECK ((first < 0) = (last < 0) AND first <= last),
    PRIMARY KEY (sweep_id, configuration_id, first),
    FOREIGN KEY (sweep_id, configuration_id) REFERENCES sweep_configuration
) STRICT, WITHOUT ROWID
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
) STRICT, WITHOUT ROWID
CREATE INDEX run_sweep ON run (sweep_id)
CREATE TABLE repetition (
    id          INTEGER PRIMARY KEY,
    ulid        TEXT    NOT NULL,
    seed_id     INTEGER NOT NULL REFERENCES seed,
    sweep_id    INTEGER REFERENCES sweep, -- NULL if somebody asked for this seed alone
    digest      BLOB    NOT NULL,         -- of the new outcome and values, as that of the seed
    differences TEXT,                     -- JSON array of what differs
    repeated_at INTEGER NOT NULL,
    UNIQUE (seed_id, ulid)
) STRICT
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
) STRICT
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
) STRICT
CREATE INDEX version_content ON version (lineage_id, content_digest) WHERE content_digest IS NOT NULL
CREATE TABLE tool (
    id   INTEGER PRIMARY KEY,
    name TEXT    NOT NULL UNIQUE
) STRICT
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
) STRICT
CREATE UNIQUE INDEX execution_identity ON execution (lineage_id, source, key)
CREATE INDEX execution_lineage ON execution (lineage_id, at)
CREATE INDEX execution_version ON execution (version_id, at)
CREATE INDEX execution_at ON execution (at)
CREATE INDEX execution_open ON execution (session) WHERE is_open = 1
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
    duration_us   INTEGER, request INTEGER,
    PRIMARY KEY (execution_id, position)
) STRICT, WITHOUT ROWID
CREATE TABLE truth (
    execution_id INTEGER NOT NULL,
    name         TEXT    NOT NULL,
    value        REAL    NOT NULL,
    PRIMARY KEY (execution_id, name)
) STRICT, WITHOUT ROWID
CREATE TABLE execution_score (
    execution_id INTEGER NOT NULL,
    rubric       TEXT    NOT NULL,
    score        REAL, -- 0..100; NULL if nothing, or not enough, could be measured
    grade        TEXT,
    n_failed     INTEGER NOT NULL, -- calls that the rubric calls failed
    scored_at    INTEGER NOT NULL,
    checksum     INTEGER NOT NULL, -- of the columns before it, the document and the components
    PRIMARY KEY (execution_id, rubric)
) STRICT, WITHOUT ROWID
CREATE TABLE score_document (
    execution_id INTEGER NOT NULL,
    rubric       TEXT    NOT NULL,
    document     BLOB    NOT NULL, -- JSON, plain or gzip: components with reasons and counts
    PRIMARY KEY (execution_id, rubric)
) STRICT
CREATE TABLE component (
    execution_id INTEGER NOT NULL,
    rubric       TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    value        REAL, -- 0..1; NULL if it could not be measured
    PRIMARY KEY (execution_id, rubric, name)
) STRICT, WITHOUT ROWID
CREATE TABLE damage (
    digest BLOB PRIMARY KEY -- SHA-256 of the lineage, the path of the file, the line, what stands there, and the reason
) STRICT, WITHOUT ROWID
CREATE VIRTUAL TABLE text_index USING fts5(text, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 2")
CREATE TABLE 'text_index_data'(id INTEGER PRIMARY KEY, block BLOB)
CREATE TABLE 'text_index_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID
CREATE TABLE 'text_index_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER)
CREATE TABLE 'text_index_config'(k PRIMARY KEY, v) WITHOUT ROWID
CREATE TABLE unindexed (
    execution_id INTEGER PRIMARY KEY
) STRICT
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
) STRICT
CREATE UNIQUE INDEX ledger_attempt ON ledger (lineage_id, mutation, attempt) WHERE attempt IS NOT NULL
CREATE INDEX ledger_mutation ON ledger (lineage_id, mutation, number)
CREATE INDEX ledger_kind ON ledger (lineage_id, kind, number)
CREATE INDEX ledger_head ON ledger (lineage_id, number) WHERE head_before IS DISTINCT FROM head_after
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
) STRICT
CREATE INDEX mutation_open ON mutation (lineage_id, number) WHERE state IN ('proposed', 'continue')
CREATE INDEX mutation_state ON mutation (lineage_id, state)
CREATE INDEX mutation_proposed ON mutation (lineage_id, proposed_at)
CREATE INDEX mutation_child ON mutation (child_id)
CREATE TABLE mutation_parent (
    mutation_id INTEGER NOT NULL REFERENCES mutation,
    position    INTEGER NOT NULL, -- from 0, which is the one that the child is compared with
    version_id  INTEGER NOT NULL REFERENCES version,
    PRIMARY KEY (mutation_id, position)
) STRICT, WITHOUT ROWID
CREATE INDEX mutation_parent_version ON mutation_parent (version_id)
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
) STRICT, WITHOUT ROWID
CREATE INDEX activation_fitness ON activation (lineage_id, rubric, fitness DESC, position)
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
) STRICT
CREATE UNIQUE INDEX hook_event_identity ON hook_event (session, agent, name, key)
CREATE INDEX hook_event_at ON hook_event (session, agent, at)
CREATE INDEX hook_event_settled ON hook_event (settled_at) WHERE settled_at IS NOT NULL
CREATE INDEX hook_event_open ON hook_event (session, agent, received_at) WHERE settled_at IS NULL
CREATE TABLE hook_arrival (
    name    TEXT    PRIMARY KEY,
    n       INTEGER NOT NULL,
    last_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID
CREATE TABLE artifact_content (
    id        INTEGER PRIMARY KEY,
    hash      BLOB    NOT NULL UNIQUE, -- SHA-256 of the bytes; of text, after masking
    n_bytes   INTEGER NOT NULL,
    data      BLOB,    -- gzip; NULL if it was deleted to free space: hash and n_bytes stay
    pruned_at INTEGER, -- when
    CHECK ((data IS NULL) = (pruned_at IS NOT NULL))
) STRICT
CREATE TABLE artifact (
    seed_id             INTEGER NOT NULL REFERENCES seed,
    name                TEXT    NOT NULL, -- relative path with slashes
    artifact_content_id INTEGER REFERENCES artifact_content,
    left_out            TEXT, -- why the content was not kept
    CHECK ((artifact_content_id IS NULL) = (left_out IS NOT NULL)),
    PRIMARY KEY (seed_id, name)
) STRICT, WITHOUT ROWID
CREATE INDEX artifact_content_of ON artifact (artifact_content_id)
CREATE TABLE token (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    hash       BLOB    NOT NULL UNIQUE, -- SHA-256 of the secret
    scopes     TEXT    NOT NULL, -- JSON array
    scenarios  TEXT    NOT NULL, -- JSON array of patterns
    lineages   TEXT    NOT NULL, -- JSON array of patterns
    actor_id   INTEGER REFERENCES actor, -- who added it
    created_at INTEGER NOT NULL,
    expires_at INTEGER, -- NULL for never
    revoked_at INTEGER,
    used_at    INTEGER
) STRICT
CREATE TABLE spool (
    ulid       TEXT    PRIMARY KEY,
    through    INTEGER NOT NULL, -- lines that the database has, or has refused
    refused    INTEGER NOT NULL, -- of them, lines that are not recorded
    actor_id   INTEGER REFERENCES actor, -- who sent the last of them
    changed_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID
CREATE TABLE epoch (
    id      INTEGER PRIMARY KEY, -- 1
    name    TEXT    NOT NULL,
    made_at INTEGER NOT NULL
) STRICT
CREATE TABLE token_quota (
    token_id    INTEGER PRIMARY KEY REFERENCES token,
    max_records INTEGER,
    max_bytes   INTEGER
) STRICT
CREATE TABLE token_use (
    token_id INTEGER NOT NULL REFERENCES token,
    day      INTEGER NOT NULL, -- number of the day from 1970-01-01
    writer   TEXT    NOT NULL, -- the start of a server
    records  INTEGER NOT NULL,
    bytes    INTEGER NOT NULL, -- of the lines of these records, with the blobs that they name
    PRIMARY KEY (token_id, day, writer)
) STRICT, WITHOUT ROWID
CREATE TABLE request (
    execution_id       INTEGER NOT NULL,
    number             INTEGER NOT NULL, -- from 1, in their order
    model              TEXT,             -- NULL if it is the model of the execution
    tokens_input       INTEGER,
    tokens_output      INTEGER,
    tokens_cache_read  INTEGER,
    tokens_cache_write INTEGER,
    tokens_reasoning   INTEGER,
    PRIMARY KEY (execution_id, number)
) STRICT, WITHOUT ROWID
CREATE VIEW v_seed AS
SELECT scenario.name                                             AS scenario,
       printf('%u', seed.number)                                 AS seed,
       configuration.label                                       AS label,
       configuration.hash                                        AS configuration,
       configuration.commit_id                                   AS commit_id,
       configuration.dirty                                       AS dirty,
       configuration.params                                      AS params,
       seed.outcome                                              AS outcome,
       seed.message                                              AS message,
       spec.version                                              AS spec_version,
       CASE WHEN seed.outcome <> 'ok' OR assessment.n_fail > 0 THEN 'FAIL'
            WHEN assessment.n_warn > 0 THEN 'WARN'
            WHEN assessment.n_pass IS NOT NULL THEN 'PASS' END   AS status,
       assessment.total_score                                    AS total_score,
       assessment.n_pass                                         AS n_pass,
       assessment.n_warn                                         AS n_warn,
       assessment.n_fail                                         AS n_fail,
       strftime('%Y-%m-%dT%H:%M:%fZ', seed.started_at / 1e6, 'unixepoch')  AS started_at,
       seed.duration_us / 1e6                                    AS duration_s,
       strftime('%Y-%m-%dT%H:%M:%fZ', seed.recorded_at / 1e6, 'unixepoch') AS recorded_at,
       environment.document                                      AS environment,
       actor.name                                                AS actor,
       seed.ulid                                                 AS id
  FROM seed
  JOIN scenario ON scenario.id = seed.scenario_id
  JOIN configuration ON configuration.id = seed.configuration_id
  JOIN environment ON environment.id = seed.environment_id
  LEFT JOIN actor ON actor.id = seed.actor_id
  LEFT JOIN assessment ON assessment.seed_id = seed.id
        AND assessment.spec_id = (SELECT max(spec_id) FROM assessment WHERE seed_id = seed.id)
  LEFT JOIN spec ON spec.id = assessment.spec_id
 WHERE seed.superseded_at IS NULL
CREATE VIEW v_assessment AS
SELECT scenario.name             AS scenario,
       printf('%u', seed.number) AS seed,
       configuration.label       AS label,
       configuration.hash        AS configuration,
       spec.version              AS spec_version,
       spec.id = (SELECT max(spec_id) FROM assessment WHERE seed_id = seed.id) AS newest,
       CASE WHEN assessment.n_fail > 0 THEN 'FAIL' WHEN assessment.n_warn > 0 THEN 'WARN' ELSE 'PASS' END AS status,
       assessment.total_score    AS total_score,
       assessment.n_pass         AS n_pass,
       assessment.n_warn         AS n_warn,
       assessment.n_fail         AS n_fail,
       strftime('%Y-%m-%dT%H:%M:%fZ', assessment.assessed_at / 1e6, 'unixepoch') AS assessed_at,
       seed.ulid                 AS id
  FROM seed
  JOIN scenario ON scenario.id = seed.scenario_id
  JOIN configuration ON configuration.id = seed.configuration_id
  JOIN assessment ON assessment.seed_id = seed.id
  JOIN spec ON spec.id = assessment.spec_id
 WHERE seed.superseded_at IS NULL
CREATE VIEW v_result AS
SELECT scenario.name             AS scenario,
       printf('%u', seed.number) AS seed,
       configuration.label       AS label,
       configuration.hash        AS configuration,
       spec.version              AS spec_version,
       spec.id = (SELECT max(spec_id) FROM assessment WHERE seed_id = seed.id) AS newest,
       metric.name               AS metric,
       spec_metric.metric_group  AS metric_group,
       spec_metric.type          AS type,
       spec_metric.weight        AS weight,
       CASE WHEN computed_value.seed_id IS NULL THEN value.value ELSE computed_value.value END AS value,
       CASE result.status WHEN 0 THEN 'PASS' WHEN 1 THEN 'WARN' ELSE 'FAIL' END AS status,
       result.score              AS score,
       CASE WHEN computed_value.reason IS NOT NULL THEN 'missing: ' || computed_value.reason
            WHEN result.score IS NULL THEN 'missing'
            WHEN computed_value.seed_id IS NOT NULL AND (computed_value.value IS NULL OR abs(computed_value.value) = 9e999)
              OR computed_value.seed_id IS NULL AND (value.value IS NULL OR abs(value.value) = 9e999) THEN 'not finite' END AS reason,
       seed.ulid                 AS id
  FROM seed
  JOIN scenario ON scenario.id = seed.scenario_id
  JOIN configuration ON configuration.id = seed.configuration_id
  JOIN result ON result.seed_id = seed.id
  JOIN spec ON spec.id = result.spec_id
  JOIN metric ON metric.id = result.metric_id
  JOIN spec_metric ON spec_metric.spec_id = spec.id AND spec_metric.metric_id = result.metric_id
  LEFT JOIN value ON value.seed_id = seed.id AND value.metric_id = result.metric_id
  LEFT JOIN computed_value ON computed_value.seed_id = seed.id AND computed_value.spec_id = result.spec_id
        AND computed_value.metric_id = result.metric_id
 WHERE seed.superseded_at IS NULL
CREATE VIEW v_param AS
SELECT configuration.hash  AS configuration,
       configuration.label AS label,
       param.key           AS param,
       param.value       AS value,
       CASE WHEN param.type IN ('integer', 'real') THEN CAST(param.value AS REAL) END      AS number
  FROM configuration, json_each(configuration.params) AS param
CREATE VIEW v_stability AS
WITH scored AS (
    SELECT seed.scenario_id, seed.configuration_id, spec.id AS spec_id, spec.version,
           assessment.total_score,
           avg(assessment.total_score) OVER same AS mean,
           (seed.outcome = 'ok' AND assessment.seed_id IS NULL) AS unassessed,
           (assessment.total_score IS NOT NULL AND assessment.n_fail = 0) AS passed
      FROM seed
      JOIN spec ON spec.scenario_id = seed.scenario_id
      LEFT JOIN assessment ON assessment.seed_id = seed.id AND assessment.spec_id = spec.id
     WHERE seed.superseded_at IS NULL
    WINDOW same AS (PARTITION BY seed.scenario_id, seed.configuration_id, spec.id)
), aggregate AS (
    SELECT scenario_id, configuration_id, version,
           count(*) AS n_seeds, count(total_score) AS n_scored, count(CASE WHEN unassessed THEN 1 END) AS n_unassessed,
           avg(CASE WHEN passed THEN 1.0 WHEN unassessed THEN NULL ELSE 0.0 END) AS pass_rate,
           avg(total_score) AS mean_score,
           sqrt(avg((total_score - mean) * (total_score - mean))) AS std_score,
           min(total_score) AS min_score, max(total_score) AS max_score
      FROM scored
     GROUP BY scenario_id, configuration_id, spec_id, version
)
SELECT scenario.name           AS scenario,
       aggregate.version       AS spec_version,
       configuration.label     AS label,
       configuration.hash      AS configuration,
       configuration.commit_id AS commit_id,
       configuration.params    AS params,
       n_seeds, n_scored, n_seeds - n_scored - n_unassessed AS n_failed, n_unassessed, pass_rate, mean_score, std_score, min_score, max_score,
       mean_score * pass_rate * (1 - std_score) AS combined_score,
       pass_rate >= 0.9 AND coalesce(std_score <= 0.15, FALSE) AS stable
  FROM aggregate
  JOIN scenario ON scenario.id = aggregate.scenario_id
  JOIN configuration ON configuration.id = aggregate.configuration_id
CREATE VIEW v_sweep AS
SELECT sweep.ulid           AS id,
       scenario.name        AS scenario,
       configuration.label  AS label,
       configuration.hash   AS configuration,
       configuration.params AS params,
       (SELECT group_concat(CASE WHEN first = last THEN printf('%u', first) ELSE printf('%u', first) || '..' || printf('%u', last) END, ',')
          FROM (SELECT first, last FROM sweep_seeds
                 WHERE sweep_seeds.sweep_id = sweep.id AND sweep_seeds.configuration_id = configuration.id
                 ORDER BY first < 0, first) AS ranges) AS seeds,
       (SELECT coalesce(sum(last - first + 1), 0) FROM sweep_seeds
         WHERE sweep_seeds.sweep_id = sweep.id AND sweep_seeds.configuration_id = configuration.id) AS n_planned,
       (SELECT count(*) FROM seed
         WHERE seed.scenario_id = sweep.scenario_id AND seed.configuration_id = configuration.id
           AND seed.superseded_at IS NULL) AS n_recorded,
       sweep.plan ->> 'command' AS command,
       sweep.shard          AS shard,
       sweep.n_shards       AS n_shards,
       sweep.ending         AS ending,
       sweep.code_changed   AS code_changed,
       strftime('%Y-%m-%dT%H:%M:%fZ', sweep.started_at / 1e6, 'unixepoch') AS started_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', sweep.ended_at / 1e6, 'unixepoch')   AS ended_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', sweep.withdrawn_at / 1e6, 'unixepoch') AS withdrawn_at
  FROM sweep
  JOIN scenario ON scenario.id = sweep.scenario_id
  JOIN sweep_configuration ON sweep_configuration.sweep_id = sweep.id
  JOIN configuration ON configuration.id = sweep_configuration.configuration_id
CREATE VIEW v_run AS
SELECT scenario.name             AS scenario,
       printf('%u', seed.number) AS seed,
       configuration.label       AS label,
       configuration.hash        AS configuration,
       seed.outcome              AS outcome,
       run.attempt               AS attempts,
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
 WHERE seed.superseded_at IS NULL
CREATE VIEW v_artifact AS
SELECT scenario.name             AS scenario,
       printf('%u', seed.number) AS seed,
       configuration.label       AS label,
       configuration.hash        AS configuration,
       seed.outcome              AS outcome,
       artifact.name             AS name,
       artifact_content.n_bytes  AS n_bytes,
       lower(hex(artifact_content.hash)) AS hash,
       artifact.left_out         AS left_out,
       strftime('%Y-%m-%dT%H:%M:%fZ', artifact_content.pruned_at / 1e6, 'unixepoch') AS pruned_at,
       seed.ulid                 AS id
  FROM artifact
  JOIN seed ON seed.id = artifact.seed_id
  JOIN scenario ON scenario.id = seed.scenario_id
  JOIN configuration ON configuration.id = seed.configuration_id
  LEFT JOIN artifact_content ON artifact_content.id = artifact.artifact_content_id
 WHERE seed.superseded_at IS NULL
CREATE VIEW v_execution AS
SELECT lineage.name                                               AS lineage,
       nullif(version.name, '')                                   AS version,
       execution.task, execution.task_type, execution.complexity, execution.trial, execution.session,
       execution.status, execution.message, execution.is_open     AS open,
       execution_score.rubric                                     AS rubric,
       execution_score.score                                      AS score,
       execution_score.grade                                      AS grade,
       execution.n_calls, execution.n_failed, execution.corrections, execution.holdout, execution.model,
       execution.tokens_input, execution.tokens_output, execution.tokens_cache_read, execution.tokens_cache_write, execution.tokens_reasoning,
       execution.cost_usd,
       strftime('%Y-%m-%dT%H:%M:%fZ', execution.started_at / 1e6, 'unixepoch')  AS started_at,
       execution.duration_us / 1e6                                AS duration_s,
       strftime('%Y-%m-%dT%H:%M:%fZ', execution.recorded_at / 1e6, 'unixepoch') AS recorded_at,
       nullif(execution.source, '')                               AS source,
       execution.key, actor.name AS actor, execution.ulid         AS id
  FROM execution
  JOIN lineage ON lineage.id = execution.lineage_id
  JOIN version ON version.id = execution.version_id
  LEFT JOIN actor ON actor.id = execution.actor_id
  LEFT JOIN execution_score ON execution_score.execution_id = execution.id AND execution_score.rubric = execution.rubric
CREATE VIEW v_score AS
SELECT lineage.name                              AS lineage,
       nullif(version.name, '')                  AS version,
       execution.task                            AS task,
       execution_score.rubric                    AS rubric,
       coalesce(execution.rubric = execution_score.rubric, FALSE) AS active,
       execution_score.score                     AS score,
       execution_score.grade                     AS grade,
       execution_score.n_failed                  AS n_failed,
       strftime('%Y-%m-%dT%H:%M:%fZ', execution_score.scored_at / 1e6, 'unixepoch') AS scored_at,
       execution.ulid                            AS id
  FROM execution
  JOIN lineage ON lineage.id = execution.lineage_id
  JOIN version ON version.id = execution.version_id
  JOIN execution_score ON execution_score.execution_id = execution.id
CREATE VIEW v_call AS
SELECT execution.ulid     AS execution,
       call.position + 1  AS call,
       tool.name          AS tool,
       call.exit, call.error, call.answered, call.rejected, call.input_bytes, call.output_bytes,
       coalesce(call.output_whole, call.output_bytes) AS output_whole_bytes, lower(hex(call.input_digest)) AS input_digest,
       call.duration_us / 1e6 AS duration_s, call.request
  FROM call JOIN execution ON execution.id = call.execution_id JOIN tool ON tool.id = call.tool_id
CREATE VIEW v_request AS
SELECT lineage.name AS lineage, nullif(version.name, '') AS version, execution.task, execution.ulid AS execution,
       request.number     AS request,
       coalesce(request.model, execution.model) AS model,
       request.tokens_input, request.tokens_output, request.tokens_cache_read, request.tokens_cache_write, request.tokens_reasoning
  FROM request
  JOIN execution ON execution.id = request.execution_id
  JOIN lineage ON lineage.id = execution.lineage_id
  JOIN version ON version.id = execution.version_id
CREATE VIEW v_version AS
SELECT lineage.name AS lineage, nullif(version.name, '') AS version, nullif(parent.name, '') AS parent, version.operator, version.status, version.note,
       version.content, lower(hex(version.content_digest)) AS content_digest, version.source, version.source_score, version.source_parent_score,
       strftime('%Y-%m-%dT%H:%M:%fZ', version.source_created_at / 1e6, 'unixepoch') AS source_created_at,
       strftime('%Y-%m-%dT%H:%M:%fZ', version.created_at / 1e6, 'unixepoch')        AS created_at
  FROM version
  JOIN lineage ON lineage.id = version.lineage_id
  LEFT JOIN version AS parent ON parent.id = version.parent_id
CREATE VIEW v_mutation AS
SELECT lineage.name AS lineage, mutation.number, mutation.key AS mutation,
       (SELECT group_concat(name, ' ')
          FROM (SELECT version.name FROM mutation_parent JOIN version ON version.id = mutation_parent.version_id
                 WHERE mutation_parent.mutation_id = mutation.id ORDER BY mutation_parent.position) AS ordered) AS parents,
       child.name AS child, mutation.operator, mutation.risk, mutation.state, mutation.n_attempts, mutation.delta, mutation.cost_usd, mutation.note,
       mutation.source, strftime('%Y-%m-%dT%H:%M:%fZ', mutation.proposed_at / 1e6, 'unixepoch') AS proposed_at,
       birth.body ->> '$.origin.generation' AS generation, birth.body ->> '$.origin.iteration' AS iteration, birth.body ->> '$.origin.island' AS island,
       birth.body ->> '$.origin.cell' AS cell
  FROM mutation JOIN lineage ON lineage.id = mutation.lineage_id JOIN version AS child ON child.id = mutation.child_id
       LEFT JOIN ledger AS birth ON birth.lineage_id = mutation.lineage_id AND birth.mutation = mutation.key AND birth.kind IN ('proposal', 'refusal')
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
  FROM ledger JOIN lineage ON lineage.id = ledger.lineage_id WHERE ledger.kind = 'decision'
CREATE VIEW v_ledger AS
SELECT lineage.name AS lineage, ledger.number, ledger.kind, ledger.mutation, ledger.attempt, ledger.head_before, ledger.head_after,
       strftime('%Y-%m-%dT%H:%M:%fZ', ledger.at / 1e6, 'unixepoch') AS at, ledger.body, ledger.prev, ledger.hash
  FROM ledger JOIN lineage ON lineage.id = ledger.lineage_id