-- +goose Up
CREATE INDEX execution_lineage ON execution (lineage_id, at);

-- +goose Down
DROP INDEX execution_lineage;
