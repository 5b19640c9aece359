-- +goose Up
CREATE TABLE seed_series (
    seed_id          bigint NOT NULL,
    configuration_id bigint NOT NULL, -- of the seed
    name_id          bigint NOT NULL REFERENCES series_name,
    content_id       bigint NOT NULL,
    PRIMARY KEY (seed_id, name_id, configuration_id)
);

-- +goose Down
DROP TABLE seed_series;
