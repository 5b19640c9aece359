-- +goose Up
-- The score of an execution under a rubric. The rubric "own" is the caller's, and judge:MODEL@HASH is of a judge model and
-- the hash of its prompt.
CREATE TABLE execution_score (
    execution_id bigint           NOT NULL,
    lineage_id   bigint           NOT NULL, -- of the execution
    rubric       text COLLATE "C" NOT NULL,
    score        double precision, -- 0..100; NULL if nothing, or not enough, could be measured
    grade        text COLLATE "C",
    n_failed     bigint           NOT NULL, -- calls that the rubric calls failed
    scored_at    bigint           NOT NULL,
    checksum     bigint           NOT NULL, -- of the columns before it, the document and the components
    PRIMARY KEY (execution_id, rubric, lineage_id)
);

-- +goose Down
DROP TABLE execution_score;
