-- +goose Up
CREATE INDEX ledger_mutation ON ledger (lineage_id, mutation, number);

-- +goose Down
DROP INDEX ledger_mutation;
