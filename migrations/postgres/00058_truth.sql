-- +goose Up
-- Ground-truth labels of an execution, such as a reward.
CREATE TABLE truth (
    execution_id bigint           NOT NULL,
    lineage_id   bigint           NOT NULL, -- of the execution
    name         text COLLATE "C" NOT NULL,
    value        double precision NOT NULL,
    PRIMARY KEY (execution_id, name, lineage_id)
);

-- +goose Down
DROP TABLE truth;
