-- +goose Up
CREATE INDEX seed_withdrawn ON seed (scenario_id, configuration_id, number) WHERE withdrawn_at IS NOT NULL;

-- +goose Down
DROP INDEX seed_withdrawn;
