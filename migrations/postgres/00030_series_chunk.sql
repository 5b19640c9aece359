-- +goose Up
CREATE TABLE series_chunk (
    content_id bigint NOT NULL,
    position   bigint NOT NULL, -- from 0
    n          bigint NOT NULL,
    data       bytea  NOT NULL, -- encoded by package series
    UNIQUE (content_id, position)
);

-- +goose Down
DROP TABLE series_chunk;
