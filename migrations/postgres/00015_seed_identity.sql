-- +goose Up
CREATE UNIQUE INDEX seed_identity ON seed (scenario_id, configuration_id, number) WHERE superseded_at IS NULL;

-- +goose Down
DROP INDEX seed_identity;
