-- +goose Up
CREATE INDEX withdrawal_place ON withdrawal (scenario_id, configuration, number);

-- +goose Down
DROP INDEX withdrawal_place;
