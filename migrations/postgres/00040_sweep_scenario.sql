-- +goose Up
CREATE INDEX sweep_scenario ON sweep (scenario_id);

-- +goose Down
DROP INDEX sweep_scenario;
