-- +goose Up
-- A seed that was run again, to see whether it gives the same result.
CREATE TABLE repetition (
    id               bigint           NOT NULL DEFAULT ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 1577836800000000) * 4096 + (pg_current_xact_id()::text::bigint & 4095),
    ulid             text COLLATE "C" NOT NULL,
    seed_id          bigint           NOT NULL,
    configuration_id bigint           NOT NULL, -- of the seed
    sweep_id         bigint           REFERENCES sweep, -- NULL if somebody asked for this seed alone
    digest           bytea            NOT NULL, -- of the new outcome and values, as that of the seed
    differences      text COLLATE "C", -- JSON array of what differs
    repeated_at      bigint           NOT NULL,
    PRIMARY KEY (id, configuration_id),
    UNIQUE (seed_id, ulid, configuration_id)
);

-- +goose Down
DROP TABLE repetition;
