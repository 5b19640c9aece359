-- +goose Up
-- Unique keys contain the column that a cluster would divide the table by. So no key makes id unique: it is the time in
-- microseconds since 2020, and the last bits of the number of the transaction.
CREATE TABLE seed (
    id               bigint           NOT NULL DEFAULT ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 1577836800000000) * 4096 + (pg_current_xact_id()::text::bigint & 4095),
    ulid             text COLLATE "C" NOT NULL,
    scenario_id      bigint           NOT NULL REFERENCES scenario,
    configuration_id bigint           NOT NULL REFERENCES configuration,
    number           bigint, -- the bits of an unsigned number; NULL for a run without a seed
    outcome          text COLLATE "C" CHECK (outcome IN ('ok', 'error', 'timeout', 'collapsed')), -- NULL while it runs
    message          text COLLATE "C",
    digest           bytea, -- SHA-256 of outcome and values; NULL while it runs
    environment_id   bigint           NOT NULL REFERENCES environment,
    actor_id         bigint           REFERENCES actor,
    started_at       bigint,
    duration_us      bigint,
    recorded_at      bigint           NOT NULL,
    checksum         bigint           NOT NULL, -- of ulid, the three ids, number, outcome, message, digest, and the three times
    superseded_at    bigint, -- set when another seed took its place, or when it was withdrawn
    withdrawn_at     bigint, -- set when it was withdrawn; it follows from the table withdrawal
    CHECK ((outcome IS NULL) = (digest IS NULL)),
    CHECK (withdrawn_at IS NULL OR superseded_at IS NOT NULL),
    PRIMARY KEY (id, configuration_id),
    UNIQUE (ulid, configuration_id)
);

-- +goose Down
DROP TABLE seed;
