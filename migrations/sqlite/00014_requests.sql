-- +goose Up
-- Requests to a model within an execution. Like calls, they declare no foreign key to it.
CREATE TABLE request (
    execution_id       INTEGER NOT NULL,
    number             INTEGER NOT NULL, -- from 1, in their order
    model              TEXT,             -- NULL if it is the model of the execution
    tokens_input       INTEGER,
    tokens_output      INTEGER,
    tokens_cache_read  INTEGER,
    tokens_cache_write INTEGER,
    tokens_reasoning   INTEGER,
    PRIMARY KEY (execution_id, number)
) STRICT, WITHOUT ROWID;

ALTER TABLE call ADD COLUMN request INTEGER; -- number of the request that asked for it; NULL if unknown

-- +goose Down
DROP VIEW IF EXISTS v_request; -- a view that reads a column keeps it from being dropped
DROP VIEW IF EXISTS v_call;
ALTER TABLE call DROP COLUMN request;
DROP TABLE request;
