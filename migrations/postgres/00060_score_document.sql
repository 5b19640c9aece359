-- +goose Up
-- Documents have a table of their own: in a table WITHOUT ROWID, a row longer than a quarter of a page takes another
-- page.
CREATE TABLE score_document (
    execution_id bigint           NOT NULL,
    lineage_id   bigint           NOT NULL, -- of the execution
    rubric       text COLLATE "C" NOT NULL,
    document     bytea            NOT NULL, -- JSON, plain or gzip: components with reasons and counts
    PRIMARY KEY (execution_id, rubric, lineage_id)
);

-- +goose Down
DROP TABLE score_document;
