-- +goose Up
-- The newest seeds of a scenario are those recorded last, also where they came from another database and have higher ids.
CREATE INDEX seed_newest ON seed (scenario_id, recorded_at);

-- +goose Down
DROP INDEX seed_newest;
