-- +goose Up
CREATE INDEX ledger_head ON ledger (lineage_id, number) WHERE head_before IS DISTINCT FROM head_after;

-- +goose Down
DROP INDEX ledger_head;
