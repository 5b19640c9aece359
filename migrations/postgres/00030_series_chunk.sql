-- +goose Up
CREATE TABLE series_chunk (
    content_id bigint NOT NULL,
    hash       bytea  NOT NULL, -- of the content
    position   bigint NOT NULL, -- from 0
    n          bigint NOT NULL,
    data       bytea  NOT NULL, -- encoded by package series
    UNIQUE (content_id, position, hash)
);

-- +goose Down
DROP TABLE series_chunk;
