-- +goose Up
-- Requests to a model within an execution. Like calls, they declare no foreign key to it.
CREATE TABLE request (
    execution_id       bigint NOT NULL,
    lineage_id         bigint NOT NULL, -- of the execution
    number             bigint NOT NULL, -- from 1, in their order
    model              text COLLATE "C", -- NULL if it is the model of the execution
    tokens_input       bigint,
    tokens_output      bigint,
    tokens_cache_read  bigint,
    tokens_cache_write bigint,
    tokens_reasoning   bigint,
    PRIMARY KEY (execution_id, number, lineage_id)
);

-- +goose Down
DROP TABLE request CASCADE; -- with the view that reads it
