-- +goose Up
CREATE UNIQUE INDEX ledger_attempt ON ledger (lineage_id, mutation, attempt) WHERE attempt IS NOT NULL;

-- +goose Down
DROP INDEX ledger_attempt;
