-- +goose Up
-- The words of the texts of executions that are kept. An execution is indexed when texts are searched, because that takes
-- longer than to record it. Numbers are those of the texts of an execution: prompt, answer, message, and three of each call.
CREATE TABLE text_index (
    execution_id bigint   NOT NULL,
    lineage_id   bigint   NOT NULL, -- of the execution
    number       bigint   NOT NULL,
    words        tsvector NOT NULL,
    PRIMARY KEY (execution_id, number, lineage_id)
);

-- +goose Down
DROP TABLE text_index;
