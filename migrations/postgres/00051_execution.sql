-- +goose Up
-- Unique keys contain the column that a cluster would divide the table by. So no key makes id unique: it is the time in
-- microseconds since 2020, and the last bits of the number of the transaction.
CREATE TABLE execution (
    id                 bigint           NOT NULL DEFAULT ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 1577836800000000) * 4096 + (pg_current_xact_id()::text::bigint & 4095),
    ulid               text COLLATE "C" NOT NULL,
    lineage_id         bigint           NOT NULL REFERENCES lineage,
    version_id         bigint           NOT NULL,
    source             text COLLATE "C" NOT NULL, -- format that it was read from; empty if it was recorded as such
    key                text COLLATE "C" NOT NULL, -- identity within the source; the ULID if it has none
    task               text COLLATE "C",
    task_type          text COLLATE "C",
    complexity         text COLLATE "C",
    trial              bigint           NOT NULL,
    session            text COLLATE "C",
    status             text COLLATE "C" NOT NULL CHECK (status IN ('ok', 'timeout', 'error', 'invalid')),
    message            text COLLATE "C",
    corrections        bigint           NOT NULL,
    truncated          smallint         NOT NULL CHECK (truncated IN (0, 1)),
    holdout            smallint         NOT NULL CHECK (holdout IN (0, 1)), -- never used to decide
    model              text COLLATE "C",
    tokens_input       bigint,
    tokens_output      bigint,
    tokens_cache_read  bigint,
    tokens_cache_write bigint,
    tokens_reasoning   bigint,
    cost_usd           double precision,
    n_calls            bigint           NOT NULL,
    n_failed           bigint           NOT NULL, -- calls that the source calls failed
    rubric             text COLLATE "C", -- of the active score, in execution_score
    prompt             text COLLATE "C", -- what was asked, masked; NULL if unknown, not kept or forgotten
    prompt_bytes       bigint,
    prompt_digest      bytea, -- SHA-256 of the masked text
    output             text COLLATE "C", -- final text, masked; NULL if unknown, not kept or forgotten
    output_bytes       bigint,
    output_digest      bytea, -- SHA-256 of the masked text
    digest             bytea            NOT NULL, -- SHA-256 of all that was recorded, masked by the rules of that time
    structure          bytea            NOT NULL, -- SHA-256 of all but the texts: it does not depend on what is masked
    masking            bigint           NOT NULL, -- version of the rules that masked the texts
    is_open            smallint         NOT NULL CHECK (is_open IN (0, 1)), -- its source ended within it: importing again may complete it
    actor_id           bigint           REFERENCES actor,
    at                 bigint           NOT NULL, -- when it started, or when it was recorded if that is unknown
    started_at         bigint,
    duration_us        bigint,
    recorded_at        bigint           NOT NULL,
    forgotten_at       bigint, -- set when its texts were removed
    checksum           bigint           NOT NULL, -- of the columns between id and it, its calls and its truths; of texts with a digest it covers whether they are kept
    PRIMARY KEY (id, lineage_id),
    UNIQUE (ulid, lineage_id)
);

-- +goose Down
DROP TABLE execution;
