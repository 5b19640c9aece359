-- +goose Up
CREATE INDEX mutation_child ON mutation (child_id);

-- +goose Down
DROP INDEX mutation_child;
