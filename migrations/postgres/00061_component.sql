-- +goose Up
CREATE TABLE component (
    execution_id bigint           NOT NULL,
    rubric       text COLLATE "C" NOT NULL,
    name         text COLLATE "C" NOT NULL,
    value        double precision, -- 0..1; NULL if it could not be measured
    PRIMARY KEY (execution_id, rubric, name)
);

-- +goose Down
DROP TABLE component;
