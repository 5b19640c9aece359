-- +goose Up
CREATE INDEX withdrawal_sweep ON withdrawal (sweep) WHERE sweep IS NOT NULL;

-- +goose Down
DROP INDEX withdrawal_sweep;
