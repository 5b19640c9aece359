-- +goose Up
-- The values of a seed, in the order of metrics: a row for each number would take 83 bytes of it.
CREATE TABLE packed_value (
    seed_id          bigint             NOT NULL,
    configuration_id bigint             NOT NULL, -- of the seed
    metric_ids       integer[]          NOT NULL,
    numbers          double precision[] NOT NULL,
    PRIMARY KEY (seed_id, configuration_id)
);

-- +goose Down
DROP TABLE packed_value;
