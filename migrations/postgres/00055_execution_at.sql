-- +goose Up
CREATE INDEX execution_at ON execution (at);

-- +goose Down
DROP INDEX execution_at;
