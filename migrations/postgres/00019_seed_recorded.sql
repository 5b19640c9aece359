-- +goose Up
CREATE INDEX seed_recorded ON seed (recorded_at);

-- +goose Down
DROP INDEX seed_recorded;
