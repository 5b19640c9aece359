-- +goose Up
CREATE INDEX baseline_scenario ON baseline (scenario_id, set_at);

-- +goose Down
DROP INDEX baseline_scenario;
