-- +goose Up
-- A seed that was run again, to see whether it gives the same result.
CREATE TABLE repetition (
    id          bigint           PRIMARY KEY DEFAULT ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 1577836800000000) * 2048 + floor(random() * 2048)::bigint,
    ulid        text COLLATE "C" NOT NULL,
    seed_id     bigint           NOT NULL,
    sweep_id    bigint           REFERENCES sweep, -- NULL if somebody asked for this seed alone
    digest      bytea            NOT NULL, -- of the new outcome and values, as that of the seed
    differences text COLLATE "C", -- JSON array of what differs
    repeated_at bigint           NOT NULL,
    UNIQUE (seed_id, ulid)
);

-- +goose Down
DROP TABLE repetition;
