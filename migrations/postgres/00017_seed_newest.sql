-- +goose Up
CREATE INDEX seed_newest ON seed (scenario_id, recorded_at);

-- +goose Down
DROP INDEX seed_newest;
