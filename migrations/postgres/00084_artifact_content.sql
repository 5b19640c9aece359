-- +goose Up
-- The bytes of a small file, stored once however many seeds have it.
CREATE TABLE artifact_content (
    id        bigint NOT NULL DEFAULT ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 1577836800000000) * 4096 + (pg_current_xact_id()::text::bigint & 4095), -- as of seed
    hash      bytea  NOT NULL, -- SHA-256 of the bytes; of text, after masking
    n_bytes   bigint NOT NULL,
    data      bytea, -- gzip; NULL if it was deleted to free space: hash and n_bytes stay
    pruned_at bigint, -- when
    CHECK ((data IS NULL) = (pruned_at IS NOT NULL)),
    PRIMARY KEY (id, hash),
    UNIQUE (hash)
);

-- +goose Down
DROP TABLE artifact_content;
