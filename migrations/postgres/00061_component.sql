-- +goose Up
CREATE TABLE component (
    execution_id bigint           NOT NULL,
    lineage_id   bigint           NOT NULL, -- of the execution
    rubric       text COLLATE "C" NOT NULL,
    name         text COLLATE "C" NOT NULL,
    value        double precision, -- 0..1; NULL if it could not be measured
    PRIMARY KEY (execution_id, rubric, name, lineage_id)
);

-- +goose Down
DROP TABLE component;
