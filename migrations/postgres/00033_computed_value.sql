-- +goose Up
-- Values computed from the series of a seed, as a spec says, for metrics that the client did not give. Given values
-- are in the table value.
CREATE TABLE computed_value (
    seed_id          bigint           NOT NULL,
    configuration_id bigint           NOT NULL, -- of the seed
    spec_id          bigint           NOT NULL,
    metric_id        bigint           NOT NULL,
    value            double precision, -- NULL is NaN, or no value if there is a reason
    reason           text COLLATE "C", -- why there is no value
    PRIMARY KEY (seed_id, spec_id, metric_id, configuration_id)
);

-- +goose Down
DROP TABLE computed_value;
