-- +goose Up
CREATE INDEX run_sweep ON run (sweep_id);

-- +goose Down
DROP INDEX run_sweep;
