-- +goose Up
CREATE INDEX ledger_kind ON ledger (lineage_id, kind, number);

-- +goose Down
DROP INDEX ledger_kind;
