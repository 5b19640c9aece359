-- +goose Up
CREATE TABLE spec_metric (
    spec_id      bigint           NOT NULL REFERENCES spec,
    position     bigint           NOT NULL, -- from 0, the order in which weighted scores are summed
    metric_id    bigint           NOT NULL REFERENCES metric,
    type         text COLLATE "C" NOT NULL,
    weight       double precision NOT NULL,
    metric_group text COLLATE "C",
    computed     smallint         NOT NULL CHECK (computed IN (0, 1)), -- the spec says how its value follows from a series
    PRIMARY KEY (spec_id, position),
    UNIQUE (spec_id, metric_id)
);

-- +goose Down
DROP TABLE spec_metric;
