-- +goose Up
CREATE INDEX mutation_open ON mutation (lineage_id, number) WHERE state IN ('proposed', 'continue');

-- +goose Down
DROP INDEX mutation_open;
