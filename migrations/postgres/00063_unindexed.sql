-- +goose Up
-- Executions that are not in text_index yet.
CREATE TABLE unindexed (
    execution_id bigint PRIMARY KEY
);

-- +goose Down
DROP TABLE unindexed;
