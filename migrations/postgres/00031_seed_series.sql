-- +goose Up
CREATE TABLE seed_series (
    seed_id    bigint NOT NULL,
    name_id    bigint NOT NULL REFERENCES series_name,
    content_id bigint NOT NULL,
    PRIMARY KEY (seed_id, name_id)
);

-- +goose Down
DROP TABLE seed_series;
