-- +goose Up
-- call, truth, execution_score, score_document and component declare no foreign keys to execution, as value does not
-- to seed.
CREATE TABLE call (
    execution_id  bigint           NOT NULL,
    lineage_id    bigint           NOT NULL, -- of the execution
    position      bigint           NOT NULL, -- from 0, in the order of their start
    key           text COLLATE "C" NOT NULL,
    tool_id       bigint           NOT NULL REFERENCES tool,
    input         text COLLATE "C", -- masked; NULL if not kept
    input_bytes   bigint           NOT NULL,
    input_digest  bytea            NOT NULL, -- SHA-256 of the masked text
    exit          bigint,
    error         text COLLATE "C",
    answered      smallint         NOT NULL CHECK (answered IN (0, 1)),
    rejected      smallint         NOT NULL CHECK (rejected IN (0, 1)),
    output        text COLLATE "C",
    output_bytes  bigint,
    output_digest bytea,
    output_whole  bigint, -- size of the whole in bytes, if output is only a part of it
    started_at    bigint,
    duration_us   bigint,
    PRIMARY KEY (execution_id, position, lineage_id)
);

-- +goose Down
DROP TABLE call;
