-- +goose Up
-- The numbers of a series, stored once however many seeds have them.
CREATE TABLE series_content (
    id        bigint NOT NULL DEFAULT ((extract(epoch FROM clock_timestamp()) * 1000000)::bigint - 1577836800000000) * 4096 + (pg_current_xact_id()::text::bigint & 4095), -- as of seed
    hash      bytea  NOT NULL, -- SHA-256 over the little-endian numbers
    n         bigint NOT NULL,
    pruned_at bigint, -- set when the chunks were deleted to free space; hash and n stay
    PRIMARY KEY (id, hash),
    UNIQUE (hash)
);

-- +goose Down
DROP TABLE series_content;
