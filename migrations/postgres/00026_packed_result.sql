-- +goose Up
-- The results of a seed under a spec, in the order of metrics: a row for each number would take 83 bytes of it.
CREATE TABLE packed_result (
    seed_id          bigint             NOT NULL,
    configuration_id bigint             NOT NULL, -- of the seed
    spec_id          bigint             NOT NULL,
    metric_ids       integer[]          NOT NULL,
    statuses         smallint[]         NOT NULL, -- 0 PASS, 1 WARN, 2 FAIL
    scores           double precision[] NOT NULL, -- NaN if the value is missing
    PRIMARY KEY (seed_id, spec_id, configuration_id)
);

-- +goose Down
DROP TABLE packed_result;
