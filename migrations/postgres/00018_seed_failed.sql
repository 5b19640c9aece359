-- +goose Up
CREATE INDEX seed_failed ON seed (outcome, scenario_id) WHERE outcome <> 'ok';

-- +goose Down
DROP INDEX seed_failed;
