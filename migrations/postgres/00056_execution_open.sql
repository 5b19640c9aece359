-- +goose Up
CREATE INDEX execution_open ON execution (session) WHERE is_open = 1;

-- +goose Down
DROP INDEX execution_open;
