-- +goose Up
-- The judgement of a seed under a spec; a seed may have one for each version.
CREATE TABLE assessment (
    seed_id          bigint           NOT NULL,
    configuration_id bigint           NOT NULL, -- of the seed
    spec_id          bigint           NOT NULL REFERENCES spec,
    total_score      double precision, -- NULL if a metric is missing
    n_pass           bigint           NOT NULL,
    n_warn           bigint           NOT NULL,
    n_fail           bigint           NOT NULL,
    assessed_at      bigint           NOT NULL,
    checksum         bigint           NOT NULL, -- of the columns before it
    PRIMARY KEY (seed_id, spec_id, configuration_id)
);

-- +goose Down
DROP TABLE assessment;
