-- +goose Up
CREATE UNIQUE INDEX execution_identity ON execution (lineage_id, source, key);

-- +goose Down
DROP INDEX execution_identity;
