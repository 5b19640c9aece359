-- +goose Up
-- Ground-truth labels of an execution, such as a reward.
CREATE TABLE truth (
    execution_id bigint           NOT NULL,
    name         text COLLATE "C" NOT NULL,
    value        double precision NOT NULL,
    PRIMARY KEY (execution_id, name)
);

-- +goose Down
DROP TABLE truth;
