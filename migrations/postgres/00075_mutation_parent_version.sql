-- +goose Up
CREATE INDEX mutation_parent_version ON mutation_parent (version_id);

-- +goose Down
DROP INDEX mutation_parent_version;
