-- +goose Up
CREATE INDEX activation_fitness ON activation (lineage_id, rubric, fitness DESC, position);

-- +goose Down
DROP INDEX activation_fitness;
