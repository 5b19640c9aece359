-- +goose Up
CREATE INDEX tombstone_identity ON tombstone (identity);

-- +goose Down
DROP INDEX tombstone_identity;
