-- +goose Up
CREATE INDEX mutation_state ON mutation (lineage_id, state);

-- +goose Down
DROP INDEX mutation_state;
