-- +goose Up
CREATE INDEX mutation_proposed ON mutation (lineage_id, proposed_at);

-- +goose Down
DROP INDEX mutation_proposed;
