-- +goose Up
-- Long texts that came with a run, compressed, each once: what a program wrote to standard error, changes of code,
-- lists of libraries.
CREATE TABLE attachment (
    id      bigint NOT NULL DEFAULT ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 1577836800000000) * 4096 + (pg_current_xact_id()::text::bigint & 4095), -- as of seed
    hash    bytea  NOT NULL, -- SHA-256 of the text
    n_bytes bigint NOT NULL, -- of the text
    data    bytea  NOT NULL, -- gzip
    PRIMARY KEY (id, hash),
    UNIQUE (hash)
);

-- +goose Down
DROP TABLE attachment;
