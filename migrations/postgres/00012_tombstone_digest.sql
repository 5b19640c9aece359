-- +goose Up
CREATE INDEX tombstone_digest ON tombstone (digest);

-- +goose Down
DROP INDEX tombstone_digest;
