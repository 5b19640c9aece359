-- +goose Up
-- Executions that are not in text_index yet.
CREATE TABLE unindexed (
    execution_id bigint NOT NULL,
    lineage_id   bigint NOT NULL, -- of the execution
    PRIMARY KEY (execution_id, lineage_id)
);

-- +goose Down
DROP TABLE unindexed;
